import { AssertionError } from 'node:assert'
import type { AbiLike } from './abi-events.ts'
import { checkPendingCode, checkPendingNonce } from './account-checks.ts'
import type { AccountLike, NodeLike, TransactionLike } from './arguments.ts'
import type { ExpectedEvent } from './expected-event.ts'
import type { Check, WaitOptions } from './outcome.ts'
import {
  checkDroppedAfterPreconfirmation,
  checkEmittedBeforeSeal,
  checkPreconfirmed,
  checkSealed,
} from './transaction-checks.ts'

export type { AbiItem, AbiLike, AbiParameter } from './abi-events.ts'
export type { AccountLike, NodeLike, Requester, Sender, TransactionLike } from './arguments.ts'
export type { AbiEvent, EventName, ExpectedEvent, RawEvent } from './expected-event.ts'
export type { WaitOptions } from './outcome.ts'

type TransactionAssertion = (
  transaction: TransactionLike,
  node: NodeLike,
  options?: WaitOptions,
) => Promise<void>

type CodeAssertion = (
  account: AccountLike,
  node: NodeLike,
  code?: string,
  options?: WaitOptions,
) => Promise<void>

type NonceAssertion = (
  account: AccountLike,
  node: NodeLike,
  nonce: number | bigint,
  options?: WaitOptions,
) => Promise<void>

type EventAssertion = <const Abi extends AbiLike>(
  transaction: TransactionLike,
  node: NodeLike,
  event: ExpectedEvent<Abi>,
  options?: WaitOptions,
) => Promise<void>

/**
 * Asserts that a transaction is pre-confirmed: executed by a tick, and not sealed. Waits until it
 * is; if ticks are frozen, it fails at once.
 *
 * @param node - see {@link NodeLike}
 * @throws {AssertionError} with the transaction's state: unknown, behind a nonce gap, dropped (and
 * why), or already sealed
 * @throws {TypeError} if an argument is malformed, or the node is not a pending-node
 *
 * @example
 * await using devnet = createDevnet({ port: 0, frozen: true })
 * await devnet.start()
 * const [from] = await devnet.provider.request({ method: 'eth_accounts' })
 * const params = [{ from, to: from }]
 * const hash = await devnet.provider.request({ method: 'eth_sendTransaction', params })
 * await assertPreconfirmed(hash, devnet)
 * await assertNotSealed(hash, devnet)
 */
export const assertPreconfirmed: TransactionAssertion = assertion(
  'assertPreconfirmed',
  checkPreconfirmed,
)

/**
 * Asserts that a transaction is not pre-confirmed: not executed yet, or sealed. Checks once, after
 * the next tick that could execute the transaction.
 */
export const assertNotPreconfirmed: TransactionAssertion = assertion(
  'assertNotPreconfirmed',
  checkPreconfirmed,
  true,
)

/**
 * Asserts that a transaction is in a sealed block. Waits until it is; if sealing is frozen, it
 * fails at once.
 *
 * @throws {AssertionError} with the transaction's state, as in {@link assertPreconfirmed}
 */
export const assertSealed: TransactionAssertion = assertion('assertSealed', checkSealed)

/**
 * Asserts that a transaction is not in a sealed block. Checks after the tick that can execute it.
 */
export const assertNotSealed: TransactionAssertion = assertion('assertNotSealed', checkSealed, true)

/**
 * Asserts that a transaction was pre-confirmed and then dropped, as by a fault or a command. Waits
 * until it is; if it is sealed, was dropped before, or sealing is frozen, it fails at once. The
 * node remembers the last 100 dropped transactions.
 *
 * @throws {AssertionError} with the transaction's state, as in {@link assertPreconfirmed}
 *
 * @example
 * await devnet.faults({ rules: [{ kind: 'drop', hash }] })
 * await devnet.clock.seal()
 * await assertDroppedAfterPreconfirmation(hash, devnet)
 */
export const assertDroppedAfterPreconfirmation: TransactionAssertion = assertion(
  'assertDroppedAfterPreconfirmation',
  checkDroppedAfterPreconfirmation,
)

/** Asserts that a transaction was not dropped after its pre-confirmation. Checks once. */
export const assertNotDroppedAfterPreconfirmation: TransactionAssertion = assertion(
  'assertNotDroppedAfterPreconfirmation',
  checkDroppedAfterPreconfirmation,
  true,
)

/**
 * Asserts that an account has code in the pending state. Waits until it has; if ticks are frozen,
 * it fails at once.
 *
 * @param code - the expected code as hex. Default: any code
 * @throws {AssertionError} with the size of the code found, and whether `latest` already has it
 */
export const assertPendingCode: CodeAssertion = assertion('assertPendingCode', checkPendingCode)

/** Asserts that after the next tick an account has no code in pending, or not the given `code`. */
export const assertNotPendingCode: CodeAssertion = assertion(
  'assertNotPendingCode',
  checkPendingCode,
  true,
)

/**
 * Asserts that an account has this nonce in the pending state, which counts its sealed and its
 * pre-confirmed transactions. Waits until it has; if ticks are frozen, or the nonce is already
 * higher, it fails at once.
 *
 * @throws {AssertionError} with the account's nonce, and those of its transactions behind a gap
 */
export const assertPendingNonce: NonceAssertion = assertion('assertPendingNonce', checkPendingNonce)

/** Asserts that an account does not have this nonce in the pending state after the next tick. */
export const assertNotPendingNonce: NonceAssertion = assertion(
  'assertNotPendingNonce',
  checkPendingNonce,
  true,
)

/**
 * Asserts that a transaction has emitted an event in its pre-confirmed receipt, and is not sealed.
 * Waits for the receipt; if ticks are frozen, it fails at once.
 *
 * @throws {AssertionError} with the receipt's logs, or as in {@link assertPreconfirmed}
 * @throws {TypeError} if the ABI has no such event, or the event has no such argument
 *
 * @example
 * await assertEmittedBeforeSeal(hash, devnet, {
 *   abi: ['event Transfer(address indexed from, address indexed to, uint256 value)'],
 *   eventName: 'Transfer',
 *   args: { value: 5n },
 * })
 */
export const assertEmittedBeforeSeal: EventAssertion = assertion(
  'assertEmittedBeforeSeal',
  checkEmittedBeforeSeal,
)

/** Asserts that a transaction has not emitted an event before its seal. Checks after its tick. */
export const assertNotEmittedBeforeSeal: EventAssertion = assertion(
  'assertNotEmittedBeforeSeal',
  checkEmittedBeforeSeal,
  true,
)

/** A function that throws unless a check passes, or with `negated` unless it fails. */
function assertion<Args extends unknown[]>(operator: string, check: Check<Args>, negated = false) {
  return async (subject: unknown, node: NodeLike, ...args: Args): Promise<void> => {
    const { pass, message, actual, expected } = await check(negated, subject, node, ...args)
    if (pass === negated) throw new AssertionError({ message, actual, expected, operator })
  }
}
