import type { RpcContext } from './context.ts'
import type { Caller } from './method.ts'

/** ms that a tick on arrival (tick interval 0) is waited for at least, on a busy machine. */
const SHORTEST_WAIT = 1000

/** Longest `setTimeout`, in ms. */
const LONGEST_WAIT = 2 ** 31 - 1

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
  const longest = Math.max(SHORTEST_WAIT, Math.min(2 * clocks.ticks.interval, LONGEST_WAIT))
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
