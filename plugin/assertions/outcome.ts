import { setTimeout } from 'node:timers/promises'
import { MAX_TIMER_DELAY } from '../../devnet/pluginApi.ts'
import type { NodeLike } from './arguments.ts'

export interface Outcome {
  readonly pass: boolean
  /** Failure message: of the assertion if `pass` is false, otherwise of the negated assertion. */
  readonly message: string
  readonly expected: unknown
  readonly actual: unknown
}

/** Limits of an assertion's wait. */
export interface WaitOptions {
  /**
   * ms of real time to wait for what is asserted. Default: 1,000, or five tick intervals if that is
   * more; plus one seal interval for `toBeSealed`, `toBeDroppedAfterPreconfirmation` and the
   * functions `assertSealed` and `assertDroppedAfterPreconfirmation`.
   */
  readonly timeout?: number | undefined
}

/**
 * The work of an assertion, of which its functions and its matcher are made.
 *
 * @param negated - true to assert the opposite: it looks once, after the next tick if that matters
 */
export type Check<Args extends unknown[] = [options?: WaitOptions | undefined]> = (
  negated: boolean,
  subject: unknown,
  node: NodeLike,
  ...args: Args
) => Promise<Outcome>

/** One look at what an assertion, or a wait, is about. */
export interface Look {
  readonly pass: boolean
  /** Follows `but` in the message. */
  readonly found: string
  readonly actual: unknown
  /** True if a later look would find the same. */
  readonly final: boolean
}

/** ms between two looks. */
const PAUSE = 20

/**
 * Time in ms after the timeout in which an answer still counts; later, the node must await a tick.
 */
const GRACE = 100

export interface Limit {
  /** Resolves with the answer, or with `undefined` if there is none in time. */
  within<T>(answer: Promise<T>): Promise<T | undefined>
}

/**
 * Looks until a look is final or the time is up, and returns the last one. With `negated`, looks
 * once.
 *
 * @param defaultTimeout - returns the ms for all looks; called if `timeout` is not given and the
 * first look is not final
 * @throws {TypeError} if `timeout` is not a valid delay
 */
export async function lookUntilFinal(
  { negated, timeout }: WaitOptions & { readonly negated: boolean },
  defaultTimeout: () => Promise<number>,
  look: (limit: Limit) => Promise<Look>,
): Promise<Look> {
  const ended = new AbortController()
  // Timers of `node:timers/promises` are real even if a test fakes the global ones.
  const pause = (ms: number) => setTimeout(ms, undefined, { signal: ended.signal })
  let over = false
  const begin = (ms: number) => {
    const reached = pause(ms).then(() => {
      over = true
    })
    // The timer is aborted, and rejects, if there is an outcome before the timeout.
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
      const last = await look(limit)
      if (last.final || negated) return last
      time ??= begin(await defaultTimeout())
      if (!over) await Promise.race([pause(PAUSE), time.reached])
      if (over) return { ...last, found: `${last.found} (waited ${time.ms} ms)` }
    }
  } finally {
    ended.abort()
  }
}

/** Looks as {@link lookUntilFinal} does; the message says what `subject` was `wanted` to. */
export async function outcomeOf(
  { subject, wanted, expected }: { subject: string; wanted: string; expected: unknown },
  ...looking: Parameters<typeof lookUntilFinal>
): Promise<Outcome> {
  const { pass, found, actual } = await lookUntilFinal(...looking)
  const message = `expected ${subject} ${pass ? 'not ' : ''}to ${wanted}, but ${found}`
  return { pass, message, expected, actual }
}

function checkedTimeout(timeout: number): number {
  if (Number.isInteger(timeout) && timeout >= 0 && timeout <= MAX_TIMER_DELAY) return timeout
  throw new TypeError(`timeout is a number of ms from 0 to ${MAX_TIMER_DELAY}, not ${timeout}.`)
}
