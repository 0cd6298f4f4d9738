import { DevnetError, ErrorCode } from '../../primitives/errors.ts'
import { type Hex, isBytes } from '../../primitives/hex.ts'
import { isObject } from '../../primitives/json.ts'
import { type CallNames, findError } from '../../rpc/naming/contractNames.ts'
import { errorText } from '../../rpc/naming/decodeCall.ts'
import type { RequestSummary } from '../types.ts'
import { assetChanges, type SimulatedLog } from './assetChanges.ts'
import { findNames, standardNames } from './callNames.ts'
import { isLocal, readChain } from './chainRpc.ts'
import type { ShownTransaction } from './describeTransaction.ts'
import type { RequestContext } from './requestContext.ts'
import type { Session } from './session.ts'
import { requireAccount } from './walletParams.ts'

/** Time in ms after which a look at the chain and the artifacts is given up. */
const TIMEOUT = 1000

type SimulatedTransaction = ShownTransaction & { readonly gas?: Hex | null | undefined }

interface SendRequest {
  readonly from: Hex
  readonly transactions: readonly SimulatedTransaction[]
  /** Describes the request, with what each transaction calls. */
  readonly summarize: (names: readonly CallNames[]) => RequestSummary
}

/** Asks the user to send transactions of a connected account. @throws {DevnetError} if refused */
export async function askToSend(context: RequestContext, request: SendRequest): Promise<void> {
  await context.ask({
    isChainBound: true,
    summary: request.summarize([]),
    preview: (signal) => previewOf(context.session, request, signal),
  })
  requireAccount(context, request.from)
}

/**
 * Names what the transactions call, and adds what they would do if they were sent now: why one
 * would fail, and what the sender would gain and lose. RPCs of other machines are not asked.
 *
 * @param signal - aborts the preview; the promise then rejects
 */
async function previewOf(
  session: Session,
  request: SendRequest,
  signal: AbortSignal,
): Promise<RequestSummary> {
  const until = AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT)])
  const [names, effects] = await Promise.all([
    namesOf(session, request, until),
    isLocal(session) ? effectsOf(session, request, until) : undefined,
  ])
  const failures = await Promise.all(
    (effects?.failures ?? []).map((failure) => failureText(session, failure, names, until)),
  )
  signal.throwIfAborted()
  const summary = request.summarize(names)
  if (effects === undefined) return summary
  return {
    ...summary,
    // First, so that no long calldata hides it.
    fields: [{ label: 'Asset changes', value: effects.changes }, ...summary.fields],
    warnings: [...summary.warnings, ...failures],
  }
}

async function namesOf(
  session: Session,
  { transactions }: SendRequest,
  until: AbortSignal,
): Promise<readonly CallNames[]> {
  let names: readonly CallNames[] | undefined
  try {
    names = await unlessAborted(findNames(session, transactions, until), until)
  } catch (error) {
    if (!(error instanceof DevnetError)) throw error
  }
  // Without an answer in time, or if the chain's RPC answers an error, the selectors must do.
  return names ?? transactions.map((transaction) => standardNames(session.wallet, transaction))
}

interface Failure {
  /** Begins a sentence. */
  readonly subject: string
  /** Position of the transaction; `undefined` if none was executed. */
  readonly index?: number
  readonly message: string
  /** Data that the transaction reverted with. */
  readonly data?: Hex | undefined
}

async function effectsOf(
  session: Session,
  { from, transactions }: SendRequest,
  until: AbortSignal,
): Promise<{ readonly changes: string; readonly failures: readonly Failure[] }> {
  const subject = 'The transaction'
  try {
    const calls = await simulate(session, from, transactions, until)
    const failures = calls.flatMap(({ failure }, index) => {
      if (failure === undefined) return []
      return [{ ...failure, index, subject: calls.length === 1 ? subject : `Call ${index + 1}` }]
    })
    const logs = calls.flatMap((call) => call.logs)
    const lines = await assetChanges(session, from, logs, until)
    return { changes: lines.length === 0 ? 'none but the fee' : lines.join('\n'), failures }
  } catch (error) {
    const unknown = (reason: string) => ({ changes: `unknown: ${reason}`, failures: [] })
    if (until.aborted) return unknown(`the simulation took longer than ${TIMEOUT} ms`)
    if (!(error instanceof DevnetError)) throw error
    if (NOT_SIMULATED.includes(error.code)) return unknown('this network has no simulation')
    return { changes: 'none', failures: [{ subject, message: error.message }] }
  }
}

/** Codes of an RPC that does not simulate, or does not answer. */
const NOT_SIMULATED: readonly number[] = [ErrorCode.methodNotFound, ErrorCode.internal]

interface SimulatedCall {
  /** `undefined` if the call succeeds. */
  readonly failure: Pick<Failure, 'message' | 'data'> | undefined
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
  const answered = readChain(session, signal, 'eth_simulateV1', payload, 'pending')
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

/** Nodes answer the error of a call as text, beside the data, or as an object with the data. */
function failureOf(call: Readonly<Record<string, unknown>>): SimulatedCall['failure'] {
  const { status, error, returnData } = call
  if (status !== '0x0') return undefined
  const { message, data = returnData } = isObject(error) ? error : { message: error }
  return {
    message: typeof message === 'string' ? message : 'unknown reason',
    data: isBytes(data) ? data : undefined,
  }
}

async function failureText(
  session: Session,
  { subject, index, message, data = '0x' }: Failure,
  names: readonly CallNames[],
  until: AbortSignal,
): Promise<string> {
  const reason = /^execution reverted(?:: ?(.*))?$/s.exec(message)
  if (reason === null) return `${subject} will fail: ${message}`
  if (reason[1]) return `${subject} will revert: ${reason[1]}`
  if (data === '0x') return `${subject} will revert, without a message`
  const abi = (index === undefined ? undefined : names[index])?.abi ?? []
  const entry = await unlessAborted(findError(session.wallet.naming, data, abi), until)
  return entry === undefined
    ? `${subject} will revert with an unknown error: ${data.slice(0, 10)}`
    : `${subject} will revert: ${errorText(session.wallet.describe, entry, data)}`
}

/** `undefined` if `until` aborts first. */
async function unlessAborted<Value>(
  task: Promise<Value>,
  until: AbortSignal,
): Promise<Value | undefined> {
  try {
    return await Promise.race([task, aborted(until)])
  } catch (error) {
    if (until.aborted) return undefined
    throw error
  }
}

function isLog(value: unknown): value is SimulatedLog {
  return (
    isObject(value) &&
    isBytes(value.address) &&
    isBytes(value.data) &&
    Array.isArray(value.topics) &&
    value.topics.every((topic) => isBytes(topic, 32))
  )
}
