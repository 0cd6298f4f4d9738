import type { EdrNetworkUserConfig } from 'hardhat/types/config'
import type { NetworkConnection, NetworkManager } from 'hardhat/types/network'
import type { Hex } from '../../../devnet/index.ts'
import { isObject, memoize, quantity, SerialQueue } from '../../../devnet/pluginApi.ts'
import { replayNetworkName } from '../../network-config.ts'
import type { BlockEnvironment } from './block-environment.ts'
import { withoutScriptFrames } from './script-frames.ts'

/** A call with all that Hardhat's own network needs to execute it as the node does. */
export interface ReplayedCall {
  /** In the form of `eth_call`, with its sender. */
  readonly request: Readonly<Record<string, unknown>>
  /** Every account and slot that it reads, as it finds them: the answer of a `prestateTracer`. */
  readonly prestate: Prestate
  /** The block whose state lies below that, as requests name it. */
  readonly named: unknown
  readonly block: BlockEnvironment
  readonly chainId: number
  /** True if code of any size can be deployed. */
  readonly allowsAnySize: boolean
  /** Called when the call was executed. */
  readonly onReplay: (() => void) | undefined
}

export type Prestate = Readonly<Record<string, PrestateAccount>>

interface PrestateAccount {
  readonly balance?: Hex
  readonly nonce?: number
  readonly code?: Hex
  readonly storage?: Readonly<Record<string, Hex>>
}

/** An explanation of a failure by Hardhat's own network: a part of its `SolidityError`. */
export interface Explanation {
  readonly message: string
  readonly data: Hex
  /** Its Solidity frames, the innermost first. */
  readonly stack: string
  /** The Solidity frames alone, one a line. */
  readonly solidityStack: string
}

/**
 * Executes a failed call again on a network of Hardhat's own, which knows the build infos of the
 * project. If verbosity is 3 or more, that network prints the tree of its calls.
 *
 * @param networkName - of the connection whose call failed
 * @returns how that network explains the failure; `undefined` if it does not fail there, or without
 * an explanation
 */
export async function replay(
  networks: NetworkManager,
  networkName: string,
  failed: ReplayedCall,
): Promise<Explanation | undefined> {
  const { chainId, allowsAnySize, block } = failed
  const { hardfork } = block
  const override = {
    chainId,
    allowUnlimitedContractSize: allowsAnySize,
    ...(hardfork === undefined ? {} : { hardfork }),
  }
  const network = replayNetworkName(networkName)
  if (block.number === 0n) {
    // Each network has its first block from the beginning.
    const own = await Stage.open(networks, network, { ...override, ...firstBlock(block) })
    return await own.replay(failed).finally(() => own.close())
  }
  const key = JSON.stringify([network, override])
  const kept = keptBy(networks)
  let stage = kept.get(key)
  if (stage === undefined) {
    stage = Stage.open(networks, network, override)
    kept.set(key, stage)
    const [oldest] = kept.keys()
    if (kept.size > MAX_KEPT && oldest !== undefined) drop(kept, oldest)
  }
  try {
    return await (await stage).replay(failed)
  } catch (error) {
    // Its state is unknown now, so the next replay gets a new network.
    if (kept.get(key) === stage) drop(kept, key)
    throw error
  }
}

/** Making a network takes longer than the call: each is kept, by chain id, hardfork and limit. */
const keptBy = memoize((_networks: NetworkManager) => new Map<string, Promise<Stage>>())

const MAX_KEPT = 4

function drop(kept: Map<string, Promise<Stage>>, key: string): void {
  const stage = kept.get(key)
  kept.delete(key)
  // What could not be opened need not be closed.
  stage?.then(
    (opened) => opened.close(),
    () => undefined,
  )
}

/** An empty network of Hardhat's own, for one call after the other. */
class Stage {
  readonly #connection: NetworkConnection<string>
  readonly #queue = new SerialQueue()
  /** Of the network without a block but the first. */
  #empty: unknown

  static async open(
    networks: NetworkManager,
    network: string,
    override: Partial<EdrNetworkUserConfig>,
  ): Promise<Stage> {
    // No block may be earlier than the one before it.
    const early = { initialDate: new Date(0), ...override }
    const stage = new Stage(await networks.create({ network, override: early }))
    stage.#empty = await stage.#ask('evm_snapshot')
    return stage
  }

  private constructor(connection: NetworkConnection<string>) {
    this.#connection = connection
  }

  replay(failed: ReplayedCall): Promise<Explanation | undefined> {
    return this.#queue.run(async () => {
      const isFirst = failed.block.number === 0n
      if (!isFirst) await this.#enter(failed.block)
      return await this.#explained(failed, isFirst ? 'latest' : 'pending')
    })
  }

  close(): Promise<void> {
    return this.#queue.run(() => this.#connection.close())
  }

  /** Makes the pending block that of the call. */
  async #enter(block: BlockEnvironment): Promise<void> {
    await this.#ask('evm_revert', this.#empty)
    this.#empty = await this.#ask('evm_snapshot')
    if (block.number > 1n) {
      // Otherwise the blocks would have the time of the clock, which may be later than the call's.
      await this.#ask('evm_setNextBlockTimestamp', quantity(block.timestamp - 1n))
      await this.#ask('hardhat_mine', quantity(block.number - 1n), '0x0')
    }
    await this.#ask('hardhat_setCoinbase', block.coinbase)
    await this.#ask('evm_setBlockGasLimit', quantity(block.gasLimit))
    await this.#ask('evm_setNextBlockTimestamp', quantity(block.timestamp))
    if (block.baseFee !== undefined) {
      await this.#ask('hardhat_setNextBlockBaseFeePerGas', quantity(block.baseFee))
    }
    if (block.prevRandao !== undefined) {
      await this.#ask('hardhat_setPrevRandao', block.prevRandao)
    }
  }

  async #explained(
    { request, prestate, onReplay }: ReplayedCall,
    block: string,
  ): Promise<Explanation | undefined> {
    try {
      await withoutScriptFrames(() => this.#ask('eth_call', request, block, overridesOf(prestate)))
    } catch (error) {
      if (!isExplanation(error)) return undefined
      onReplay?.()
      return error
    }
    onReplay?.()
    return undefined
  }

  #ask(method: string, ...params: unknown[]): Promise<unknown> {
    return this.#connection.provider.request({ method, params })
  }
}

/** The configuration of a network whose first block is this one. */
function firstBlock(block: BlockEnvironment): Partial<EdrNetworkUserConfig> {
  const { timestamp, baseFee, coinbase, gasLimit } = block
  return {
    blockGasLimit: gasLimit,
    coinbase,
    ...(baseFee === undefined ? {} : { initialBaseFeePerGas: baseFee }),
    initialDate: new Date(Number(timestamp) * 1000),
  }
}

function isExplanation(error: unknown): error is Explanation {
  return isObject(error) && error.name === 'SolidityError'
}

/** The state overrides that make the accounts of any chain those of the prestate. */
export function overridesOf(prestate: Prestate): object {
  return Object.fromEntries(
    Object.entries(prestate).map(([address, account]) => {
      const { balance = '0x0', nonce = 0, code = '0x', storage = {} } = account
      return [address, { balance, nonce: quantity(BigInt(nonce)), code, state: storage }]
    }),
  )
}
