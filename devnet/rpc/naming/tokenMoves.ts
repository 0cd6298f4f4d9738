import { type AbiValue, decodeParameters } from '../../primitives/abi.ts'
import { fromHex, type Hex } from '../../primitives/hex.ts'
import type { ShownLog } from './decodeEvent.ts'

/** A log with its emitter. */
export interface EmittedLog extends ShownLog {
  readonly address: Hex
}

/** A transfer of ether or tokens, as a log tells it; a token may lie. */
export interface TokenMove {
  /** In lower case; {@link ETHER} for ether. */
  readonly asset: Hex
  readonly from: Hex
  readonly to: Hex
  /** Of ERC-721 and ERC-1155; `null` for what has no ids. */
  readonly id: bigint | null
  /** In the smallest unit; `null` for ERC-721, of which there is one of each id. */
  readonly amount: bigint | null
}

/** The address of logs that stand for transfers of ether (`traceTransfers`). */
export const ETHER = '0xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee'
/** The address of the logs that say the same from Amsterdam on (EIP-7708). */
export const SYSTEM = '0xfffffffffffffffffffffffffffffffffffffffe'
/** `Transfer(address,address,uint256)` of ERC-20 and ERC-721, the latter with the id as a topic. */
const TRANSFER = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'
/** `TransferSingle(address,address,address,uint256,uint256)` of ERC-1155. */
const TRANSFER_SINGLE = '0xc3d58168c5ae7397731d063d5bbf3d657854427343f4c083240f7aacaa2d0f62'
/** `TransferBatch(address,address,address,uint256[],uint256[])` of ERC-1155. */
const TRANSFER_BATCH = '0x4a39dc06d4c0dbc64b70af90fd698a233a518aa5d07e595d983b8c0526c8f7fb'

/** Limits of decoding a log. */
const LIMITS = { elements: 10_000, values: 20_000, bytes: 0 }

/** The transfers that a log tells; none if it is another event, or its data is malformed. */
export function movesIn(log: EmittedLog): readonly TokenMove[] {
  const [kind, first, second, third] = log.topics
  if (first === undefined || second === undefined) return []
  const asset = lower(log.address)
  if (asset === SYSTEM) return []
  if (kind === TRANSFER) {
    const sides = { asset, from: addressIn(first), to: addressIn(second) }
    if (third !== undefined) return [{ ...sides, id: BigInt(third), amount: null }]
    const amount = wordIn(log.data)
    return amount === undefined ? [] : [{ ...sides, id: null, amount }]
  }
  if ((kind !== TRANSFER_SINGLE && kind !== TRANSFER_BATCH) || third === undefined) return []
  const sides = { asset, from: addressIn(second), to: addressIn(third) }
  const type = kind === TRANSFER_SINGLE ? 'uint256' : 'uint256[]'
  const [ids = [], amounts = []] = decoded([type, type], log.data).map(integersIn)
  return ids.flatMap((id, index) => {
    const amount = amounts[index]
    return amount === undefined ? [] : [{ ...sides, id, amount }]
  })
}

export function lower(address: Hex): Hex {
  return `0x${address.slice(2).toLowerCase()}`
}

export function addressIn(topic: Hex): Hex {
  return lower(`0x${topic.slice(-40)}`)
}

/** The first word of ABI-encoded data; `undefined` if there is none. */
export function wordIn(data: unknown): bigint | undefined {
  if (typeof data !== 'string' || !/^0x[0-9a-f]{64}/i.test(data)) return undefined
  return BigInt(data.slice(0, 66))
}

/** The integers in a list, or a single integer as a list. */
function integersIn({ value }: AbiValue): readonly bigint[] {
  if (typeof value === 'object') return value.flatMap(integersIn)
  return typeof value === 'bigint' ? [value] : []
}

/** ABI-encoded values; none if the data does not fit. */
export function decoded(types: readonly string[], data: Hex, limits = LIMITS): readonly AbiValue[] {
  const parameters = types.map((type) => ({ type, name: '', components: [] }))
  return decodeParameters(parameters, fromHex(data), limits) ?? []
}
