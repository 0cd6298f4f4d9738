import { join } from 'node:path'
// The types that the project's plugins add to a connection.
import type {} from '@nomicfoundation/hardhat-ethers'
import type {} from '@nomicfoundation/hardhat-ignition-viem'
import type {} from '@nomicfoundation/hardhat-viem'
import type {} from '@nomicfoundation/hardhat-viem-assertions'
import { createHardhatRuntimeEnvironment } from 'hardhat/hre'
import type { HttpNetworkUserConfig } from 'hardhat/types/config'
import type { HardhatRuntimeEnvironment } from 'hardhat/types/hre'
import { createDevnet } from '../../../devnet/index.ts'
import type { Devnet } from '../../../devnet/types.ts'
import type { Project } from './project.ts'

/**
 * `instant` is `hardhat node`'s way, and `amsterdam` the same under the next hardfork; with `clocks`, a tick pre-confirms
 * and a command seals.
 */
export type Mode = 'instant' | 'amsterdam' | 'clocks'

/** A connection of the project to a node of its own. */
export interface Stage extends AsyncDisposable {
  readonly mode: Mode
  readonly devnet: Devnet
  readonly connection: Awaited<ReturnType<HardhatRuntimeEnvironment['network']['create']>>
  /** Seals what has been sent, where that has not happened by itself, so that `latest` has it. */
  settle(): Promise<unknown>
}

/** Loads the project's configuration, as Hardhat's command line does, and compiles its contracts. */
export async function openProject({ folder }: Project): Promise<HardhatRuntimeEnvironment> {
  const config = join(folder, 'hardhat.config.ts')
  const loaded: { default: Parameters<typeof createHardhatRuntimeEnvironment>[0] } = await import(
    config
  )
  const hre = await createHardhatRuntimeEnvironment(loaded.default, { config }, folder)
  await hre.tasks.getTask('build').run({ quiet: true, noTests: true })
  return hre
}

/** @param more - of the network's configuration */
export async function createStage(
  hre: HardhatRuntimeEnvironment,
  mode: Mode,
  more: Partial<HttpNetworkUserConfig> = {},
): Promise<Stage> {
  const devnet = createDevnet({
    port: 0,
    tickInterval: 5,
    sealInterval: 50,
    timestamp: 1_800_000_000,
    ...(mode === 'clocks' ? { frozen: true } : { instant: true }),
    ...(mode === 'amsterdam' ? { hardfork: mode } : {}),
  })
  await devnet.start()
  const connection = await hre.network.create({
    network: 'devnet',
    override: { url: devnet.url, ...more },
  })
  return {
    mode,
    devnet,
    connection,
    settle: async () => (mode === 'clocks' ? devnet.clock.seal() : undefined),
    async [Symbol.asyncDispose]() {
      await connection.close()
      await devnet.stop()
    },
  }
}
