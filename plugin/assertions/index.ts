import { checkEmittedBeforeSeal } from './emitted-before-seal.ts'
import type { AbiLike, ExpectedEvent } from './expected-event.ts'
import type { NodeLike } from './node.ts'
import { assertOutcome, type WaitOptions } from './outcome.ts'
import { checkPendingCode } from './pending-code.ts'
import { checkPendingNonce } from './pending-nonce.ts'
import { checkPreconfirmed } from './preconfirmed.ts'
import { checkSealed } from './sealed.ts'
import type { AccountLike, TransactionLike } from './subject.ts'

export type {
  AbiEvent,
  AbiItem,
  AbiLike,
  AbiParameter,
  EventName,
  ExpectedEvent,
  RawEvent,
} from './expected-event.ts'
export type { NodeLike, Requester, Sender } from './node.ts'
export type { WaitOptions } from './outcome.ts'
export type { AccountLike, TransactionLike } from './subject.ts'

/**
 * Asserts that a transaction is pre-confirmed: executed by a tick, and not sealed. Waits for that; with ticks frozen it
 * fails at once.
 *
 * @param node - see {@link NodeLike}
 * @throws {AssertionError} with what was seen: unknown, behind a nonce gap, dropped with its reason, or sealed already
 * @throws {TypeError} when an argument is malformed, or the node is none of hardhat-pending-node
 *
 * @example
 * await using devnet = createDevnet({ port: 0, frozen: true })
 * await devnet.start()
 * const [from] = await devnet.provider.request({ method: 'eth_accounts' })
 * const hash = await devnet.provider.request({ method: 'eth_sendTransaction', params: [{ from, to: from }] })
 * await assertPreconfirmed(hash, devnet)
 * await assertNotSealed(hash, devnet)
 */
export function assertPreconfirmed(
  transaction: TransactionLike,
  node: NodeLike,
  options: WaitOptions = {},
): Promise<void> {
  return assertOutcome('assertPreconfirmed', false, options, (checked) =>
    checkPreconfirmed(transaction, node, checked),
  )
}

/** Asserts that a transaction is not pre-confirmed: not executed yet, or sealed. A tick that can take it is waited for. */
export function assertNotPreconfirmed(
  transaction: TransactionLike,
  node: NodeLike,
  options: WaitOptions = {},
): Promise<void> {
  return assertOutcome('assertNotPreconfirmed', true, options, (checked) =>
    checkPreconfirmed(transaction, node, checked),
  )
}

/**
 * Asserts that a transaction is in a sealed block. Waits for that; with sealing frozen it fails at once.
 *
 * @throws {AssertionError} with what was seen, as {@link assertPreconfirmed}
 */
export function assertSealed(
  transaction: TransactionLike,
  node: NodeLike,
  options: WaitOptions = {},
): Promise<void> {
  return assertOutcome('assertSealed', false, options, (checked) =>
    checkSealed(transaction, node, checked),
  )
}

/** Asserts that a transaction is not in a sealed block. A tick that can take it is waited for. */
export function assertNotSealed(
  transaction: TransactionLike,
  node: NodeLike,
  options: WaitOptions = {},
): Promise<void> {
  return assertOutcome('assertNotSealed', true, options, (checked) =>
    checkSealed(transaction, node, checked),
  )
}

/**
 * Asserts that an account has code in the pending state. Waits for that; with ticks frozen it fails at once.
 *
 * @param code - the code that it is to have. Default: any
 * @throws {AssertionError} with what is there, and whether `latest` already has it
 */
export function assertPendingCode(
  account: AccountLike,
  node: NodeLike,
  code?: string,
  options: WaitOptions = {},
): Promise<void> {
  return assertOutcome('assertPendingCode', false, options, (checked) =>
    checkPendingCode(account, node, code, checked),
  )
}

/** Asserts that an account has no code, or not this one, in the pending state. What waits for its tick is waited for. */
export function assertNotPendingCode(
  account: AccountLike,
  node: NodeLike,
  code?: string,
  options: WaitOptions = {},
): Promise<void> {
  return assertOutcome('assertNotPendingCode', true, options, (checked) =>
    checkPendingCode(account, node, code, checked),
  )
}

/**
 * Asserts that an account has this nonce in the pending state, which counts its sealed and its pre-confirmed
 * transactions. Waits for that; with ticks frozen, or once it is past that nonce, it fails at once.
 *
 * @throws {AssertionError} with the nonce that it has, and what waits behind a nonce gap
 */
export function assertPendingNonce(
  account: AccountLike,
  node: NodeLike,
  nonce: number | bigint,
  options: WaitOptions = {},
): Promise<void> {
  return assertOutcome('assertPendingNonce', false, options, (checked) =>
    checkPendingNonce(account, node, nonce, checked),
  )
}

/** Asserts that an account does not have this nonce in the pending state. What waits for its tick is waited for. */
export function assertNotPendingNonce(
  account: AccountLike,
  node: NodeLike,
  nonce: number | bigint,
  options: WaitOptions = {},
): Promise<void> {
  return assertOutcome('assertNotPendingNonce', true, options, (checked) =>
    checkPendingNonce(account, node, nonce, checked),
  )
}

/**
 * Asserts that a transaction has emitted an event in its pre-confirmed receipt, and is not sealed. Waits for the
 * receipt; with ticks frozen it fails at once.
 *
 * @throws {AssertionError} with the logs that there are, or as {@link assertPreconfirmed}
 * @throws {TypeError} when the ABI has no such event, or that no such argument
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
  return assertOutcome('assertEmittedBeforeSeal', false, options, (checked) =>
    checkEmittedBeforeSeal(transaction, node, event, checked),
  )
}

/** Asserts that a transaction has not emitted an event before its seal. A tick that can take it is waited for. */
export function assertNotEmittedBeforeSeal<const Abi extends AbiLike>(
  transaction: TransactionLike,
  node: NodeLike,
  event: ExpectedEvent<Abi>,
  options: WaitOptions = {},
): Promise<void> {
  return assertOutcome('assertNotEmittedBeforeSeal', true, options, (checked) =>
    checkEmittedBeforeSeal(transaction, node, event, checked),
  )
}
