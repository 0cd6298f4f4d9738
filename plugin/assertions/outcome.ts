import { setTimeout } from 'node:timers/promises'
import { MAX_TIMER_DELAY } from '../../devnet/pluginApi.ts'

/** Result of a check. */
export interface Outcome {
  readonly pass: boolean
  /** Failure message: of the assertion, or, if it passes, of its opposite. */
  readonly message: string
  readonly expected: unknown
  readonly actual: unknown
}

/** How long an assertion waits. */
export interface WaitOptions {
  /**
   * ms of real time to wait for what is asserted. Default: 1,000, or five tick intervals if that is
   * more; for `toBeSealed`, one seal interval in addition.
   */
  readonly timeout?: number | undefined
}

export interface CheckOptions extends WaitOptions {
  /** `true` asserts the opposite: one look, after the next tick if it is due. Default: false */
  readonly negated?: boolean
}

/** One look at the node. */
export interface Look {
  readonly outcome: Outcome
  /** Whether later looks would find the same. */
  readonly final: boolean
}

/** ms between two looks. */
const PAUSE = 20

/** ms that an answer may be late; a later one waits for a tick. */
const GRACE = 100

/** The time limit of an assertion. */
export interface Limit {
  /** Resolves with the answer, or with `undefined` if there is none in time. */
  within<T>(answer: Promise<T>): Promise<T | undefined>
}

/**
 * The outcome of the first look that is final, or of the last one in time.
 *
 * @param defaultTimeout - ms for all looks if `timeout` is not given; called if the first look is
 * not final
 * @throws {TypeError} if `timeout` is not a valid delay
 */
export async function lookUntilFinal(
  { negated, timeout }: CheckOptions,
  defaultTimeout: () => Promise<number>,
  look: (limit: Limit) => Promise<Look>,
): Promise<Outcome> {
  const ended = new AbortController()
  // Timers of this module are real even if a test fakes the global ones.
  const pause = (ms: number) => setTimeout(ms, undefined, { signal: ended.signal })
  let over = false
  const begin = (ms: number) => {
    const reached = pause(ms).then(() => {
      over = true
    })
    // Aborted if the outcome comes first.
    reached.catch(() => undefined)
    return { ms, reached }
  }
  let time = timeout === undefined ? undefined : begin(checkedTimeout(timeout))
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

function checkedTimeout(timeout: number): number {
  if (Number.isInteger(timeout) && timeout >= 0 && timeout <= MAX_TIMER_DELAY) return timeout
  throw new TypeError(`timeout is a number of ms from 0 to ${MAX_TIMER_DELAY}, not ${timeout}.`)
}
