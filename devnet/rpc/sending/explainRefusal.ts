import {
  AlreadyKnownError,
  NonceTooLowError,
  ReplacementUnderpricedError,
} from '../../chain/admission.ts'
import { RefusedError } from '../../primitives/errors.ts'
import type { RpcContext } from '../context.ts'

type Context = Pick<RpcContext, 'chain' | 'clocks' | 'lag' | 'options'>

/**
 * The error of a refused transaction. Behind its text, which clients match, it explains the part of
 * the two clocks; in instant mode they have none.
 */
export function explainRefusal(error: unknown, context: Context): unknown {
  const { clocks } = context
  if (clocks.instant || clocks.collecting || !(error instanceof RefusedError)) return error
  let cause: string | undefined
  if (error instanceof NonceTooLowError) cause = lagOf(error, context)
  if (error instanceof AlreadyKnownError) cause = `it ${stateOf(error, context)}`
  if (error instanceof ReplacementUnderpricedError) {
    cause = `one with its nonce ${stateOf(error, context)}: take the next nonce, or raise all fees further`
  }
  return cause === undefined
    ? error
    : new RefusedError(`${error.message}; ${cause}`, { cause: error })
}

/** The lag of `latest`, if it has not seen the transaction that used this nonce. */
function lagOf(error: NonceTooLowError, context: Context): string | undefined {
  const { chain, options } = context
  const { senderKey, nonce } = error.transaction
  const sealed = chain.store.view(chain.head.version).account(senderKey)?.nonce ?? 0n
  if (options.latest === 'ticks' || nonce < sealed) return undefined
  return `\`latest\` says ${sealed} until block ${chain.pending.environment.number} is sealed${cureOf(error, context)}`
}

/** Advice for a client that has read `latest`, as the end of a sentence. */
function cureOf({ message }: RefusedError, { chain, lag, options }: Context): string {
  if (options.latest === 'ticks') return ''
  lag?.tell(`A transaction was refused, "${message}"`, chain.pending)
  if (options.profile !== 'plain') return ': read pending'
  const other = options.receipts === 'sealed' ? '' : ' or --receipts sealed'
  return `: read pending, or start the node with --latest ticks${other}`
}

function stateOf(error: AlreadyKnownError | ReplacementUnderpricedError, context: Context): string {
  const { chain, clocks } = context
  const found = chain.findTransaction(error.transaction.hash)
  if (found?.at === 'sealed') return `is sealed in block ${found.block.number}`
  if (found?.at === 'pending') {
    const { number } = found.view.environment
    return `is pre-confirmed in block ${number}, which is not sealed${cureOf(error, context)}`
  }
  const isGap = found?.runnable === false
  const tick = clocks.ticks.running ? 'for the next tick' : 'for a tick, and ticks are frozen'
  return `waits in the mempool ${isGap ? 'behind a nonce gap' : tick}`
}
