import {
  type AdmissionTerms,
  InsufficientFundsError,
  NonceTooHighError,
} from '../../chain/admission.ts'
import type { PendingView } from '../../chain/building/pendingView.ts'
import type { OwnTransaction, Submission } from '../../chain/submissions.ts'
import { callFailure } from '../../execution/call.ts'
import { SendFailedError } from '../../execution/callErrors.ts'
import { ampleGas, plainTransferGas } from '../../execution/estimate.ts'
import { executionTarget } from '../../execution/executionTarget.ts'
import type { CallRequest } from '../../json/schemas/callRequest.ts'
import { DevnetError, RefusedError } from '../../primitives/errors.ts'
import type { Hex } from '../../primitives/hex.ts'
import { defaultGas, headerGasUsed } from '../../protocol/blockGas.ts'
import type { ChainTransaction } from '../../protocol/transaction.ts'
import { addressKeyFromHex } from '../../state/keys.ts'
import type { StateReader } from '../../state/types.ts'
import type { RpcContext } from '../context.ts'
import { callTasks } from '../heavy/callTasks.ts'
import type { Caller } from '../method.ts'
import { explainRefusal } from './explainRefusal.ts'
import { overGap } from './nonceGap.ts'
import { recordExecutions } from './recordExecutions.ts'
import { type GasRequest, withFeeCap } from './transactionRequest.ts'
import { defaultAccount } from './unlockedAccounts.ts'

/** With more transactions waiting, an estimate does not run behind them, to bound its cost. */
const MOST_PREVIEWED = 1000

/**
 * Sends a transaction; returns its hash once the mempool has accepted it.
 *
 * In instant mode, returns once the transaction is sealed or has to wait in the mempool. One that
 * fails is sealed nevertheless, and its error is thrown, as by hardhat node; with the option
 * `anvil` its hash is returned.
 *
 * @throws {RefusedError} in instant mode also for a nonce gap that {@link overGap} does not cross,
 *   unless the option `anvil` is set
 * @throws {SendFailedError} if it fails in instant mode, unless the option `anvil` is set
 */
export function send(
  context: RpcContext,
  submission: Submission,
  caller: Caller,
): Hex | Promise<Hex> {
  const hash = overGap(context, caller, () => inTurn(context, () => accept(context, submission)))
  return afterArrival(hash, context)
}

/**
 * Gas for a request without any, estimated in the block that would be sealed now: what waits for
 * its tick runs first. Outside instant mode the transaction may run in a later block, so half of
 * what it needs beyond a transfer is added, and if the estimate fails, it gets
 * {@link fallbackGas}. In instant mode it gets that only with the option `anvil`.
 *
 * @throws the errors of `eth_estimateGas`, in instant mode without the option `anvil`
 * @throws {RefusedError} if the request has no `from` and the node has no accounts
 */
async function gasOfSend(
  context: RpcContext,
  request: CallRequest,
  signal: AbortSignal,
): Promise<bigint> {
  const { chain, clocks, heavy, observer, options } = context
  const { instant } = clocks
  const mayFail = options.anvil || !instant
  const from = request.from ?? defaultAccount(context)
  const { mempool, pending: present } = chain
  const isBehind = mempool.runnableCount > 0 && mempool.runnableCount <= MOST_PREVIEWED
  // Needs no machine, for which it might wait behind long calls.
  const simpleGas = (state: StateReader) => {
    const gas = plainTransferGas({ ...request, from }, state, present.environment.rules)
    if (gas === undefined || mayFail) return gas
    return canPay({ ...request, from }, gas, state) ? gas : undefined
  }
  const simple = simpleGas(present.state)
  if (simple !== undefined && !(isBehind && mayGetCode(context, request))) return simple
  const preview = instant || isBehind ? await clocks.preview() : undefined
  const pending = preview ?? present
  try {
    const simple = simpleGas(pending.state)
    if (simple !== undefined) return simple
    const target = executionTarget(chain, pending)
    const gas = await heavy.run(
      callTasks.estimateGas,
      target,
      {
        block: target.block,
        request: withFeeCap({ ...request, from }, target.block),
        gasCap: BigInt(options.callGasLimit),
      },
      {
        timeout: options.simulateTimeout,
        signal,
        // A transaction that is sent nevertheless prints once it is executed.
        onPrint: mayFail
          ? undefined
          : (printed, call) => observer.printed('eth_sendTransaction', call, printed),
      },
    )
    return instant ? gas : ampleGas(gas, chain.pending.environment)
  } catch (error) {
    if (!mayFail || signal.aborted || !(error instanceof DevnetError)) throw error
    return fallbackGas(pending)
  } finally {
    preview?.state.release()
  }
}

/**
 * True if a waiting transaction could give code to the recipient of a transfer, which has none. If
 * it has sent a transaction (EIP-684), or the node has its key, only by a delegation (EIP-7702).
 */
function mayGetCode({ chain, accounts }: RpcContext, { to = '0x' }: CallRequest): boolean {
  const { mempool, pending } = chain
  const nonce = pending.state.account(addressKeyFromHex(to))?.nonce ?? 0n
  const isUser = nonce > 0n || accounts.has(to)
  return mempool
    .runnable(pending.environment.baseFeePerGas)
    .some(
      (one) => one.type === 4 || (!isUser && (one.gasLimit >= CODE_GAS || one.to === undefined)),
    )
}

/** The least gas of a call that creates a contract is higher. */
const CODE_GAS = 42_000n

/** True if the sender has the funds for a transfer. */
function canPay(
  { from, value = 0n, gasPrice, maxFeePerGas }: CallRequest & { readonly from: Hex },
  gas: bigint,
  state: StateReader,
): boolean {
  const balance = state.account(addressKeyFromHex(from))?.balance ?? 0n
  return balance > value + gas * (gasPrice ?? maxFeePerGas ?? 0n)
}

/** The default gas, or what the block has left, if that is at least half of it. */
function fallbackGas({ environment, gas }: PendingView): bigint {
  const most = defaultGas(environment)
  const left = environment.gasLimit - headerGasUsed(gas)
  return left < most && left >= most / 2n ? left : most
}

/**
 * Submits a transaction to the mempool. With the option `readOwnWrites`, a sender without the funds
 * is refused only once a tick has taken what was sent before, as that may bring them.
 *
 * @throws {DevnetError} if it is undecodable or refused; the promise may reject with it instead
 */
export function submit(
  context: Pick<RpcContext, 'chain' | 'clocks' | 'lag' | 'options'>,
  submission: Submission,
  terms?: AdmissionTerms,
): ChainTransaction | Promise<ChainTransaction> {
  const explain = (error: unknown) => {
    throw explainRefusal(error, context)
  }
  try {
    const accepted = context.options.readOwnWrites
      ? submitOnOwnWrites(context, submission, terms)
      : context.chain.submit(submission, terms)
    return accepted instanceof Promise ? accepted.catch(explain) : accepted
  } catch (error) {
    return explain(error)
  }
}

async function submitOnOwnWrites(
  { chain, clocks, options }: Pick<RpcContext, 'chain' | 'clocks' | 'options'>,
  submission: Submission,
  terms?: AdmissionTerms,
): Promise<ChainTransaction> {
  try {
    return await chain.submit(submission, terms)
  } catch (error) {
    // A listener runs within the change that it hears of, so it cannot wait for the next one.
    if (!(error instanceof InsufficientFundsError) || !clocks.canTake || chain.notifying)
      throw error
  }
  await clocks.takeWaiting(AbortSignal.timeout(options.syncTimeout))
  return await chain.submit(submission, terms)
}

/** A request for which the node makes the transaction. */
interface SendRequest {
  readonly context: RpcContext
  readonly request: CallRequest
  readonly caller: Caller
  /** Makes it, once everything sent before is accepted or refused. */
  readonly make: (context: RpcContext, request: GasRequest) => OwnTransaction
}

/**
 * Sends the transaction of a request; see {@link send}. In instant mode, a transaction that would
 * fail with the gas that is estimated for it is refused, as by hardhat node.
 */
export function sendRequest(sent: SendRequest): Hex | Promise<Hex> {
  const { context, caller } = sent
  const hash = overGap(context, caller, () => withGas(sent, (made) => accept(context, made)))
  return afterArrival(hash, context)
}

/**
 * Gives `use` the transaction of a request, in turn with all sends. Missing gas is estimated; see
 * {@link gasOfSend}.
 */
export function withGas<Result>(
  { context, request, caller, make }: SendRequest,
  use: (made: () => OwnTransaction) => Result | Promise<Result>,
): Result | Promise<Result> {
  const { gas } = request
  if (gas !== undefined) return inTurn(context, () => use(() => make(context, { ...request, gas })))
  return context.chain.sends.run(async () => {
    // Errors that do not depend on gas, such as an unknown sender, come before the estimate.
    if (context.clocks.instant) make(context, { ...request, gas: 0n })
    const gas = await gasOfSend(context, request, caller.signal)
    return use(() => make(context, { ...request, gas }))
  })
}

/** Does `work` now, or after the sends whose gas is being estimated: nonces may follow theirs. */
export function inTurn<Result>(
  { chain }: Pick<RpcContext, 'chain'>,
  work: () => Result | Promise<Result>,
): Result | Promise<Result> {
  return chain.sends.busy ? chain.sends.run(work) : work()
}

function accept(context: RpcContext, submission: Submission): Hex | Promise<Hex> {
  if (context.clocks.instant) return sendInstantly(context, submission)
  const accepted = submit(context, submission)
  return accepted instanceof Promise ? accepted.then(({ hash }) => hash) : accepted.hash
}

/** With tick interval 0, returns once the transaction is visible in `pending`. */
function afterArrival(
  hash: Hex | Promise<Hex>,
  { chain, clocks }: Pick<RpcContext, 'chain' | 'clocks'>,
): Hex | Promise<Hex> {
  if (!clocks.ticksOnArrival) return hash
  return Promise.resolve(hash).then(async (accepted) => {
    await untilTried(accepted, { chain, clocks })
    return accepted
  })
}

/**
 * Resolves when a transaction that has arrived was executed or cannot run now.
 *
 * @throws {RefusedError} if it was dropped, e.g. as the upstream of a forked chain fails
 */
async function untilTried(
  hash: Hex,
  { chain, clocks }: Pick<RpcContext, 'chain' | 'clocks'>,
): Promise<void> {
  await clocks.arrivals
  for (let fetching = chain.fetching(hash); fetching; fetching = chain.fetching(hash)) {
    await fetching
    // The transaction is submitted again after the fetch.
    await clocks.arrivals
  }
  const dropped = chain.dropped.findLast((one) => one.hash === hash)
  if (dropped !== undefined && chain.findTransaction(hash) === undefined) {
    throw new RefusedError(dropped.reason)
  }
}

function sendInstantly(
  { chain, clocks, options }: RpcContext,
  submission: Submission,
): Promise<Hex> {
  return recordExecutions(chain, async (executions) => {
    const { hash } = await chain.submit(submission, options.anvil ? {} : NO_GAPS)
    await untilTried(hash, { chain, clocks })
    const execution = executions.get(hash)
    if (execution?.success === false && !options.anvil) {
      throw new SendFailedError(callFailure(execution), hash)
    }
    return hash
  })
}

const NO_GAPS = {
  refuseGap: (next: bigint, transaction: ChainTransaction) =>
    new NonceTooHighError(next, transaction),
}
