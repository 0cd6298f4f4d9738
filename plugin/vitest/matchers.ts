import { checkEmittedBeforeSeal } from '../assertions/emitted-before-seal.ts'
import type { ExpectedEvent } from '../assertions/expected-event.ts'
import type { NodeLike } from '../assertions/node.ts'
import type { CheckOptions, Outcome, WaitOptions } from '../assertions/outcome.ts'
import { checkPendingCode } from '../assertions/pending-code.ts'
import { checkPendingNonce } from '../assertions/pending-nonce.ts'
import { checkPreconfirmed } from '../assertions/preconfirmed.ts'
import { checkSealed } from '../assertions/sealed.ts'

/** What vitest binds to a matcher, as far as it is used. */
interface MatcherState {
  readonly isNot?: boolean
}

/** What vitest makes a failed assertion of. */
interface MatcherResult extends Omit<Outcome, 'message'> {
  message(): string
}

/** The matchers, as `expect.extend` takes them. */
export const matchers = {
  toBePreconfirmed(this: MatcherState, received: unknown, node: NodeLike, options?: WaitOptions) {
    return result(checkPreconfirmed(received, node, checkOptions(this, options)))
  },
  toBeSealed(this: MatcherState, received: unknown, node: NodeLike, options?: WaitOptions) {
    return result(checkSealed(received, node, checkOptions(this, options)))
  },
  toHavePendingCode(
    this: MatcherState,
    received: unknown,
    node: NodeLike,
    code?: string,
    options?: WaitOptions,
  ) {
    return result(checkPendingCode(received, node, code, checkOptions(this, options)))
  },
  toHavePendingNonce(
    this: MatcherState,
    received: unknown,
    node: NodeLike,
    nonce: number | bigint,
    options?: WaitOptions,
  ) {
    return result(checkPendingNonce(received, node, nonce, checkOptions(this, options)))
  },
  toEmitBeforeSeal(
    this: MatcherState,
    received: unknown,
    node: NodeLike,
    event: ExpectedEvent,
    options?: WaitOptions,
  ) {
    return result(checkEmittedBeforeSeal(received, node, event, checkOptions(this, options)))
  },
}

function checkOptions({ isNot }: MatcherState, options: WaitOptions = {}): CheckOptions {
  return { timeout: options.timeout, negated: isNot === true }
}

async function result(checked: Promise<Outcome>): Promise<MatcherResult> {
  const { message, ...outcome } = await checked
  return { ...outcome, message: () => message }
}
