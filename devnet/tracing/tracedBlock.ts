import type { PendingView } from '../chain/building/pendingView.ts'
import type { Chain } from '../chain/chain.ts'
import { Scheduler } from '../engine/scheduler.ts'
import { executionTarget } from '../execution/executionTarget.ts'
import { type DecodedBlock, decodeBlock } from '../persistence/import/decodeBlock.ts'
import { ZERO_HASH } from '../primitives/bytes.ts'
import { RefusedError } from '../primitives/errors.ts'
import { type Hex, toHex } from '../primitives/hex.ts'
import { RlpError } from '../primitives/rlpReader.ts'
import type { SealedBlock, StateStep } from '../protocol/block.ts'
import type { BlockContext } from '../protocol/blockContext.ts'
import { headerContext } from '../protocol/environment.ts'
import type { ForkRules } from '../protocol/forks.ts'
import { openingWrites } from '../protocol/systemContracts.ts'
import type { TransactionFields } from '../protocol/transaction.ts'
import type { Overlay } from '../state/overlay/overlay.ts'
import type { StateView } from '../state/store/versionedStore.ts'

/** A block whose transactions can be executed again, in order. */
export interface TracedBlock {
  /** State after the parent block. */
  readonly parentState: StateView
  readonly parentHash: Uint8Array
  readonly context: BlockContext
  readonly parentBeaconBlockRoot: Uint8Array
  readonly rules: ForkRules
  /** `undefined` while the block is not sealed. */
  readonly hash: Hex | undefined
  readonly transactions: readonly TracedTransaction[]
  /** Changes by command between the transactions. */
  readonly steps: readonly StateStep[]
  /** True if this node executed the block; if not, its transactions may be invalid. */
  readonly wasExecuted: boolean
}

export interface TracedTransaction {
  readonly hash: Hex
  readonly tx: TransactionFields
}

/**
 * A block of the chain for tracing. Use it in the turn of the event loop in which it was made: its
 * state is retained only once an execution begins.
 *
 * @throws {RefusedError} if it is the genesis block, or the state before it is no longer kept
 */
export function tracedBlock(chain: Chain, block: SealedBlock | PendingView): TracedBlock {
  const isPending = 'environment' in block
  const parent = isPending ? block.environment.parent : parentOf(chain, block)
  const { header, hash, rules } = isPending
    ? { header: block.environment, hash: undefined, rules: block.environment.rules }
    : block
  return {
    parentState: chain.store.view(parent.version),
    parentHash: parent.hashBytes,
    context: executionTarget(chain, block).block,
    parentBeaconBlockRoot: header.parentBeaconBlockRoot ?? ZERO_HASH,
    rules,
    hash,
    transactions: block.executed.map(({ transaction }) => ({
      hash: transaction.hash,
      tx: transaction,
    })),
    steps: block.steps,
    wasExecuted: true,
  }
}

function parentOf({ history }: Chain, { number }: SealedBlock): SealedBlock {
  // In geth's words.
  if (number === 0) throw new RefusedError('genesis is not traceable')
  const parent = history.byNumber(number - 1)
  if (parent === undefined) {
    throw new RefusedError(
      `cannot trace in block ${number}: the state before it is not kept; start with a larger --keep-blocks, or with 0 to keep all`,
    )
  }
  return parent
}

/** Applies to `overlay` what the block changes before its first transaction. */
export function openTracedBlock(
  overlay: Overlay,
  { context, rules, parentHash, parentBeaconBlockRoot }: TracedBlock,
): void {
  const writes = openingWrites({ ...context, parentHash, parentBeaconBlockRoot }, overlay, rules)
  if (writes !== undefined) overlay.apply(writes)
}

/**
 * Decodes a block: one of the chain, or any other whose parent is in the chain.
 *
 * @param bytes - RLP of the block
 * @param signal - ends the decoding when aborted
 * @throws {RefusedError} if the bytes are not a block, its parent is unknown, or a transaction is
 * refused
 */
export async function decodeTracedBlock(
  chain: Chain,
  bytes: Uint8Array,
  signal: AbortSignal,
): Promise<TracedBlock> {
  const { engine, history } = chain
  const decoded = decode(bytes, chain)
  const known = history.byHash(toHex(decoded.hash))
  if (known !== undefined) return tracedBlock(chain, known)
  const { header } = decoded
  const rules = engine.schedule.at(header.number, header.timestamp)
  const executor = await engine.executor(rules)
  const transactions: TracedTransaction[] = []
  const scheduler = new Scheduler({ signal })
  for (const raw of decoded.transactions) {
    const pause = scheduler.yieldIfDue()
    if (pause !== undefined) await pause
    const { fields, hash } = executor.identify(executor.decode(raw))
    transactions.push({ hash: toHex(hash), tx: fields })
  }
  const parent = history.byHash(toHex(header.parentHash))
  if (parent === undefined || BigInt(parent.number) + 1n !== header.number) {
    throw new RefusedError(`parent ${toHex(header.parentHash)} of block ${header.number} not found`)
  }
  return {
    parentState: chain.store.view(parent.version),
    parentHash: header.parentHash,
    context: headerContext({ header, rules }),
    parentBeaconBlockRoot: header.parentBeaconBlockRoot ?? ZERO_HASH,
    rules,
    hash: toHex(decoded.hash),
    transactions,
    steps: [],
    wasExecuted: false,
  }
}

function decode(bytes: Uint8Array, { engine }: Chain): DecodedBlock {
  try {
    return decodeBlock(bytes, engine.crypto.keccak256)
  } catch (error) {
    if (!(error instanceof RlpError)) throw error
    throw new RefusedError(`could not decode block: it ${error.message}`, { cause: error })
  }
}
