import {
  type AdmissionTerms,
  InsufficientFundsError,
  NonceTooHighError,
} from '../../chain/admission.ts'
import type { Chain } from '../../chain/chain.ts'
import type { OwnTransaction, Submission } from '../../chain/submissions.ts'
import { callFailure } from '../../execution/call.ts'
import { estimateGas } from '../../execution/estimate.ts'
import { executionTarget } from '../../execution/executionTarget.ts'
import type { CallRequest } from '../../execution/types.ts'
import { RefusedError } from '../../primitives/errors.ts'
import type { Hex } from '../../primitives/hex.ts'
import { memoize } from '../../primitives/memo.ts'
import { SerialQueue } from '../../primitives/serialQueue.ts'
import type { ChainTransaction } from '../../protocol/transaction.ts'
import type { RpcContext } from '../context.ts'
import type { Caller } from '../method.ts'
import { recordExecutions } from './recordExecutions.ts'
import { defaultAccount } from './unlockedAccounts.ts'

/**
 * Runs the sends of a chain in instant mode one after the other, so that each is estimated on the
 * state after the ones before it, and none overtakes another.
 */
const sendQueue = memoize((_chain: Chain) => new SerialQueue())

/**
 * Resolves when all transactions sent before are accepted or refused, in instant mode sealed;
 * `undefined` if they are.
 */
export function sentBefore(chain: Chain): Promise<void> | undefined {
  const queue = sendQueue(chain)
  return queue.busy ? queue.run(() => chain.settled()) : chain.settled()
}

/**
 * Estimates the gas of a transaction in the block that would be sealed now.
 *
 * @throws the errors of `eth_estimateGas`
 * @throws {RefusedError} if the request has no `from` and the node has no accounts
 */
async function estimateSend(
  context: RpcContext,
  request: CallRequest,
  signal: AbortSignal,
): Promise<bigint> {
  const { chain, clocks, options } = context
  const from = request.from ?? defaultAccount(context)
  const pending = await clocks.preview()
  try {
    return await estimateGas(
      chain,
      executionTarget(chain, pending),
      { ...request, from },
      {
        gasCap: BigInt(options.callGasLimit),
        timeout: options.simulateTimeout,
        signal,
        onPrint: (printed, call) => context.observer.printed('eth_sendTransaction', call, printed),
      },
    )
  } finally {
    pending.state.release()
  }
}

/**
 * Submits a transaction to the mempool. With the option `readOwnWrites`, a sender without the funds
 * is refused only once a tick has taken what was sent before, as that may bring them.
 *
 * @throws {DevnetError} if it is undecodable or refused; the promise may reject with it instead
 */
export function submit(
  context: Pick<RpcContext, 'chain' | 'clocks' | 'options'>,
  submission: Submission,
  terms?: AdmissionTerms,
): ChainTransaction | Promise<ChainTransaction> {
  return context.options.readOwnWrites
    ? submitOnOwnWrites(context, submission, terms)
    : context.chain.submit(submission, terms)
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

/**
 * Sends a transaction; returns its hash once the mempool has accepted it.
 *
 * In instant mode, returns once the transaction is sealed or has to wait in the mempool. One that
 * fails is sealed nevertheless, and its error is thrown, as by hardhat node.
 *
 * @throws {RefusedError} in instant mode also for a nonce gap, unless the option `anvil` is set
 * @throws {ExecutionRevertedError} or {@link ExecutionHaltedError} if it fails in instant mode
 */
export function send(context: RpcContext, submission: Submission): Hex | Promise<Hex> {
  const { chain, clocks } = context
  if (clocks.instant) {
    const sendNow = () => sendInstantly(context, submission)
    const queue = sendQueue(chain)
    return queue.busy ? queue.run(sendNow) : sendNow()
  }
  const accepted = submit(context, submission)
  if (clocks.ticksOnArrival) return sendAndSee(accepted, clocks)
  return accepted instanceof Promise ? accepted.then(({ hash }) => hash) : accepted.hash
}

/**
 * Sends the transaction of a request; see {@link send}.
 *
 * In instant mode, missing gas is estimated, as by hardhat node, so that a transaction that would
 * fail is refused instead of sealed. With the option `anvil`, it is sealed.
 *
 * @param make - makes the transaction, once everything sent before is accepted or refused
 */
export function sendRequest(
  context: RpcContext,
  request: CallRequest,
  { signal }: Caller,
  make: (context: RpcContext, request: CallRequest) => OwnTransaction,
): Hex | Promise<Hex> {
  const { clocks, options } = context
  if (!clocks.instant || options.anvil || request.gas !== undefined) {
    return send(context, () => make(context, request))
  }
  return sendQueue(context.chain).run(async () => {
    // Errors that do not depend on gas, such as an unknown sender, come before the estimate.
    make(context, { ...request, gas: 0n })
    const gas = await estimateSend(context, request, signal)
    return sendInstantly(context, () => make(context, { ...request, gas }))
  })
}

/** With tick interval 0, returns once the transaction is visible in `pending`. */
async function sendAndSee(
  accepted: { readonly hash: Hex } | Promise<{ readonly hash: Hex }>,
  clocks: Pick<RpcContext['clocks'], 'arrivals'>,
): Promise<Hex> {
  const { hash } = await accepted
  await clocks.arrivals
  return hash
}

function sendInstantly(
  { chain, clocks, options }: RpcContext,
  submission: Submission,
): Promise<Hex> {
  return recordExecutions(chain, async (executions) => {
    const { hash } = await chain.submit(submission, options.anvil ? {} : NO_GAPS)
    await clocks.arrivals
    const execution = executions.get(hash)
    if (execution?.success === false) throw callFailure(execution)
    const dropped = chain.dropped.findLast((one) => one.hash === hash)
    if (dropped !== undefined && chain.findTransaction(hash) === undefined) {
      throw new RefusedError(dropped.reason)
    }
    return hash
  })
}

const NO_GAPS = {
  refuseGap: (next: bigint, nonce: bigint) => new NonceTooHighError(next, nonce),
}
