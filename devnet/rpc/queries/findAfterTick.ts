import type { Chain, TransactionLocation } from '../../chain/chain.ts'
import type { Hex } from '../../primitives/hex.ts'
import { MAX_TIMER_DELAY } from '../../primitives/timers.ts'
import type { RpcContext } from '../context.ts'
import type { Caller } from '../method.ts'

/** Minimum timeout in ms: with tick interval 0, a busy machine still needs time for the tick. */
const SHORTEST_WAIT = 1000

/**
 * Waits for the tick that takes a transaction from the mempool: the next one, or the one after it
 * if a tick may have begun. Waits for further ticks while other transactions fill them.
 *
 * Gives up if the client hangs up, or after two tick intervals (at least a second), because ticks
 * may be frozen meanwhile.
 */
async function waitForTick(
  { chain, clocks }: Pick<RpcContext, 'chain' | 'clocks'>,
  { signal }: Pick<Caller, 'signal'>,
  hash: Hex,
): Promise<void> {
  if (signal.aborted) return
  const isTaken = () => chain.findTransaction(hash)?.at !== 'mempool'
  /** Whether a later tick can take the transaction, i.e. it has lacked only time or gas so far. */
  const fits = () => {
    const found = chain.findTransaction(hash)
    if (found?.at !== 'mempool' || !found.runnable) return false
    return found.transaction.maxFeePerGas >= chain.pending.environment.baseFeePerGas
  }
  const { promise: ended, resolve } = Promise.withResolvers<'ended'>()
  const end = () => resolve('ended')
  const longest = Math.max(SHORTEST_WAIT, Math.min(2 * clocks.ticks.interval, MAX_TIMER_DELAY))
  const timer = setTimeout(end, longest)
  signal.addEventListener('abort', end, { once: true })
  let tookSome = false
  const endTicks = chain.onTick(() => {
    tookSome = true
  })
  try {
    for (let due = chain.busy ? 2 : 1; !isTaken(); due--) {
      if (due <= 0 && !(tookSome && fits())) return
      tookSome = false
      if ((await Promise.race([chain.nextTick(), ended])) === 'ended') return
    }
  } finally {
    endTicks()
    clearTimeout(timer)
    signal.removeEventListener('abort', end)
  }
}

/** Calls `read` once all earlier submissions are accepted or refused: usually synchronously. */
export function afterSubmissions<Result>(
  chain: Pick<Chain, 'settled'>,
  read: () => Result | Promise<Result>,
): Result | Promise<Result> {
  const settled = chain.settled()
  return settled === undefined ? read() : settled.then(read)
}

/** Reads a transaction, even one on its way into the mempool; `null` if there is none. */
export function findSubmitted<Result>(
  chain: Pick<Chain, 'findTransaction' | 'settled'>,
  hash: Hex,
  read: (found: TransactionLocation) => Result | Promise<Result>,
): Result | null | Promise<Result | null> {
  const find = () => chain.findTransaction(hash)
  const found = find()
  if (found !== undefined) return read(found)
  return afterSubmissions(chain, () => {
    const later = find()
    return later === undefined ? null : read(later)
  })
}

/**
 * Like {@link findSubmitted}, but if the next tick can take the transaction, reads it after that
 * tick: a client that first finds it in the mempool, or without a receipt, would wait for the seal.
 * Does not wait behind a nonce gap, with frozen ticks, or with the option `revealMempool`.
 */
export function findAfterTick<Result>(
  context: RpcContext,
  hash: Hex,
  caller: Caller,
  read: (found: TransactionLocation) => Result,
): Result | null | Promise<Result | null> {
  const { chain } = context
  const readAfterTick = async () => {
    await waitForTick(context, caller, hash)
    const found = chain.findTransaction(hash)
    return found === undefined ? null : read(found)
  }
  return findSubmitted<Result | null>(chain, hash, (found) =>
    waitsForTick(found, context) ? readAfterTick() : read(found),
  )
}

function waitsForTick(
  found: TransactionLocation,
  { clocks, options }: Pick<RpcContext, 'clocks' | 'options'>,
): boolean {
  return found.at === 'mempool' && found.runnable && clocks.ticks.running && !options.revealMempool
}
