import { join } from 'node:path'
import type { FormattedReceipt, Hex, Status } from '../../devnet/index.ts'
import { isObject, printable } from '../../devnet/pluginApi.ts'
import { transactionFailure } from '../network/failures/failure-kinds.ts'
import type { Ask } from '../rpc-client.ts'
import type { PendingNode } from '../types.ts'
import { askerOf, askStatus, hashOf, type NodeLike } from './arguments.ts'
import { type ExpectedEvent, patternOf } from './expected-event.ts'
import { type Check, type Look, outcomeOf, type WaitOptions } from './outcome.ts'
import {
  describe,
  describeUnsealed,
  frozenTicks,
  lookUp,
  place,
  type TransactionState,
  tickTimeout,
} from './transaction-state.ts'

/** An assertion about the state of a transaction. */
interface Claim {
  /** Behind `expected transaction 0x… to`. */
  readonly wanted: string
  readonly expected: string
  /** ms in which what is wanted should have come. */
  readonly timeout: (status: Status) => number
  /** Default of `actual`: the {@link place} of the transaction */
  judge(state: TransactionState, ask: Ask): Promise<Omit<Look, 'actual'> & Partial<Look>>
}

async function check([negated, given, node, options]: Parameters<Check>, claim: Claim) {
  const hash = hashOf(given)
  const ask = askerOf(node)
  const subject = `transaction ${hash}`
  const timeout = async () => claim.timeout(await askStatus(ask))
  return outcomeOf({ ...claim, subject }, { ...options, negated }, timeout, async (limit) => {
    const state = await lookUp(ask, hash, limit)
    return { actual: place(state), ...(await claim.judge(state, ask)) }
  })
}

/** Checks that a transaction is pre-confirmed: executed by a tick, and not sealed. */
export const checkPreconfirmed: Check = (...asked) =>
  check(asked, {
    wanted: 'be pre-confirmed',
    expected: 'pre-confirmed',
    timeout: tickTimeout,
    judge: async (state, ask) => ({
      pass: state.at === 'pre-confirmed',
      found: await describeMiss(ask, state),
      final: isLast(state),
    }),
  })

export const checkSealed: Check = (...asked) =>
  check(asked, {
    wanted: 'be sealed',
    expected: 'sealed',
    timeout: sealTimeout,
    judge: async (state, ask) => ({
      pass: state.at === 'sealed',
      ...(await describeUnsealed(ask, state)),
    }),
  })

/** Checks that a transaction was pre-confirmed, and then dropped. */
export const checkDroppedAfterPreconfirmation: Check = (...asked) =>
  check(asked, {
    wanted: 'be dropped after its pre-confirmation',
    expected: 'dropped after pre-confirmation',
    timeout: sealTimeout,
    async judge(state, ask) {
      const pass = state.at === 'dropped' && state.preconfirmed
      const { found, final } = await describeUnsealed(ask, state)
      const isEarly = state.at === 'dropped' && !pass
      return { pass, found: isEarly ? `${found}, before it was pre-confirmed` : found, final }
    },
  })

/** Checks that a transaction is pre-confirmed, not sealed, and has emitted an event. */
export const checkEmittedBeforeSeal: Check<[event: ExpectedEvent, options?: WaitOptions]> = async (
  ...[negated, subject, node, event, options]
) => {
  const pattern = await patternOf(event)
  return check([negated, subject, node, options], {
    wanted: `emit ${pattern.text} before its seal`,
    expected: pattern.text,
    timeout: tickTimeout,
    async judge(state, ask) {
      if (state.at !== 'pre-confirmed') {
        return { pass: false, found: await describeMiss(ask, state), final: isLast(state) }
      }
      const { receipt, block } = state
      const logs = receipt.logs.map(pattern.describe)
      const pass = receipt.logs.some(pattern.matches)
      const found = pass
        ? `it has, in block ${block}: ${list(logs)}`
        : await emitted({ hash: hashOf(subject), receipt, logs, node, ask })
      return { pass, found, actual: logs, final: true }
    },
  })
}

/** Time in ms within which a block that takes a waiting transaction should have been sealed. */
function sealTimeout(status: Status): number {
  return tickTimeout(status) + status.sealing.interval
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
  readonly receipt: FormattedReceipt
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
  const failed = await transactionFailure(ask, hash)
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
