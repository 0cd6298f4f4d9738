import { existsSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import type { HardhatRuntimeEnvironment } from 'hardhat/types/hre'

/** Hardhat's own variable with the path of the configuration. */
export const CONFIG_VARIABLE = 'HARDHAT_CONFIG'

/**
 * The configuration of the Hardhat project that a folder lies in. Hardhat itself looks from the
 * working directory, which in a monorepo is not that of the project under test.
 *
 * @returns `undefined` if there is none in the folder or above it
 */
export function findConfig(folder: string): string | undefined {
  const named = process.env[CONFIG_VARIABLE]
  if (named !== undefined) return resolve(named)
  for (let at = folder; ; at = dirname(at)) {
    const found = ['hardhat.config.ts', 'hardhat.config.js']
      .map((name) => join(at, name))
      .find((path) => existsSync(path))
    if (found !== undefined || dirname(at) === at) return found
  }
}

/** Makes an environment of a configuration. One process may have several, each of a project. */
export async function loadProject(config: string): Promise<HardhatRuntimeEnvironment> {
  const { createHardhatRuntimeEnvironment, importUserConfig } = await import('hardhat/hre')
  return createHardhatRuntimeEnvironment(await importUserConfig(config), { config }, config)
}
