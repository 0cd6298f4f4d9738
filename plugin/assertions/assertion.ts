import { AssertionError } from 'node:assert'
import type { CheckOptions, Outcome, WaitOptions } from './outcome.ts'

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
