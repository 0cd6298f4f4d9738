import { join } from 'node:path'
import type { Hex } from '../../devnet/index.ts'
import { isObject, printable } from '../../devnet/pluginApi.ts'
import { failureOf } from '../network/failure-kinds.ts'
import type { Ask } from '../rpc-client.ts'
import type { PendingNode } from '../types.ts'
import { askerOf, askStatus, hashOf, type NodeLike } from './arguments.ts'
import { type ExpectedEvent, patternOf } from './expected-event.ts'
import { type CheckOptions, lookUntilFinal, type Outcome } from './outcome.ts'
import {
  describe,
  frozenTicks,
  lookUp,
  place,
  type Receipt,
  sealHint,
  seals,
  statusAt,
  type TransactionState,
  tickTimeout,
} from './transaction-state.ts'

/** Checks that a transaction is pre-confirmed: executed by a tick, and not sealed. */
export async function checkPreconfirmed(
  subject: unknown,
  node: NodeLike,
  options: CheckOptions,
): Promise<Outcome> {
  const hash = hashOf(subject)
  const ask = askerOf(node)
  const timeout = async () => tickTimeout(await askStatus(ask))
  return lookUntilFinal(options, timeout, async (limit) => {
    const state = await lookUp(ask, hash, limit)
    const pass = state.at === 'pre-confirmed'
    const message = pass
      ? `expected transaction ${hash} not to be pre-confirmed, but ${await describe(ask, state)}`
      : `expected transaction ${hash} to be pre-confirmed, but ${await describeMiss(ask, state)}`
    return {
      outcome: { pass, message, expected: 'pre-confirmed', actual: place(state) },
      final: isLast(state),
    }
  })
}

export async function checkSealed(
  subject: unknown,
  node: NodeLike,
  options: CheckOptions,
): Promise<Outcome> {
  const hash = hashOf(subject)
  const ask = askerOf(node)
  return lookUntilFinal(options, sealTimeout(ask), async (limit) => {
    const state = await lookUp(ask, hash, limit)
    const described = await describe(ask, state)
    const [expected, actual] = ['sealed', place(state)]
    if (state.at === 'sealed') {
      const message = `expected transaction ${hash} not to be sealed, but ${described}`
      return { outcome: { pass: true, message, expected, actual }, final: true }
    }
    const status = await statusAt(ask, state)
    const message = `expected transaction ${hash} to be sealed, but ${described}${sealHint(state, status)}`
    return {
      outcome: { pass: false, message, expected, actual },
      final: state.at === 'dropped' || !seals(status),
    }
  })
}

/** Checks that a transaction was pre-confirmed, and then dropped. */
export async function checkDroppedAfterPreconfirmation(
  subject: unknown,
  node: NodeLike,
  options: CheckOptions,
): Promise<Outcome> {
  const hash = hashOf(subject)
  const ask = askerOf(node)
  return lookUntilFinal(options, sealTimeout(ask), async (limit) => {
    const state = await lookUp(ask, hash, limit)
    const pass = state.at === 'dropped' && state.preconfirmed
    const [expected, actual] = ['dropped after pre-confirmation', place(state)]
    const isEarly = state.at === 'dropped' && !pass
    const found = `${await describe(ask, state)}${isEarly ? ', before it was pre-confirmed' : ''}`
    const status = await statusAt(ask, state)
    const message = pass
      ? `expected transaction ${hash} not to be dropped after its pre-confirmation, but ${found}`
      : `expected transaction ${hash} to be dropped after its pre-confirmation, but ${found}${sealHint(state, status)}`
    return {
      outcome: { pass, message, expected, actual },
      final: state.at === 'dropped' || state.at === 'sealed' || !seals(status),
    }
  })
}

/** Checks that a transaction is pre-confirmed, not sealed, and has emitted an event. */
export async function checkEmittedBeforeSeal(
  subject: unknown,
  node: NodeLike,
  { event, ...options }: CheckOptions & { readonly event: ExpectedEvent },
): Promise<Outcome> {
  const hash = hashOf(subject)
  const ask = askerOf(node)
  const pattern = await patternOf(event)
  const wanted = `emit ${pattern.text} before its seal`
  const timeout = async () => tickTimeout(await askStatus(ask))
  return lookUntilFinal(options, timeout, async (limit) => {
    const state = await lookUp(ask, hash, limit)
    if (state.at !== 'pre-confirmed') {
      const message = `expected transaction ${hash} to ${wanted}, but ${await describeMiss(ask, state)}`
      return {
        outcome: { pass: false, message, expected: pattern.text, actual: place(state) },
        final: isLast(state),
      }
    }
    const { receipt } = state
    const logs = receipt.logs.map(pattern.describe)
    const pass = receipt.logs.some(pattern.matches)
    const message = pass
      ? `expected transaction ${hash} not to ${wanted}, but it has, in block ${state.block}: ${list(logs)}`
      : `expected transaction ${hash} to ${wanted}, but ${await emitted({ hash, receipt, logs, node, ask })}`
    return { outcome: { pass, message, expected: pattern.text, actual: logs }, final: true }
  })
}

/** Time in ms within which a block that takes a waiting transaction should have been sealed. */
function sealTimeout(ask: Ask): () => Promise<number> {
  return async () => {
    const status = await askStatus(ask)
    return tickTimeout(status) + status.sealing.interval
  }
}

/** True to stop looking: the transaction is executed or dropped, or ticks are frozen. */
function isLast(state: TransactionState): boolean {
  if (!('status' in state) || state.at === 'dropped') return true
  return frozenTicks(state.status) !== undefined
}

/**
 * Reason why a transaction is not pre-confirmed; if it is already sealed, the way to look before
 * the seal.
 */
async function describeMiss(ask: Ask, state: TransactionState): Promise<string> {
  if (state.at !== 'sealed') return describe(ask, state)
  const { instant, sealing } = await askStatus(ask)
  const already = `it is already sealed in block ${state.block}`
  if (instant) return `${already}: the node is in instant mode`
  return sealing.running ? `${already}: freeze sealing to look before the seal` : already
}

interface Emitted {
  readonly hash: Hex
  readonly receipt: Receipt
  /** Of the receipt, as text. */
  readonly logs: readonly string[]
  readonly node: NodeLike
  readonly ask: Ask
}

/** Events that a transaction emitted instead of the expected one, as the end of a sentence. */
async function emitted({ hash, receipt, logs, node, ask }: Emitted): Promise<string> {
  if (receipt.status !== '0x0') {
    return logs.length === 0 ? 'it emitted nothing' : `it emitted ${list(logs)}`
  }
  const reason = printable(await failureReason(node, ask, hash))
  return `it failed, and so emitted nothing: ${reason}`
}

/**
 * Reason why a transaction failed, with its place in Solidity if the node is a connection of
 * Hardhat.
 */
async function failureReason(node: NodeLike, ask: Ask, hash: Hex): Promise<string> {
  const controls: unknown = isObject(node) ? Reflect.get(node, 'pendingNode') : undefined
  if (!isObject(controls) || typeof controls.failure !== 'function') {
    return await decodedReason(ask, hash)
  }
  // A connection that has them has them all.
  const { failure } = controls as unknown as Pick<PendingNode, 'failure'>
  const { message = '', solidityStack } = (await failure(hash)) ?? {}
  const [innermost] = solidityStack?.split('\n') ?? []
  return innermost === undefined ? message : `${message}, at ${innermost}`
}

async function decodedReason(ask: Ask, hash: Hex): Promise<string> {
  const failed = await failureOf(ask, hash)
  // Imported only now: few assertions fail so.
  const { decodedMessage } = await import('../artifacts/contract-names.ts')
  const { ArtifactFolder } = await import('../artifacts/artifact-folder.ts')
  // Hardhat's default folder. Outside of a project it is missing; then an error has no name.
  return await decodedMessage(ask, new ArtifactFolder(join(process.cwd(), 'artifacts')), failed)
}

/** Maximum number of logs that a message lists. */
const MAX_LOGS = 10

function list(logs: readonly string[]): string {
  const rest = logs.length - MAX_LOGS
  return rest > 0 ? `${logs.slice(0, MAX_LOGS).join('; ')}; and ${rest} more` : logs.join('; ')
}
