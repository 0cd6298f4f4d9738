import type { Hex } from '../../../devnet/index.ts'
import { isObject, plainText, quantity } from '../../../devnet/pluginApi.ts'
import type { Ask } from '../../rpc-client.ts'

/** The fields of a block that code can read, and the rules that it runs by. */
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
  /** Hardhat's name of the hardfork. Default: the newest that it knows */
  readonly hardfork: string | undefined
}

/**
 * The environment of a block that a request names.
 *
 * @param named - number, tag or hash, as requests have it
 * @param overrides - of the request
 */
export async function environmentOf(
  ask: Ask,
  named: unknown,
  overrides: unknown,
): Promise<BlockEnvironment> {
  const found = (await blockOf(ask, named)) ?? (await ask('eth_getBlockByNumber', 'pending', false))
  const block = isObject(found) ? definedFields(found) : {}
  const fields = { ...block, ...(isObject(overrides) && definedFields(overrides)) }
  const amount = (value: unknown) => BigInt(plainText(value ?? 0))
  const { baseFeePerGas, difficulty } = fields
  // The node has answered with these fields, or taken them as overrides.
  return {
    number: amount(fields.number),
    timestamp: amount(fields.time ?? fields.timestamp),
    gasLimit: amount(fields.gasLimit),
    baseFee: baseFeePerGas === undefined ? undefined : amount(baseFeePerGas),
    coinbase: (fields.feeRecipient ?? fields.miner) as Hex,
    prevRandao:
      amount(difficulty) > 0n ? undefined : ((fields.prevRandao ?? fields.mixHash) as Hex),
    hardfork: await hardforkOf(ask, block),
  }
}

/** The overrides that make any block one on an empty chain, with this environment. */
export function overridesOfBlock(block: BlockEnvironment): object {
  const { number, timestamp, gasLimit, baseFee, coinbase, prevRandao } = block
  return definedFields({
    number: quantity(number),
    time: quantity(timestamp),
    gasLimit: quantity(gasLimit),
    feeRecipient: coinbase,
    baseFeePerGas: baseFee === undefined ? undefined : quantity(baseFee),
    prevRandao,
    blobBaseFee: '0x1',
  })
}

/** Each hardfork that has brought a field of blocks, the newest first, by Hardhat's name. */
const BROUGHT: readonly (readonly [field: string, hardfork: string])[] = [
  ['blobGasUsed', 'cancun'],
  ['withdrawalsRoot', 'shanghai'],
]

/**
 * The hardfork of a block, by its fields: every node shows them, but few tell its name. The newest
 * before London is Berlin.
 */
async function hardforkOf(
  ask: Ask,
  block: Readonly<Record<string, unknown>>,
): Promise<string | undefined> {
  if ('requestsHash' in block) return (await isBeforeOsaka(ask)) ? 'prague' : undefined
  const [, brought] = BROUGHT.find(([field]) => field in block) ?? []
  if (brought !== undefined) return brought
  if (!('baseFeePerGas' in block)) return 'berlin'
  return BigInt(plainText(block.difficulty ?? 0)) === 0n ? 'merge' : 'london'
}

/** True if the node says so; Osaka has brought no field of blocks, but a precompile (EIP-7910). */
async function isBeforeOsaka(ask: Ask): Promise<boolean> {
  const config = await ask('eth_config').catch(() => undefined)
  const current = isObject(config) && config.current
  const precompiles = isObject(current) && current.precompiles
  return isObject(precompiles) && !('P256VERIFY' in precompiles)
}

/** `undefined` or null for a block that is not sealed. */
async function blockOf(ask: Ask, named: unknown): Promise<unknown> {
  const { blockHash, blockNumber } = isObject(named) ? named : { blockNumber: named }
  if (blockHash === undefined) return await ask('eth_getBlockByNumber', blockNumber, false)
  return await ask('eth_getBlockByHash', blockHash, false)
}

/** The fields that are neither `undefined` nor null. */
export function definedFields(fields: object): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value != null))
}
