import { ZERO_HASH } from '../../primitives/bytes.ts'
import { type Hex, toHex } from '../../primitives/hex.ts'
import type { StateStep } from '../../protocol/block.ts'
import { type BlockGas, headerGasUsed } from '../../protocol/blockGas.ts'
import type { BlockEnvironment } from '../../protocol/environment.ts'
import { type BlockHeader, EMPTY_BLOOM, hashHeader, makeHeader } from '../../protocol/header.ts'
import { type ExecutedTransaction, encodeReceipts, withBlooms } from '../../protocol/receipt.ts'
import { isOpeningDeposit } from '../../protocol/rollup/openingDeposits.ts'
import type { StepAccesses } from '../../protocol/stepAccesses.ts'
import type { StateView } from '../../state/store/versionedStore.ts'
import { IndexTrie } from '../../state/trie/indexTrie.ts'
import type { Keccak256, StateDiff } from '../../state/types.ts'
import type { Cheat } from '../cheats.ts'

/** A change of the state by command, between two pre-confirmed transactions. */
export interface PendingStep extends StateStep {
  /** A drop applies it again, to the state that it then finds. */
  readonly cheat: Cheat
}

/** The transactions of a block, as its header tells of them. */
export interface BlockContents {
  readonly executed: readonly ExecutedTransaction[]
  /** 256 bytes. */
  readonly bloom: Uint8Array
  readonly transactions: IndexTrie
  readonly receipts: IndexTrie
}

/** A block with the transactions that it has executed so far. */
export interface ExecutedBlock extends BlockContents {
  readonly environment: Omit<BlockEnvironment, 'parent'>
  readonly gas: BlockGas
  readonly blobGasUsed: bigint
  /** The accesses of each transaction (EIP-7928); none before Amsterdam. */
  readonly accesses: readonly StepAccesses[]
}

/**
 * The pending block as readers of `"pending"` see it. Immutable; every tick, cheat and seal
 * publishes a new one. Its tries are hashed after each tick.
 */
export interface PendingView extends ExecutedBlock {
  readonly environment: BlockEnvironment
  readonly logCount: number
  /** State after the last pre-confirmed transaction and the last step. */
  readonly state: StateView
  /** Changes that cheats made to the parent's state since it was sealed, in order. */
  readonly cheatDiffs: readonly StateDiff[]
  /** Changes by command behind pre-confirmed transactions, in order; sealed with the block. */
  readonly steps: readonly PendingStep[]
  /** Changes in the block, in order: those of its opening, of each tick, and of each step. */
  readonly blockDiffs: readonly StateDiff[]
  /** The writes of its opening system calls; `undefined` if there are none. */
  readonly opening: StateDiff | undefined
  /** Number of ticks the block has had so far. */
  readonly ticks: number
  /** As {@link pendingHash}, if the chain shows it. */
  readonly hash?: Hex | undefined
}

/** Present header of the pending block. Only sealing computes its other hashes. */
export function pendingHeader(view: PendingView): BlockHeader {
  const { environment } = view
  return makeHeader(environment, environment.parent.hashBytes, {
    ...headerContents(view),
    stateRoot: ZERO_HASH,
    blockAccessListHash: ZERO_HASH,
  })
}

/** The part of a header that tells of the transactions. */
export function headerContents(block: ExecutedBlock) {
  return {
    transactionsRoot: block.transactions.rootHash(),
    receiptsRoot: block.receipts.rootHash(),
    logsBloom: block.bloom,
    gasUsed: headerGasUsed(block.gas),
    blobGasUsed: block.blobGasUsed,
  }
}

export function emptyContents(keccak256: Keccak256): BlockContents {
  const empty = IndexTrie.empty(keccak256)
  return { executed: [], bloom: EMPTY_BLOOM, transactions: empty, receipts: empty }
}

/** The contents of a block that has executed more transactions. */
export function withExecuted(
  contents: BlockContents,
  executed: readonly ExecutedTransaction[],
): BlockContents {
  const { length } = contents.executed
  const raw = executed.map(({ transaction }) => transaction.raw)
  return {
    executed: [...contents.executed, ...executed],
    bloom: withBlooms(contents.bloom, executed),
    transactions: contents.transactions.append(raw, length),
    receipts: contents.receipts.append(encodeReceipts(executed), length),
  }
}

/** Hash of the present header, which changes with each transaction and at the seal. */
export function pendingHash(view: PendingView, keccak256: Keccak256): Hex {
  return toHex(hashHeader(pendingHeader(view), keccak256))
}

/**
 * True if `view` is `before`, or what ticks and cheats have made of it. A block that is built anew
 * has another environment; a drop leaves fewer transactions, or others.
 */
export function isContinued(before: PendingView, view: PendingView): boolean {
  const last = before.executed.length - 1
  return view.environment === before.environment && view.executed[last] === before.executed[last]
}

/**
 * True if a block holds nothing that anybody sent: at most the deposits that open it on a chain of
 * the OP Stack.
 */
export function isEmptyBlock({ executed }: Pick<PendingView, 'executed'>): boolean {
  return executed.every(({ transaction }) => isOpeningDeposit(transaction))
}

/** All changes since the parent was sealed, in order. */
export function diffsSinceSeal({ cheatDiffs, blockDiffs }: PendingView): StateDiff[] {
  return [...cheatDiffs, ...blockDiffs]
}
