import type { Chain, TransactionLocation } from '../../chain/chain.ts'
import type { Hex } from '../../primitives/hex.ts'
import { MAX_TIMER_DELAY } from '../../primitives/timers.ts'
import type { RpcContext } from '../context.ts'
import type { Caller } from '../method.ts'

/** ms that a tick on arrival (tick interval 0) is waited for at least, on a busy machine. */
const SHORTEST_WAIT = 1000

/** What {@link waitForTick} waits for; asked after each tick. */
export interface Awaited {
  /** Whether a tick has taken it. */
  taken(): boolean
  /** Whether another tick can take what one has left because its time or its gas was up. */
  fits(): boolean
}

/**
 * Waits for the tick that takes what waits now: the next one, or where a tick may have begun already, the one after
 * it; and for more of them while they take others and have no time left for it. Ends early when the client hangs up,
 * and after two tick intervals, but not before a second is over, in any case, as the ticks may be frozen meanwhile.
 */
export async function waitForTick(
  { chain, clocks }: Pick<RpcContext, 'chain' | 'clocks'>,
  { signal }: Pick<Caller, 'signal'>,
  awaited: Awaited,
): Promise<void> {
  if (signal.aborted) return
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
    for (let due = chain.busy ? 2 : 1; !awaited.taken(); due--) {
      if (due <= 0 && !(tookSome && awaited.fits())) return
      tookSome = false
      if ((await Promise.race([chain.nextTick(), ended])) === 'ended') return
    }
  } finally {
    endTicks()
    clearTimeout(timer)
    signal.removeEventListener('abort', end)
  }
}

/** What `read` finds in the mempool once all that was sent before is accepted or refused: at once, but for load. */
export function afterSubmissions<Result>(
  chain: Pick<Chain, 'settled'>,
  read: () => Result,
): Result | Promise<Result> {
  const settled = chain.settled()
  return settled === undefined ? read() : settled.then(read)
}

/** Where a transaction is; one that was sent just before may still be on its way into the mempool. */
export function findSubmitted(
  chain: Pick<Chain, 'findTransaction' | 'settled'>,
  hash: Hex,
): TransactionLocation | undefined | Promise<TransactionLocation | undefined> {
  const find = () => chain.findTransaction(hash)
  return find() ?? afterSubmissions(chain, find)
}

/**
 * Where a transaction is; one that the next tick can take is looked for after the tick that takes it, because clients that see it
 * in the mempool first, or have no receipt at their first look, wait for the seal. With ticks frozen, a nonce gap or
 * `revealMempool`, at once.
 */
export function findAfterTick(
  context: RpcContext,
  hash: Hex,
  caller: Caller,
): TransactionLocation | undefined | Promise<TransactionLocation | undefined> {
  const found = findSubmitted(context.chain, hash)
  return found instanceof Promise
    ? found.then((later) => afterItsTick(context, hash, later, caller))
    : afterItsTick(context, hash, found, caller)
}

function afterItsTick(
  context: RpcContext,
  hash: Hex,
  found: TransactionLocation | undefined,
  caller: Caller,
): TransactionLocation | undefined | Promise<TransactionLocation | undefined> {
  if (found === undefined || !waitsForTick(found, context)) return found
  const { chain } = context
  const find = () => chain.findTransaction(hash)
  const awaited = {
    taken: () => find()?.at !== 'mempool',
    fits: () => {
      const place = find()
      if (place?.at !== 'mempool' || !place.runnable) return false
      return place.transaction.maxFeePerGas >= chain.pending.environment.baseFeePerGas
    },
  }
  return waitForTick(context, caller, awaited).then(find)
}

function waitsForTick(
  found: TransactionLocation,
  { clocks, options }: Pick<RpcContext, 'clocks' | 'options'>,
): boolean {
  return found.at === 'mempool' && found.runnable && clocks.ticks.running && !options.revealMempool
}
