import type { Chain, TransactionLocation } from '../../chain/chain.ts'
import type { Hex } from '../../primitives/hex.ts'
import { MAX_TIMER_DELAY } from '../../primitives/timers.ts'
import type { RpcContext } from '../context.ts'
import type { Caller } from '../method.ts'

/** Minimum wait in ms, for ticks on arrival (tick interval 0) on a busy machine. */
const SHORTEST_WAIT = 1000

/** What {@link waitForTick} waits for; asked after each tick. */
interface Awaited {
  /** Whether a tick has taken it. */
  taken(): boolean
  /** Whether another tick can take it after one has left it for lack of time or gas. */
  fits(): boolean
}

/**
 * Waits for the tick that takes what waits now: the next one, or the one after it if a tick may
 * have begun. Waits for more while ticks take other transactions and run out of time or gas.
 *
 * Ends early if the client hangs up, and after two tick intervals but at least a second, because
 * the ticks may be frozen meanwhile.
 */
async function waitForTick(
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

/** Calls `read` once everything sent before is accepted or refused: at once, except under load. */
export function afterSubmissions<Result>(
  chain: Pick<Chain, 'settled'>,
  read: () => Result,
): Result | Promise<Result> {
  const settled = chain.settled()
  return settled === undefined ? read() : settled.then(read)
}

/** The location of a transaction, which may still be on its way into the mempool. */
export function findSubmitted(
  chain: Pick<Chain, 'findTransaction' | 'settled'>,
  hash: Hex,
): TransactionLocation | undefined | Promise<TransactionLocation | undefined> {
  const find = () => chain.findTransaction(hash)
  return find() ?? afterSubmissions(chain, find)
}

/**
 * The location of a transaction, after the tick that takes it if the next one can: clients that see
 * it in the mempool first, or find no receipt at first, would wait for the seal. At once with ticks
 * frozen, behind a nonce gap or with `revealMempool`.
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
      const location = find()
      if (location?.at !== 'mempool' || !location.runnable) return false
      return location.transaction.maxFeePerGas >= chain.pending.environment.baseFeePerGas
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
