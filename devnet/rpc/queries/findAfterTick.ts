import type { Chain, TransactionLocation } from '../../chain/chain.ts'
import { seenTransaction } from '../../json/resolveBlock.ts'
import { afterwards } from '../../primitives/afterwards.ts'
import type { Hex } from '../../primitives/hex.ts'
import { hasRoom } from '../../protocol/blockGas.ts'
import type { ChainTransaction } from '../../protocol/transaction.ts'
import type { RpcContext } from '../context.ts'
import type { Caller, OwnWrites } from '../method.ts'

/**
 * Like {@link findSubmitted}, but if the next tick can take the transaction, reads it after that
 * tick: a client that first finds it in the mempool, or without a receipt, would wait for the seal.
 * Does not wait behind a nonce gap, with frozen ticks, with the options `revealMempool`,
 * `readOwnWrites` and `receipts` sealed, or in other profiles than `plain`.
 */
export function findAfterTick<Result>(
  context: RpcContext,
  hash: Hex,
  caller: Caller,
  read: (found: TransactionLocation) => Result,
): Result | null | Promise<Result | null> {
  const readAfterTick = async () => {
    await waitForTick(context, caller, hash, context.options.syncTimeout)
    const found = seenTransaction(context, hash)
    return found === undefined ? null : read(found)
  }
  return findSubmitted<Result | null>(context, hash, (found) =>
    waitsForTick(found, context) ? readAfterTick() : read(found),
  )
}

/**
 * Waits until a tick has taken a transaction from the mempool or passed it by. A tick at work when
 * the wait begins may have begun without the transaction, so only a later one passes it by, and
 * none does while other transactions fill it.
 *
 * Ends also if the transaction is gone, no tick will take it because ticks are frozen, the client
 * hangs up, or the node stops.
 *
 * @param timeout - ms after which the wait ends in any case, so that a late tick is awaited
 */
export async function waitForTick(
  { chain, clocks, options }: Pick<RpcContext, 'chain' | 'clocks' | 'options'>,
  { signal }: Pick<Caller, 'signal'>,
  hash: Hex,
  timeout: number,
): Promise<void> {
  if (signal.aborted) return
  const waiting = () => {
    const found = chain.findTransaction(hash)
    return found?.at === 'mempool' && found.runnable && clocks.ticks.running ? found : undefined
  }
  /** True if a later tick can take what a tick left: it has lacked only time or gas so far. */
  const canFollow = ({ transaction }: { transaction: ChainTransaction }, executed: number) => {
    const { environment, gas, ticks } = chain.pending
    const { gasLimit, rules } = environment
    if (transaction.maxFeePerGas < environment.baseFeePerGas) return false
    // Later slices of the block have more gas.
    if (options.slices > 1 && ticks < options.slices) return true
    // In a full block a tick takes none, but the next block has room.
    const isFull = !hasRoom(gas, transaction.gasLimit, gasLimit, rules)
    return executed > 0 || (isFull && clocks.seals.running)
  }
  const { promise: ended, resolve } = Promise.withResolvers<undefined>()
  const end = () => resolve(undefined)
  const look = () => {
    if (waiting() === undefined) end()
  }
  const timer = setTimeout(end, timeout)
  signal.addEventListener('abort', end, { once: true })
  const endings = [chain.events.written.add(look), chain.events.replaced.add(look)]
  const begun = chain.ticksBegun
  try {
    for (;;) {
      const tick = await Promise.race([chain.nextTick(), ended])
      const found = waiting()
      if (tick === undefined || found === undefined) return
      if (tick.number > begun && !canFollow(found, tick.executed)) return
    }
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', end)
    for (const stop of endings) stop()
  }
}

/**
 * Reads of a look-up by hash: ticks decide on what is not known, or in the mempool. With the option
 * `receipts` sealed, none shows anything.
 */
export function readsUnplaced(
  { chain, options }: Pick<RpcContext, 'chain' | 'options'>,
  hash: Hex,
): OwnWrites | undefined {
  if (options.receipts === 'sealed') return undefined
  const at = chain.findTransaction(hash)?.at
  return at === undefined || at === 'mempool' ? 'outcome of ticks' : undefined
}

/** The context of a tool that finds what is pre-confirmed, whatever the option `receipts` says. */
export function withPreconfirmed(context: RpcContext): RpcContext {
  const { options } = context
  if (options.receipts === 'preconfirmed') return context
  return { ...context, options: { ...options, receipts: 'preconfirmed' } }
}

/** Calls `read` once all earlier submissions are accepted or refused: usually synchronously. */
export function afterSubmissions<Result>(
  chain: Chain,
  read: () => Result | Promise<Result>,
): Result | Promise<Result> {
  return afterwards(chain.sent(), read)
}

/** Reads a transaction, even one on its way into the mempool; `null` if the request sees none. */
export function findSubmitted<Result>(
  context: Pick<RpcContext, 'chain' | 'options' | 'sight'>,
  hash: Hex,
  read: (found: TransactionLocation) => Result | Promise<Result>,
): Result | null | Promise<Result | null> {
  const find = () => seenTransaction(context, hash)
  const found = find()
  if (found !== undefined) return read(found)
  return afterSubmissions(context.chain, () => {
    const later = find()
    return later === undefined ? null : read(later)
  })
}

function waitsForTick(
  found: TransactionLocation,
  { clocks, options, sight }: Pick<RpcContext, 'clocks' | 'options' | 'sight'>,
): boolean {
  // With `readOwnWrites`, a tick has taken the transaction or passed it by before this is called.
  const { revealMempool, readOwnWrites, receipts } = options
  if (revealMempool || readOwnWrites || receipts === 'sealed' || sight !== undefined) return false
  if (!clocks.ticks.running) return false
  return found.at === 'mempool' && found.runnable
}
