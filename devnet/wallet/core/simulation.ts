import { DevnetError, ErrorCode } from '../../primitives/errors.ts'
import type { Hex } from '../../primitives/hex.ts'
import { isObject } from '../../primitives/json.ts'
import type { RequestSummary } from '../types.ts'
import { assetChanges, type SimulatedLog } from './assetChanges.ts'
import { forward, isLocal, ownClient } from './chainRpc.ts'
import type { ShownTransaction } from './describeTransaction.ts'
import type { Session } from './session.ts'

/** Time in ms after which a simulation is given up. */
const TIMEOUT = 1000

/** A transaction to simulate. */
export interface SimulatedTransaction extends ShownTransaction {
  readonly gas?: Hex | null | undefined
}

/**
 * Adds to a summary what the transactions would do if they were sent now: why one would fail, and
 * what the sender would gain and lose. On an RPC of another machine nothing is simulated.
 *
 * @param signal - aborts the simulation; the promise then rejects
 */
export async function withEffects(
  session: Session,
  summary: RequestSummary,
  from: Hex,
  transactions: readonly SimulatedTransaction[],
  signal: AbortSignal,
): Promise<RequestSummary> {
  if (!isLocal(session)) return summary
  const until = AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT)])
  const add = (value: string, warnings: readonly string[] = []): RequestSummary => ({
    ...summary,
    // First, so that no long calldata hides it.
    fields: [{ label: 'Asset changes', value }, ...summary.fields],
    warnings: [...summary.warnings, ...warnings],
  })
  try {
    const calls = await simulate(session, from, transactions, until)
    const warnings = calls.flatMap(({ failure }, index) => {
      if (failure === undefined) return []
      const subject = calls.length === 1 ? 'The transaction' : `Call ${index + 1}`
      return [`${subject} ${failure}`]
    })
    const logs = calls.flatMap((call) => call.logs)
    const lines = await assetChanges(session, from, logs, until)
    return add(lines.length === 0 ? 'none but the fee' : lines.join('\n'), warnings)
  } catch (error) {
    signal.throwIfAborted()
    if (until.aborted) return add(`unknown: the simulation took longer than ${TIMEOUT} ms`)
    if (!(error instanceof DevnetError)) throw error
    if (NOT_SIMULATED.includes(error.code)) return add('unknown: this network has no simulation')
    return add('none', [`The transaction will fail: ${error.message}`])
  }
}

/** Codes of an RPC that does not simulate, or does not answer. */
const NOT_SIMULATED: readonly number[] = [ErrorCode.methodNotFound, ErrorCode.internal]

interface SimulatedCall {
  /** Completes a sentence; `undefined` if the call succeeds. */
  readonly failure: string | undefined
  readonly logs: readonly SimulatedLog[]
}

async function simulate(
  session: Session,
  from: Hex,
  transactions: readonly SimulatedTransaction[],
  signal: AbortSignal,
): Promise<readonly SimulatedCall[]> {
  const calls = transactions.map(({ to, value, data, input, gas }) => ({
    from,
    ...(to ? { to } : {}),
    ...(gas ? { gas } : {}),
    value: value ?? '0x0',
    input: input ?? data ?? '0x',
  }))
  const payload = { blockStateCalls: [{ calls }], traceTransfers: true }
  const params = [payload, 'pending']
  const answered = forward(session, 'eth_simulateV1', params, ownClient(signal))
  const blocks = await Promise.race([answered, aborted(signal)])
  const block: unknown = Array.isArray(blocks) ? blocks[0] : undefined
  if (!isObject(block) || !Array.isArray(block.calls) || block.calls.length !== calls.length) {
    throw new DevnetError(ErrorCode.internal, 'The RPC of the active chain answered no simulation.')
  }
  return block.calls.map((call: unknown) => ({
    failure: isObject(call) ? failureOf(call) : undefined,
    logs: isObject(call) && Array.isArray(call.logs) ? call.logs.filter(isLog) : [],
  }))
}

/** Rejects once `signal` aborts: the node may not notice at once. */
function aborted(signal: AbortSignal): Promise<never> {
  const { promise, reject } = Promise.withResolvers<never>()
  if (signal.aborted) reject(signal.reason)
  else signal.addEventListener('abort', () => reject(signal.reason), { once: true })
  return promise
}

/** Nodes answer the error of a call as text or as an object. */
function failureOf({ status, error }: Readonly<Record<string, unknown>>): string | undefined {
  if (status !== '0x0') return undefined
  const given = isObject(error) ? error.message : error
  const message = typeof given === 'string' ? given : 'unknown reason'
  const reason = /^execution reverted(?:: ?(.*))?$/s.exec(message)
  if (reason === null) return `will fail: ${message}`
  return reason[1] ? `will revert: ${reason[1]}` : 'will revert, without a message'
}

function isLog(value: unknown): value is SimulatedLog {
  return (
    isObject(value) &&
    isHex(value.address) &&
    isHex(value.data) &&
    Array.isArray(value.topics) &&
    value.topics.every(isHex)
  )
}

function isHex(value: unknown): boolean {
  return typeof value === 'string' && /^0x[0-9a-f]*$/i.test(value)
}
