import type { TypedTransaction } from '@ethereumjs/tx'
import type { SealedBlock } from '../../chain/block.ts'
import { fromHex, ZERO_HASH } from '../../chain/bytes.ts'
import type { Chain } from '../../chain/chain.ts'
import { daoRefund } from '../../chain/daoFork.ts'
import type { PendingView } from '../../chain/pendingView.ts'
import type { ExecutedTransaction } from '../../chain/receipt.ts'
import { openingWrites } from '../../chain/systemContracts.ts'
import type { BlockContext } from '../../engine/executor.ts'
import type { DaoFork } from '../../engine/forkSchedule.ts'
import type { ForkRules } from '../../engine/forks.ts'
import { RefusedError } from '../../errors.ts'
import type { Overlay } from '../../state/overlay.ts'
import type { StateView } from '../../state/versionedStore.ts'
import type { Hex } from '../../types.ts'
import { executionTarget } from '../target.ts'

/** A block whose transactions can be executed once more, each where it stood. */
export interface TracedBlock {
  /** After the block before it. */
  readonly parentState: StateView
  readonly parentHash: Uint8Array
  readonly context: BlockContext
  readonly parentBeaconBlockRoot: Uint8Array
  readonly rules: ForkRules
  /** `undefined` while it is not sealed. */
  readonly hash: Hex | undefined
  readonly transactions: readonly TracedTransaction[]
  /** Whether it was never executed here, so that its transactions may be impossible. */
  readonly isForeign?: boolean
}

/** One of its transactions. */
export interface TracedTransaction {
  readonly hash: Hex
  readonly tx: TypedTransaction
  /** 20 bytes of the sender. */
  readonly from: Uint8Array
}

/** Nothing is executed in the genesis block: code -32000, in geth's words. */
export class GenesisNotTraceableError extends RefusedError {
  override name = 'GenesisNotTraceableError'
  constructor() {
    super('genesis is not traceable')
  }
}

/** The state that a block began with is gone: code -32000. */
export class ParentNotKeptError extends RefusedError {
  override name = 'ParentNotKeptError'
  constructor(number: number) {
    super(
      `cannot trace in block ${number}: the state before it is not kept; start with a larger --keep-blocks, or with 0 to keep all`,
    )
  }
}

/**
 * What a block began with; to be handed on in the same turn of the event loop.
 *
 * @throws {GenesisNotTraceableError}
 * @throws {ParentNotKeptError}
 */
export function tracedBlock(chain: Chain, block: SealedBlock | PendingView): TracedBlock {
  const transactions = block.executed.map(tracedTransaction)
  const { block: context } = executionTarget(chain, block)
  if ('environment' in block) {
    const { parent, parentBeaconBlockRoot, rules } = block.environment
    return {
      parentState: chain.store.view(parent.version),
      parentHash: parent.hashBytes,
      context,
      parentBeaconBlockRoot,
      rules,
      hash: undefined,
      transactions,
    }
  }
  if (block.number === 0) throw new GenesisNotTraceableError()
  const parent = chain.history.byNumber(block.number - 1)
  if (parent === undefined) throw new ParentNotKeptError(block.number)
  return {
    parentState: chain.store.view(parent.version),
    parentHash: parent.hashBytes,
    context,
    parentBeaconBlockRoot: block.header.parentBeaconBlockRoot ?? ZERO_HASH,
    rules: block.rules,
    hash: block.hash,
    transactions,
  }
}

function tracedTransaction({ transaction }: ExecutedTransaction): TracedTransaction {
  const { hash, tx, sender } = transaction
  return { hash, tx, from: fromHex(sender) }
}

/** Writes to `overlay` what the block writes before its first transaction. */
export function openTracedBlock(
  overlay: Overlay,
  { context, rules, parentHash, parentBeaconBlockRoot }: TracedBlock,
  dao: DaoFork | undefined,
): void {
  for (const [key, record] of daoRefund(context.number, dao, overlay)?.accounts ?? []) {
    if (record !== null) overlay.setBalance(key, record.balance)
  }
  const { number, timestamp } = context
  const writes = openingWrites(
    { number, timestamp, parentHash, parentBeaconBlockRoot },
    overlay,
    rules,
  )
  for (const [key, { slots }] of writes?.storage ?? []) {
    for (const [slot, value] of slots) overlay.setSlot(key, slot, value)
  }
}
