import { join } from 'node:path'
import { createHardhatRuntimeEnvironment } from 'hardhat/hre'
import type { HardhatRuntimeEnvironment } from 'hardhat/types/hre'
import { createDevnet } from '../../../devnet/index.ts'
import type { Hex } from '../../../devnet/primitives/hex.ts'
import type { Devnet } from '../../../devnet/types.ts'
import type { Project } from '../hardhat/project.ts'
// The types that the plugin adds to a connection.

/** As `hardhat node`; and with ticks, while a command seals. */
/** `amsterdam` is `instant` under the next hardfork. */
export const modes = ['instant', 'amsterdam', 'clocks'] as const

/** An account that nobody has. */
export const NOBODY: Hex = `0x${'ab'.repeat(20)}`
export const ETHER = 10n ** 18n

type Connection = Awaited<ReturnType<HardhatRuntimeEnvironment['network']['create']>>

/** A block as far as the tests look at it. */
interface Block {
  readonly timestamp: Hex
  readonly miner: Hex
  readonly mixHash: Hex
  readonly gasLimit: Hex
  readonly baseFeePerGas: Hex
  readonly transactions: readonly Hex[]
}

/** The helpers of a project that is connected to a node of its own. */
export interface Stage extends AsyncDisposable {
  readonly devnet: Devnet
  readonly helpers: Connection['networkHelpers']
  /** The first unlocked account. */
  readonly account: Hex
  rpc<Result = unknown>(method: string, ...params: unknown[]): Promise<Result>
  block(tag: string): Promise<Block>
  /** Sends a transfer of nothing from {@link account} to {@link NOBODY}, but for what `request` says. */
  send(request: object): Promise<Hex>
  /** Seconds from each of these blocks to the next. */
  steps(from: number, to: number): Promise<number[]>
}

/** Loads the project's configuration, as Hardhat's command line does. */
export async function openProject({ folder }: Project): Promise<HardhatRuntimeEnvironment> {
  const config = join(folder, 'hardhat.config.ts')
  const loaded: { default: Parameters<typeof createHardhatRuntimeEnvironment>[0] } = await import(
    config
  )
  return createHardhatRuntimeEnvironment(loaded.default, { config }, folder)
}

export async function createStage(
  hre: HardhatRuntimeEnvironment,
  mode: (typeof modes)[number],
): Promise<Stage> {
  const devnet = createDevnet({
    port: 0,
    tickInterval: 20,
    timestamp: 1_800_000_000,
    ...(mode === 'clocks' ? { frozen: true } : { instant: true }),
    ...(mode === 'amsterdam' ? { hardfork: mode } : {}),
  })
  await devnet.start()
  const connection = await hre.network.create({ network: 'devnet', override: { url: devnet.url } })
  const account = devnet.accounts[0]?.address ?? '0x'
  // Each test knows what the method that it calls answers.
  const rpc = async <Result = unknown>(method: string, ...params: unknown[]) =>
    (await devnet.provider.request({ method, params })) as Result
  const block = (tag: string) => rpc<Block>('eth_getBlockByNumber', tag, false)
  return {
    devnet,
    helpers: connection.networkHelpers,
    account,
    rpc,
    block,
    send: (request) =>
      rpc<Hex>('eth_sendTransaction', { from: account, to: NOBODY, gas: '0x5208', ...request }),
    async steps(from, to) {
      const blocks = await Promise.all(
        Array.from({ length: to - from + 1 }, (_, index) =>
          block(`0x${(from + index).toString(16)}`),
        ),
      )
      const timestamps = blocks.map(({ timestamp }) => Number(timestamp))
      return timestamps.slice(1).map((timestamp, index) => timestamp - (timestamps[index] ?? 0))
    },
    async [Symbol.asyncDispose]() {
      await connection.close()
      await devnet.stop()
    },
  }
}
