import { DevnetError } from '../primitives/errors.ts'
import type { Hex } from '../primitives/hex.ts'
import type { SealedBlock } from '../protocol/block.ts'
import { isOpeningDeposit } from '../protocol/rollup/openingDeposits.ts'
import type { ChainTransaction } from '../protocol/transaction.ts'
import { checkAdmission } from './admission.ts'
import type { BlockProducer, ReserveRequest } from './building/blockProducer.ts'
import type { Replacement } from './building/dryRun.ts'
import { openPendingBlock } from './building/openPendingBlock.ts'
import { reportAbandoned, reportTick } from './chainEvents.ts'
import type { ChainState } from './chainState.ts'
import type { NextBlockOverrides } from './chainWork.ts'
import { ReservedRange } from './reservedRange.ts'
import type { Snapshots } from './snapshots.ts'

/** Transactions by the number of the block that is to hold them. */
type BlockContents = ReadonlyMap<number, readonly ChainTransaction[]>

/** A reorganisation: the newest sealed blocks are replaced by as many others. */
export interface ReorgRequest {
  /** Number of blocks, counted from the newest one; 0 changes nothing. */
  readonly depth: number
  /**
   * True if the transactions of the abandoned blocks wait in the mempool again, as on geth, unless
   * a new block has them. Otherwise they are dropped, as on anvil.
   */
  readonly requeues: boolean
  /**
   * Returns the transactions of the new blocks, in their order. Default: the new blocks are empty
   *
   * @param common - the newest block that stays
   */
  readonly fill?: (common: SealedBlock) => BlockContents
  /** Lets others run after each new block; rejects once the node stops. Default: nobody can. */
  readonly pause?: () => Promise<void>
}

export interface Reorg {
  /** The newest block that stays. */
  readonly common: SealedBlock
  /** Hashes from the abandoned blocks that wait in the mempool again, in the order of the chain. */
  readonly requeued: readonly Hex[]
  /** Hashes that were pre-confirmed and wait in the mempool again, in their order. */
  readonly unconfirmed: readonly Hex[]
  /** Hashes that are in no block and do not wait either; {@link Chain.dropped} says why. */
  readonly dropped: readonly Hex[]
}

/** The parts of a chain that {@link reorganise} works with. */
interface Parts {
  readonly state: ChainState
  readonly producer: BlockProducer
  readonly snapshots: Snapshots
  /** Seals the pending block, and opens the one after it with these overrides. */
  readonly seal: (next: NextBlockOverrides) => Promise<unknown>
  /** See {@link BlockProducer.reserve}. */
  readonly reserve: (request: ReserveRequest) => unknown
}

/** The transactions of the new blocks, on the state that they begin with. */
export function newReplacement(
  { depth, fill }: ReorgRequest,
  { store }: ChainState,
  snapshots: Snapshots,
): Replacement {
  const common = snapshots.blockBefore(depth, 'Reorg')
  const contents = fill?.(common) ?? new Map<number, ChainTransaction[]>()
  const numbers = [...contents.keys()].sort((a, b) => a - b)
  const transactions = numbers.flatMap((number) => contents.get(number) ?? [])
  return { transactions, on: store.view(common.version) }
}

/**
 * Replaces the newest sealed blocks. A new block has number, timestamp, gas limit and fee recipient
 * of the one that it replaces; its prevRandao is that one's hash, so that its own hash is another.
 * Reserved blocks are replaced by reserved ones. Settings, time and choices for the next block
 * stay. What was pre-confirmed waits in the mempool again. Deposits of the OP Stack stay in their
 * blocks, before all others: L1 has decided on them.
 *
 * If the node stops meanwhile, the blocks that are left become empty ones: the chain must not end
 * up shorter.
 *
 * @throws {DevnetError} and what `fill` throws; nothing has
 *   changed then
 */
export async function reorganise(
  { depth, requeues, fill, pause }: ReorgRequest,
  { state, producer, snapshots, seal, reserve }: Parts,
): Promise<Reorg> {
  const { work, mempool, pending } = state
  const common = snapshots.blockBefore(depth, 'Reorg')
  if (depth === 0) return { common, requeued: [], unconfirmed: [], dropped: [] }
  const filled: BlockContents = fill?.(common) ?? new Map()
  const abandoned = snapshots.forgetAfter(common, work)
  const contents = withDeposits(abandoned, filled)
  const { signal } = state.closing
  const places = separate(abandoned, contents)
  const overridesAt = (index: number) => {
    const place = places[index]
    return place === undefined ? work.next : overridesOf(place)
  }
  state.update({ next: overridesAt(0) })
  state.publish(openPendingBlock(state), { isReorg: true })
  const preconfirmed = pending.executed.map(({ transaction }) => transaction).filter(isSent)
  const sealed = transactionsOf(abandoned)
  state.putBack(requeues ? [...sealed.keys(), ...preconfirmed] : preconfirmed)
  reportAbandoned(state.events, abandoned)
  for (const [index, place] of places.entries()) {
    const next = overridesAt(index + 1)
    if (place instanceof ReservedRange) {
      const count = place.last - place.first + 1
      reserve({ count, step: place.headers.origin.step, open: () => next })
    } else {
      const transactions = signal.aborted ? [] : (contents.get(place.number) ?? [])
      let missing: ReadonlySet<ChainTransaction> = new Set()
      if (transactions.length > 0) {
        const start = performance.now()
        const included = await producer.include(transactions)
        missing = included.missing
        reportTick(state.events, included, { view: state.pending, isAtSeal: false, start })
      }
      for (const one of transactions) dropIfLost(one, missing.has(one), state)
      await seal(next)
    }
    await pause?.().catch((error: unknown) => {
      if (!signal.aborted) throw error
    })
  }
  const isWaiting = ({ hash }: ChainTransaction) => mempool.get(hash) !== undefined
  const isLost = (one: ChainTransaction) =>
    !isWaiting(one) && state.history.transaction(one.hash) === undefined
  if (!requeues) {
    for (const [one, number] of sealed) {
      const reason = `block ${number}, which held it, was reorganised`
      if (isLost(one)) state.drop({ hash: one.hash, reason, preconfirmed: true }, one)
    }
  }
  await producer.dropImpossible()
  const all = new Set([...sealed.keys(), ...preconfirmed, ...[...contents.values()].flat()])
  return {
    common,
    requeued: hashesOf([...sealed.keys()].filter(isWaiting)),
    unconfirmed: hashesOf(preconfirmed.filter(isWaiting)),
    dropped: [...new Set(hashesOf([...all].filter(isLost)))],
  }
}

/** Contents of the new blocks, with the deposits of those that they replace. */
function withDeposits(
  abandoned: readonly (SealedBlock | ReservedRange)[],
  filled: BlockContents,
): BlockContents {
  const deposits = [...transactionsOf(abandoned)].filter(([{ deposit }]) => deposit !== undefined)
  const contents = new Map(filled)
  for (const [number, own] of Map.groupBy(deposits, ([, place]) => place)) {
    contents.set(number, [...own.map(([deposit]) => deposit), ...(filled.get(number) ?? [])])
  }
  return contents
}

/** The abandoned blocks; a reserved one that a new block with transactions replaces is alone. */
function separate(
  abandoned: readonly (SealedBlock | ReservedRange)[],
  contents: BlockContents,
): (SealedBlock | ReservedRange)[] {
  const numbers = [...contents.keys()].sort((a, b) => a - b)
  return abandoned.flatMap((entry) => {
    if (!(entry instanceof ReservedRange)) return entry
    const places: (SealedBlock | ReservedRange)[] = []
    let { first } = entry
    for (const number of numbers) {
      const block = number < first ? undefined : entry.at(number)
      if (block === undefined) continue
      if (number > first) places.push(entry.part(first, number - 1))
      places.push(block)
      first = number + 1
    }
    if (first <= entry.last) places.push(entry.part(first, entry.last))
    return places
  })
}

/** The common part of the new block and this one, or the first of these. */
function overridesOf(place: SealedBlock | ReservedRange): NextBlockOverrides {
  const { header, hashBytes } =
    place instanceof ReservedRange ? (place.at(place.first) ?? place.newest) : place
  const { timestamp, gasLimit, coinbase } = header
  return { timestamp, gasLimit, coinbase, prevRandao: hashBytes }
}

/** The transactions of blocks, in order, each with the number of its block. */
function transactionsOf(
  blocks: readonly (SealedBlock | ReservedRange)[],
): ReadonlyMap<ChainTransaction, number> {
  const all = new Map<ChainTransaction, number>()
  for (const block of blocks) {
    if (block instanceof ReservedRange) continue
    for (const { transaction } of block.executed) {
      if (isSent(transaction)) all.set(transaction, block.number)
    }
  }
  return all
}

/** True if a transaction is not one that the chain makes for each block anew. */
function isSent(transaction: ChainTransaction): boolean {
  return !isOpeningDeposit(transaction)
}

/** Names the reason for which a transaction did not run in the block that was to hold it. */
function dropIfLost(transaction: ChainTransaction, isMissing: boolean, state: ChainState): void {
  const { mempool, pending, pendingIndex, work } = state
  const { hash, nonce, senderKey } = transaction
  const isKnown = pendingIndex.has(hash) || mempool.get(hash) !== undefined
  if (isKnown || work.dropped.some((one) => one.hash === hash)) return
  const next = pending.state.account(senderKey)?.nonce ?? 0n
  let reason = nonce > next ? `nonce gap: next nonce ${next}, tx nonce ${nonce}` : 'no room'
  if (isMissing) reason = 'the upstream does not give what it reads'
  try {
    checkAdmission(transaction, pending.state, pending.environment)
  } catch (error) {
    if (!(error instanceof DevnetError)) throw error
    reason = error.message
  }
  reason = `block ${pending.environment.number} could not hold it: ${reason}`
  state.drop({ hash, reason }, transaction)
}

function hashesOf(transactions: readonly ChainTransaction[]): Hex[] {
  return transactions.map(({ hash }) => hash)
}
