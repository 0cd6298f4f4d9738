import { AssertionError } from 'node:assert'
import { setTimeout } from 'node:timers/promises'
import type { Hex } from '../../devnet/primitives/hex.ts'
import type { Status } from '../../devnet/types.ts'
import { isObject } from '../node-answers.ts'
import { printable } from '../output/escape.ts'
import { type Ask, frozenTicks } from './node.ts'
import type { PoolTransaction, Sighting } from './sighting.ts'

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

/**
 * Makes a check into an assertion.
 *
 * @throws {AssertionError} when the outcome is not what is asserted
 */
export async function assertOutcome(
  operator: string,
  negated: boolean,
  { timeout }: WaitOptions,
  check: (options: CheckOptions) => Promise<Outcome>,
): Promise<void> {
  const { pass, message, actual, expected } = await check({ timeout, negated })
  if (pass === negated) throw new AssertionError({ message, actual, expected, operator })
}

/** What was seen of a transaction, in a few words, as the actual value of an assertion. */
export function place(seen: Sighting): string {
  switch (seen.at) {
    case 'pre-confirmed':
    case 'sealed':
      return `${seen.at} in block ${seen.block}`
    case 'gap':
      return 'queued behind a nonce gap'
    case 'mempool':
      return 'waiting in the mempool'
    default:
      return seen.at
  }
}

/** What was seen of a transaction, and why it is not pre-confirmed, as the end of a sentence. */
export async function describe(ask: Ask, seen: Sighting): Promise<string> {
  switch (seen.at) {
    case 'pre-confirmed':
      return `it is pre-confirmed in block ${seen.block}, which is not sealed`
    case 'sealed':
      return `it is sealed in block ${seen.block}`
    case 'gap':
      return `it is queued behind a nonce gap: the node expects nonce ${seen.expected} of ${seen.from}, it has ${seen.nonce}`
    case 'dropped':
      return `it was dropped: ${printable(seen.reason)}`
    case 'unknown':
      return 'the node does not know it'
    case 'mempool': {
      const why = frozenTicks(seen.status) ?? (await whyLeft(ask, seen.transaction))
      return why === undefined
        ? 'it waits in the mempool, and no tick has taken it yet'
        : `it waits in the mempool, and ${why}`
    }
  }
}

/** Why ticks leave a transaction that they could run. */
async function whyLeft(
  ask: Ask,
  transaction: PoolTransaction | undefined,
): Promise<string | undefined> {
  if (transaction === undefined) return undefined
  // `pending` is always there, and has these fields.
  const block = (await ask('eth_getBlockByNumber', 'pending', false)) as Record<
    'gasLimit' | 'gasUsed' | 'baseFeePerGas',
    Hex
  >
  if (!isObject(block)) return undefined
  const { gas, gasPrice } = transaction
  const free = BigInt(block.gasLimit) - BigInt(block.gasUsed)
  if (BigInt(gas) > free) {
    return `its gas limit of ${Number(gas)} is more than the ${free} left in the pending block: seal() first`
  }
  if (BigInt(gasPrice) < BigInt(block.baseFeePerGas ?? '0x0')) {
    return `it pays at most ${BigInt(gasPrice)} wei per gas, less than the base fee of ${BigInt(block.baseFeePerGas)}`
  }
  return undefined
}
