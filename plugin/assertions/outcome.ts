import { setTimeout } from 'node:timers/promises'
import type { Status } from '../../devnet/types.ts'

/** What an assertion found. */
export interface Outcome {
  readonly pass: boolean
  /** What is wrong: with `pass`, where the opposite was asserted. */
  readonly message: string
  readonly expected: unknown
  readonly actual: unknown
}

/** How long an assertion waits. */
export interface WaitOptions {
  /**
   * ms of real time to wait for what is asserted. Default: 1,000, or five tick intervals where that is more; for
   * `toBeSealed`, and one seal interval.
   */
  readonly timeout?: number | undefined
}

/** How a check is made. */
export interface CheckOptions extends WaitOptions {
  /** Whether the opposite is asserted: then there is one look, after the tick that takes what waits for one. */
  readonly negated: boolean
}

/** One look at the node. */
export interface Look {
  readonly outcome: Outcome
  /** Whether a later look can find nothing else. */
  readonly final: boolean
}

/** ms between two looks. */
const PAUSE = 20

/** ms that an answer may be late: one that is later waits for a tick. */
const GRACE = 100

/** The time that an assertion has. */
export interface Limit {
  /** The answer, or `undefined` where it is not there when the time is over. */
  within<T>(answer: Promise<T>): Promise<T | undefined>
}

/**
 * The outcome of the first look that is final, or of the last one in time.
 *
 * @param defaultTimeout - ms that looks may take where `timeout` is not given, and the first look is not final
 * @throws {TypeError} when `timeout` is no time
 */
export async function lookUntilFinal(
  { negated, timeout }: CheckOptions,
  defaultTimeout: () => Promise<number>,
  look: (limit: Limit) => Promise<Look>,
): Promise<Outcome> {
  const ended = new AbortController()
  // Timers of this module are real ones, also where a test has faked the global ones.
  const pause = (ms: number) => setTimeout(ms, undefined, { signal: ended.signal })
  let over = false
  const begin = (ms: number) => {
    const reached = pause(ms).then(() => {
      over = true
    })
    // Aborted where the outcome is there first.
    reached.catch(() => undefined)
    return { ms, reached }
  }
  let time = timeout === undefined ? undefined : begin(checked(timeout))
  const limit: Limit = {
    within: (answer) =>
      time === undefined ? answer : Promise.race([answer, time.reached.then(() => pause(GRACE))]),
  }
  try {
    for (;;) {
      const { outcome, final } = await look(limit)
      if (final || negated) return outcome
      time ??= begin(await defaultTimeout())
      if (!over) await Promise.race([pause(PAUSE), time.reached])
      if (over) return { ...outcome, message: `${outcome.message} (waited ${time.ms} ms)` }
    }
  } finally {
    ended.abort()
  }
}

/** ms in which a tick should have taken what can be taken. */
export function tickTimeout({ ticks }: Status): number {
  return Math.max(1000, 5 * ticks.interval)
}

function checked(timeout: number): number {
  if (Number.isInteger(timeout) && timeout >= 0 && timeout < 2 ** 31) return timeout
  throw new TypeError(`timeout is a number of ms from 0 to 2147483647, not ${String(timeout)}.`)
}
