import type { RpcContext } from './context.ts'
import type { Caller } from './method.ts'

/** ms that a tick on arrival (tick interval 0) is waited for at least, on a busy machine. */
const SHORTEST_WAIT = 1000

/** Longest `setTimeout`, in ms. */
const LONGEST_WAIT = 2 ** 31 - 1

/**
 * Waits for the tick that takes what waits now: the next one, or where a tick may have begun already, the one after
 * it. Ends early when the client hangs up, and after two tick intervals in any case, as the ticks may be frozen
 * meanwhile.
 *
 * @param taken - whether what is waited for has been taken; asked after each tick
 */
export async function waitForTick(
  { chain, clocks }: Pick<RpcContext, 'chain' | 'clocks'>,
  { signal }: Pick<Caller, 'signal'>,
  taken: () => boolean,
): Promise<void> {
  if (signal.aborted) return
  const { promise: ended, resolve } = Promise.withResolvers<'ended'>()
  const end = () => resolve('ended')
  const longest = Math.max(SHORTEST_WAIT, Math.min(2 * clocks.ticks.interval, LONGEST_WAIT))
  const timer = setTimeout(end, longest)
  signal.addEventListener('abort', end, { once: true })
  try {
    const ticks = chain.busy ? 2 : 1
    for (let tick = 0; tick < ticks && !taken(); tick++) {
      if ((await Promise.race([chain.nextTick(), ended])) === 'ended') return
    }
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', end)
  }
}
