import { AssertionError } from 'node:assert'
import type { AbiLike } from './abi-events.ts'
import { checkPendingCode, checkPendingNonce } from './account-checks.ts'
import type { AccountLike, NodeLike, TransactionLike } from './arguments.ts'
import type { ExpectedEvent } from './expected-event.ts'
import type { Outcome, WaitOptions } from './outcome.ts'
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
export function assertPreconfirmed(
  transaction: TransactionLike,
  node: NodeLike,
  options: WaitOptions = {},
): Promise<void> {
  return assertOutcome('assertPreconfirmed', true, checkPreconfirmed(transaction, node, options))
}

/**
 * Asserts that a transaction is not pre-confirmed: not executed yet, or sealed. Checks once, after
 * the next tick that could execute the transaction.
 */
export function assertNotPreconfirmed(
  transaction: TransactionLike,
  node: NodeLike,
  options: WaitOptions = {},
): Promise<void> {
  const checked = checkPreconfirmed(transaction, node, { ...options, negated: true })
  return assertOutcome('assertNotPreconfirmed', false, checked)
}

/**
 * Asserts that a transaction is in a sealed block. Waits until it is; if sealing is frozen, it
 * fails at once.
 *
 * @throws {AssertionError} with the transaction's state, as in {@link assertPreconfirmed}
 */
export function assertSealed(
  transaction: TransactionLike,
  node: NodeLike,
  options: WaitOptions = {},
): Promise<void> {
  return assertOutcome('assertSealed', true, checkSealed(transaction, node, options))
}

/**
 * Asserts that a transaction is not in a sealed block. Checks after the tick that can execute it.
 */
export function assertNotSealed(
  transaction: TransactionLike,
  node: NodeLike,
  options: WaitOptions = {},
): Promise<void> {
  const checked = checkSealed(transaction, node, { ...options, negated: true })
  return assertOutcome('assertNotSealed', false, checked)
}

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
export function assertDroppedAfterPreconfirmation(
  transaction: TransactionLike,
  node: NodeLike,
  options: WaitOptions = {},
): Promise<void> {
  const checked = checkDroppedAfterPreconfirmation(transaction, node, options)
  return assertOutcome('assertDroppedAfterPreconfirmation', true, checked)
}

/** Asserts that a transaction was not dropped after its pre-confirmation. Checks once. */
export function assertNotDroppedAfterPreconfirmation(
  transaction: TransactionLike,
  node: NodeLike,
  options: WaitOptions = {},
): Promise<void> {
  const negated = { ...options, negated: true }
  const checked = checkDroppedAfterPreconfirmation(transaction, node, negated)
  return assertOutcome('assertNotDroppedAfterPreconfirmation', false, checked)
}

/**
 * Asserts that an account has code in the pending state. Waits until it has; if ticks are frozen,
 * it fails at once.
 *
 * @param code - the expected code as hex. Default: any code
 * @throws {AssertionError} with the size of the code found, and whether `latest` already has it
 */
export function assertPendingCode(
  account: AccountLike,
  node: NodeLike,
  code?: string,
  options: WaitOptions = {},
): Promise<void> {
  return assertOutcome(
    'assertPendingCode',
    true,
    checkPendingCode(account, node, { ...options, code }),
  )
}

/** Asserts that after the next tick an account has no code in pending, or not the given `code`. */
export function assertNotPendingCode(
  account: AccountLike,
  node: NodeLike,
  code?: string,
  options: WaitOptions = {},
): Promise<void> {
  const checked = checkPendingCode(account, node, { ...options, code, negated: true })
  return assertOutcome('assertNotPendingCode', false, checked)
}

/**
 * Asserts that an account has this nonce in the pending state, which counts its sealed and its
 * pre-confirmed transactions. Waits until it has; if ticks are frozen, or the nonce is already
 * higher, it fails at once.
 *
 * @throws {AssertionError} with the account's nonce, and those of its transactions behind a gap
 */
export function assertPendingNonce(
  account: AccountLike,
  node: NodeLike,
  nonce: number | bigint,
  options: WaitOptions = {},
): Promise<void> {
  return assertOutcome(
    'assertPendingNonce',
    true,
    checkPendingNonce(account, node, { ...options, nonce }),
  )
}

/** Asserts that an account does not have this nonce in the pending state after the next tick. */
export function assertNotPendingNonce(
  account: AccountLike,
  node: NodeLike,
  nonce: number | bigint,
  options: WaitOptions = {},
): Promise<void> {
  const checked = checkPendingNonce(account, node, { ...options, nonce, negated: true })
  return assertOutcome('assertNotPendingNonce', false, checked)
}

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
export function assertEmittedBeforeSeal<const Abi extends AbiLike>(
  transaction: TransactionLike,
  node: NodeLike,
  event: ExpectedEvent<Abi>,
  options: WaitOptions = {},
): Promise<void> {
  return assertOutcome(
    'assertEmittedBeforeSeal',
    true,
    checkEmittedBeforeSeal(transaction, node, { ...options, event }),
  )
}

/** Asserts that a transaction has not emitted an event before its seal. Checks after its tick. */
export function assertNotEmittedBeforeSeal<const Abi extends AbiLike>(
  transaction: TransactionLike,
  node: NodeLike,
  event: ExpectedEvent<Abi>,
  options: WaitOptions = {},
): Promise<void> {
  const checked = checkEmittedBeforeSeal(transaction, node, { ...options, event, negated: true })
  return assertOutcome('assertNotEmittedBeforeSeal', false, checked)
}

/** @param wanted - `true` if the check must pass, `false` if it must fail */
async function assertOutcome(
  operator: string,
  wanted: boolean,
  checked: Promise<Outcome>,
): Promise<void> {
  const { pass, message, actual, expected } = await checked
  if (pass !== wanted) throw new AssertionError({ message, actual, expected, operator })
}
