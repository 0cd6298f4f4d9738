import type { TokenUnit } from '../../primitives/amounts.ts'
import { DevnetError, ErrorCode } from '../../primitives/errors.ts'
import type { Hex } from '../../primitives/hex.ts'
import { assetChanges } from '../../rpc/naming/assetChanges.ts'
import { type CallNames, standardNames } from '../../rpc/naming/contractNames.ts'
import { callText, decodeCall } from '../../rpc/naming/decodeCall.ts'
import { EntryLookup, failureText } from '../../rpc/naming/entryLookup.ts'
import { type Ask, type SimulatedCall, simulateCalls } from '../../rpc/naming/simulatedCalls.ts'
import { ETHER, lower } from '../../rpc/naming/tokenMoves.ts'
import type { RequestSummary } from '../types.ts'
import { EXECUTOR_CODE, executeCalls } from './batchExecutor.ts'
import { isLocal, readChain } from './chainRpc.ts'
import { costsOf } from './costs.ts'
import { calldata, isTokenCall, type ShownTransaction } from './describeTransaction.ts'
import { contractFinder, type Facts, lookUp, unitOf as tokenUnitOf } from './facts.ts'
import { aborted, TIMEOUT, unlessAborted } from './inTime.ts'
import type { RequestContext } from './requestContext.ts'
import type { Session } from './session.ts'
import { requireAccount } from './walletParams.ts'

type SimulatedTransaction = ShownTransaction & { readonly gas?: Hex | null | undefined }

interface SendRequest {
  readonly from: Hex
  readonly transactions: readonly SimulatedTransaction[]
  /** True if an upgraded account makes all of them as calls in one transaction. Default: false */
  readonly isAtomic?: boolean
  /** Describes the request, with what each transaction calls. */
  readonly summarize: (names: readonly CallNames[], facts: Facts) => RequestSummary
}

/** Asks the user to send transactions of a connected account. @throws {DevnetError} if refused */
export async function askToSend(context: RequestContext, request: SendRequest): Promise<void> {
  const { describe } = context.session.wallet
  await context.ask({
    isChainBound: true,
    summary: request.summarize([], { describe, units: new Map() }),
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
  const known = knownOf(session, request, until)
  const [{ names, facts }, effects] = await Promise.all([
    known,
    isLocal(session) ? effectsOf(session, request, known, until) : undefined,
  ])
  const failures = await Promise.all(
    (effects?.failures ?? []).map((failure) => warningOf(session, failure, names, until)),
  )
  signal.throwIfAborted()
  const summary = request.summarize(names, facts)
  if (effects === undefined) return summary
  return {
    ...summary,
    ...(failures.length > 0 ? { willFail: true as const } : {}),
    ...(effects.costs === undefined ? {} : { costs: effects.costs }),
    // First, so that no long calldata hides it.
    fields: [{ label: 'Asset changes', value: effects.changes }, ...summary.fields],
    warnings: [...summary.warnings, ...failures],
  }
}

type Known = Awaited<ReturnType<typeof knownOf>>

/** Names of what the transactions call, then those of the addresses in it, and units of tokens. */
async function knownOf(session: Session, request: SendRequest, until: AbortSignal) {
  const names = await namesOf(session, request, until)
  const { transactions } = request
  const calls = names.map((one) => decodeCall((address) => address, one, transactions.length))
  const targets = transactions.map(({ to }) => to ?? '')
  const text = [...targets, ...calls.map((call) => call && callText(call))].join(' ')
  const tokens = targets.flatMap((to, index) => {
    const call = calls[index]
    return to !== '' && call !== undefined && isTokenCall(call) ? [lower(to)] : []
  })
  return { names, facts: await lookUp(session, { text, tokens }, until) }
}

async function namesOf(
  session: Session,
  { transactions }: SendRequest,
  until: AbortSignal,
): Promise<readonly CallNames[]> {
  const finder = contractFinder(session, until)
  let names: readonly CallNames[] | undefined
  try {
    const finding = transactions.map((one) => finder.namesOf(one.to, calldata(one)))
    names = await unlessAborted(Promise.all(finding), until)
  } catch (error) {
    if (!(error instanceof DevnetError)) throw error
  }
  // Without an answer in time, or if the chain's RPC answers an error, the selectors must do.
  return names ?? transactions.map((one) => standardNames(session.wallet.naming, calldata(one)))
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
  request: SendRequest,
  known: Promise<Known>,
  until: AbortSignal,
): Promise<{
  readonly changes: string
  readonly failures: readonly Failure[]
  readonly costs?: RequestSummary['costs']
}> {
  const subject = 'The transaction'
  const { from } = request
  try {
    const simulated = simulate(session, request, until)
    const costs = costsOf(session, request, simulated, until)
    const calls = await simulated
    const failures = calls.flatMap(({ failure }, index) => {
      if (failure === undefined) return []
      return [{ ...failure, index, subject: calls.length === 1 ? subject : `Call ${index + 1}` }]
    })
    const logs = calls.flatMap((call) => call.logs)
    const { facts } = await known
    const lines = await assetChanges(
      {
        describe: facts.describe,
        checksum: (address) => session.wallet.checksum(address),
        unitOf: async (asset) => facts.units.get(asset) ?? (await unitOf(session, asset, until)),
      },
      from,
      logs,
    )
    const changes = lines.length === 0 ? 'none but the fee' : lines.join('\n')
    return { changes, failures, costs: await costs }
  } catch (error) {
    const unknown = (reason: string) => ({ changes: `unknown: ${reason}`, failures: [] })
    if (until.aborted) return unknown(`the simulation took longer than ${TIMEOUT} ms`)
    if (!(error instanceof DevnetError)) throw error
    if (NOT_SIMULATED.includes(error.code)) return unknown('this network has no simulation')
    return { changes: 'none', failures: [{ subject, message: error.message }] }
  }
}

/** Of the active chain's own currency, or of a token. */
async function unitOf(session: Session, asset: Hex, signal: AbortSignal): Promise<TokenUnit> {
  if (asset !== ETHER) return tokenUnitOf(session, asset, signal)
  const { chains } = session
  return { decimals: 18, symbol: chains.find(chains.active)?.nativeCurrency.symbol ?? '' }
}

/** Codes of an RPC that does not simulate, or does not answer. */
const NOT_SIMULATED: readonly number[] = [ErrorCode.methodNotFound, ErrorCode.internal]

async function simulate(
  session: Session,
  { from, transactions, isAtomic }: SendRequest,
  signal: AbortSignal,
): Promise<readonly SimulatedCall[]> {
  const all = transactions.map(({ to, value, data, input, gas }) => ({
    from,
    ...(to ? { to } : {}),
    ...(gas ? { gas } : {}),
    value: value ?? '0x0',
    input: input ?? data ?? '0x',
  }))
  const ask: Ask = (...request) => readChain(session, signal, ...request)
  if (!isAtomic) return Promise.race([simulateCalls(ask, all), aborted(signal)])
  const calls = all.map(({ to, value, input }) => ({ to: to ?? from, value, data: input }))
  const batch = { from, to: from, value: '0x0', input: executeCalls(calls) }
  // As if the account were upgraded already.
  const upgraded = { stateOverrides: { [from]: { code: EXECUTOR_CODE } } }
  return Promise.race([simulateCalls(ask, [batch], upgraded), aborted(signal)])
}

async function warningOf(
  session: Session,
  { subject, index, message, data = '0x' }: Failure,
  names: readonly CallNames[],
  until: AbortSignal,
): Promise<string> {
  const abi = (index === undefined ? undefined : names[index])?.abi ?? []
  const lookup = new EntryLookup(session.wallet.naming)
  const error = await unlessAborted(lookup.error(data, abi, session.wallet.describe), until)
  const text = failureText(message, error)
  const reason = /^execution reverted(?:: ?(.*))?$/s.exec(text)
  if (reason === null) return `${subject} will fail: ${text}`
  return `${subject} will revert${reason[1] ? `: ${reason[1]}` : ', without a message'}`
}
