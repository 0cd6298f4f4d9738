import type { Hex } from '../primitives/hex.ts'
import type { Moment } from '../primitives/moment.ts'
import { encodeRlp, type RlpInput, rlpLength, rlpListLength } from '../primitives/rlp.ts'
import { decodeRlp } from '../primitives/rlpReader.ts'
import { VersionGoneError } from '../state/store/versionedStore.ts'
import type { StateTrie } from '../state/trie/stateTrie.ts'
import type { Keccak256, StateDiff, Version } from '../state/types.ts'
import type { ForkRules } from './forks.ts'
import { type BlockHeader, EMPTY_UNCLES_HASH, headerFields } from './header.ts'
import type { ExecutedTransaction } from './receipt.ts'
import { type Withdrawal, withdrawalFields } from './withdrawals.ts'

/** A change of the state by command, within a block. */
export interface StateStep {
  /** Number of transactions of the block before it; at least 1. */
  readonly after: number
  readonly diff: StateDiff
}

/** A block with its roots and hash. Immutable, except that cheats change the newest `version`. */
export interface SealedBlock extends BlockBody {
  readonly header: BlockHeader
  readonly rules: ForkRules
  readonly number: number
  readonly hash: Hex
  readonly hashBytes: Uint8Array
  /** True if a command reserved the block: its hash is then not that of its header. */
  readonly isReserved?: boolean
  readonly executed: readonly ExecutedTransaction[]
  /** Changes by command while the block was pending, in order. A replay needs them. */
  readonly steps: readonly StateStep[]
  /** RLP of its access list (EIP-7928); `undefined` before Amsterdam, and if reserved. */
  readonly accessList?: Uint8Array | undefined
  /** State after the block, with the cheats made before the next block. */
  version: Version
  /** The state that the block's root commits to, without cheats. */
  readonly sealedVersion: Version
  /** State trie at `sealedVersion`; `undefined` if unknown, as for old blocks of an anvil dump. */
  readonly trie: StateTrie | undefined
  /** The moment at which this node sealed it. Default: unknown */
  readonly sealedAt?: Moment
}

/** A block breaks a rule. The message completes a sentence such as "block 5 has …". */
export class InvalidBlockError extends Error {
  override name = 'InvalidBlockError'
}

/** The state trie of a block. @throws {VersionGoneError} if its state is unknown */
export function requireTrie({ trie, sealedVersion }: SealedBlock): StateTrie {
  if (trie === undefined) throw new VersionGoneError(sealedVersion)
  return trie
}

/** Contents of a block besides its transactions; non-empty only in imported blocks. */
export interface BlockBody {
  readonly uncles: readonly Uncle[]
  /** Empty before Shanghai. */
  readonly withdrawals: readonly Withdrawal[]
}

/** A block outside the chain whose header a later block includes (yellow paper 4.4). */
export interface Uncle {
  readonly header: BlockHeader
  readonly hash: Hex
}

/** The body of every block that this node builds itself. */
export const EMPTY_BODY: BlockBody = { uncles: [], withdrawals: [] }

/** `sha3Uncles` of the header. */
export function unclesHash(uncles: readonly Uncle[], keccak256: Keccak256): Uint8Array {
  if (uncles.length === 0) return EMPTY_UNCLES_HASH
  return keccak256(encodeRlp(uncles.map(({ header }) => headerFields(header))))
}

type Encodable = Pick<SealedBlock, 'header' | 'executed' | 'uncles' | 'withdrawals'>

/** RLP of the block: header, transactions, uncles, and withdrawals since Shanghai. */
export function encodeBlock({ header, executed, ...body }: Encodable): Uint8Array {
  const transactions = executed.map(({ transaction: { raw, type } }) =>
    type === 0 ? decodeRlp(raw) : raw,
  )
  return encodeRlp([headerFields(header), transactions, ...bodyFields(header, body)])
}

/** Length in bytes of {@link encodeBlock}, without encoding the transactions. */
export function blockSize({ header, executed, ...body }: Encodable): number {
  let transactions = 0
  for (const { transaction } of executed) {
    const { length } = transaction.raw
    // In the block's RLP, a typed transaction is a byte string, and a legacy one is a list.
    transactions += transaction.type === 0 ? length : rlpListLength(length)
  }
  let rest = 0
  for (const field of bodyFields(header, body)) rest += rlpLength(field)
  return rlpListLength(rlpLength(headerFields(header)) + rlpListLength(transactions) + rest)
}

function bodyFields(header: BlockHeader, { uncles, withdrawals }: BlockBody): RlpInput[] {
  const fields: RlpInput[] = [uncles.map((uncle) => headerFields(uncle.header))]
  if (header.withdrawalsRoot !== undefined) fields.push(withdrawals.map(withdrawalFields))
  return fields
}
