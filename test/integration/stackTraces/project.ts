import { cpSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
// The types that the project's plugins add to a connection.
import type {} from '@nomicfoundation/hardhat-ethers'
import type {} from '@nomicfoundation/hardhat-viem'
import type {} from '@nomicfoundation/hardhat-viem-assertions'
import type { HardhatUserConfig } from 'hardhat/config'
import { createHardhatRuntimeEnvironment } from 'hardhat/hre'
import type { HardhatRuntimeEnvironment } from 'hardhat/types/hre'

const root = fileURLToPath(new URL('../../..', import.meta.url))
const source = fileURLToPath(new URL('./project/', import.meta.url))
const plugin = JSON.stringify(join(root, 'plugin/index.ts'))

const CONFIG = `import { fileURLToPath } from 'node:url'
import ethers from '@nomicfoundation/hardhat-ethers'
import networkHelpers from '@nomicfoundation/hardhat-network-helpers'
import viem from '@nomicfoundation/hardhat-viem'
import viemAssertions from '@nomicfoundation/hardhat-viem-assertions'
import pendingNode, { pendingNode as network } from ${plugin}

// The compiler that npm installed: nothing is downloaded.
const compiler = { version: '0.8.37', path: fileURLToPath(import.meta.resolve('solc/soljson.js')) }
const inlined = { ...compiler, settings: { viaIR: true, evmVersion: 'london', optimizer: { enabled: true } } }
const profile = { compilers: [compiler], overrides: { 'contracts/Inlined.sol': inlined } }

export default {
  plugins: [pendingNode, ethers, viem, viemAssertions, networkHelpers],
  solidity: { profiles: { default: profile, production: profile } },
  networks: {
    logged: network({ instant: true, anvil: true }),
    unexplained: { ...network({ instant: true, anvil: true }), stackTraces: false },
  },
}
`

/** A copy of the Hardhat project under ./project, compiled, which goes with the scope that it is used in. */
export interface Project extends Disposable {
  readonly folder: string
  readonly hre: HardhatRuntimeEnvironment
}

/**
 * @param build - whether to compile the contracts. Default: true
 * @param verbosity - of Hardhat. Default: 2, its own
 * @param coverage - whether Hardhat has instrumented the contracts. Default: false
 */
export async function createProject({
  build = true,
  verbosity = 2,
  coverage = false,
} = {}): Promise<Project> {
  const folder = mkdtempSync(join(tmpdir(), 'pending-node-project-'))
  cpSync(source, folder, { recursive: true })
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'), 'junction')
  const config = join(folder, 'hardhat.config.ts')
  writeFileSync(config, CONFIG)
  const loaded: { default: HardhatUserConfig } = await import(config)
  const hre = await createHardhatRuntimeEnvironment(
    loaded.default,
    { config, verbosity, coverage },
    folder,
  )
  if (build) await hre.tasks.getTask('build').run({ quiet: true, noTests: true })
  return { folder, hre, [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }) }
}
