import type { EdrNetworkUserConfig } from 'hardhat/types/config'
import type { NetworkManager } from 'hardhat/types/network'
import type { Hex } from '../../devnet/index.ts'
import { isObject, quantity } from '../../devnet/pluginApi.ts'
import { replayNetworkName } from '../network-config.ts'

/** What a failed call executed, on which state, and in which block. */
export interface FailedCall {
  /** In the form of `eth_call`, with its sender. */
  readonly request: Readonly<Record<string, unknown>>
  /** Every account and slot that it read, as it found them: the answer of a `prestateTracer`. */
  readonly prestate: Readonly<Record<string, PrestateAccount>>
  readonly block: BlockEnvironment
  readonly chainId: number
  /** Hardhat's name of the hardfork. Default: the newest that it knows */
  readonly hardfork: string | undefined
  /** Called when the call was executed. */
  readonly onReplay: (() => void) | undefined
}

export interface PrestateAccount {
  readonly balance?: Hex
  readonly nonce?: number
  readonly code?: Hex
  readonly storage?: Readonly<Record<string, Hex>>
}

/** The fields of a block that code can read. */
export interface BlockEnvironment {
  readonly number: bigint
  /** s since the epoch. */
  readonly timestamp: bigint
  /** wei. Default: the hardfork is older than London */
  readonly baseFee: bigint | undefined
  readonly coinbase: Hex
  /** Default: the hardfork is older than Paris */
  readonly prevRandao: Hex | undefined
  readonly gasLimit: bigint
}

/** How Hardhat's own network explains a failure: a part of its `SolidityError`. */
export interface Explanation {
  readonly message: string
  readonly data: Hex
  /** Its Solidity frames, the innermost first, then frames of JavaScript. */
  readonly stack: string
  /** The Solidity frames alone, one a line. */
  readonly solidityStack: string
}

/**
 * Executes a failed call again on a fresh network of Hardhat's own, which knows the build infos of
 * the project. If verbosity is 3 or more, that network prints the tree of its calls.
 *
 * @param networkName - of the connection whose call failed
 * @returns how that network explains the failure; `undefined` if it does not fail there, or without
 * an explanation
 */
export async function replay(
  networks: NetworkManager,
  networkName: string,
  failed: FailedCall,
): Promise<Explanation | undefined> {
  const { request, prestate, block, chainId, hardfork } = failed
  const isGenesis = block.number === 0n
  const override: Partial<EdrNetworkUserConfig> = {
    chainId,
    blockGasLimit: block.gasLimit,
    coinbase: block.coinbase,
    ...(block.baseFee === undefined ? {} : { initialBaseFeePerGas: block.baseFee }),
    // The block after it has the timestamp of the call, which may not be earlier.
    initialDate: new Date(Number(isGenesis ? block.timestamp : block.timestamp - 1n) * 1000),
    ...(hardfork === undefined ? {} : { hardfork }),
  }
  const network = replayNetworkName(networkName)
  const { provider, close } = await networks.create({ network, override })
  const ask = (method: string, ...params: unknown[]) => provider.request({ method, params })
  try {
    if (!isGenesis) {
      if (block.number > 1n) await ask('hardhat_mine', quantity(block.number - 1n), '0x0')
      await ask('evm_setNextBlockTimestamp', quantity(block.timestamp))
      if (block.baseFee !== undefined) {
        await ask('hardhat_setNextBlockBaseFeePerGas', quantity(block.baseFee))
      }
      if (block.prevRandao !== undefined) await ask('hardhat_setPrevRandao', block.prevRandao)
    }
    await ask('eth_call', request, isGenesis ? 'latest' : 'pending', stateOf(prestate))
    failed.onReplay?.()
    return undefined
  } catch (error) {
    if (!isExplanation(error)) return undefined
    failed.onReplay?.()
    return error
  } finally {
    await close()
  }
}

function isExplanation(error: unknown): error is Explanation {
  return isObject(error) && error.name === 'SolidityError'
}

/** The state overrides that make the accounts of an empty chain those of the prestate. */
function stateOf(prestate: Readonly<Record<string, PrestateAccount>>): object {
  return Object.fromEntries(
    Object.entries(prestate).map(([address, account]) => {
      const { balance = '0x0', nonce = 0, code = '0x', storage = {} } = account
      return [address, { balance, nonce: quantity(BigInt(nonce)), code, state: storage }]
    }),
  )
}
