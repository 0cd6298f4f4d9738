import { RLP } from '@ethereumjs/rlp'
import type { StateTrie } from '../state/stateTrie.ts'
import type { Version } from '../state/types.ts'
import type { Hex } from '../types.ts'
import { type BlockHeader, encodeHeader, headerFields } from './header.ts'
import type { ExecutedTransaction } from './receipt.ts'

/** A block with its roots and hash. Immutable but for the state that cheats lay over the newest one. */
export interface SealedBlock {
  readonly header: BlockHeader
  readonly number: number
  readonly hash: Hex
  readonly hashBytes: Uint8Array
  readonly executed: readonly ExecutedTransaction[]
  /** The state after the block; a cheat on the newest block moves it on. */
  version: Version
  readonly trie: StateTrie
}

type Numbered = Pick<SealedBlock, 'header' | 'executed'>

/** RLP of the block: header, transactions, uncles, and withdrawals since Shanghai. */
export function encodeBlock({ header, executed }: Numbered): Uint8Array {
  const transactions = executed.map(({ transaction: { raw, type } }) =>
    type === 0 ? RLP.decode(raw) : raw,
  )
  const withdrawals = header.withdrawalsRoot === undefined ? [] : [[]]
  return RLP.encode([headerFields(header), transactions, [], ...withdrawals])
}

/** Length in bytes of {@link encodeBlock}, without the encoding. */
export function blockSize({ header, executed }: Numbered): number {
  let transactions = 0
  for (const { transaction } of executed) {
    const { length } = transaction.raw
    // A typed transaction is a string in the block's list, a legacy one a list.
    transactions += transaction.type === 0 ? length : withPrefix(length)
  }
  const withdrawals = header.withdrawalsRoot === undefined ? 0 : withPrefix(0)
  return withPrefix(
    encodeHeader(header).length + withPrefix(transactions) + withPrefix(0) + withdrawals,
  )
}

/** Length of an RLP string or list with this payload. */
function withPrefix(payload: number): number {
  if (payload < 56) return 1 + payload
  let bytes = 1
  for (let rest = payload; rest > 0; rest = Math.floor(rest / 256)) bytes++
  return bytes + payload
}
