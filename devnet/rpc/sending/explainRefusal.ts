import { AlreadyKnownError, NonceTooLowError } from '../../chain/admission.ts'
import { RefusedError } from '../../primitives/errors.ts'
import type { RpcContext } from '../context.ts'

type Context = Pick<RpcContext, 'chain' | 'clocks' | 'options'>

/**
 * The error of a refused transaction, and behind its words, which clients match, what the two
 * clocks have to do with it: in instant mode, nothing.
 */
export function explainRefusal(error: unknown, context: Context): unknown {
  const { clocks } = context
  if (clocks.instant || clocks.collecting || !(error instanceof RefusedError)) return error
  let cause: string | undefined
  if (error instanceof NonceTooLowError) cause = lagOf(error, context)
  if (error instanceof AlreadyKnownError) cause = placeOf(error, context)
  return cause === undefined
    ? error
    : new RefusedError(`${error.message}; ${cause}`, { cause: error })
}

/** The advice of `latest` on the nonce, if it has not seen the transaction that used this one. */
function lagOf(
  { transaction: { senderKey, nonce } }: NonceTooLowError,
  { chain: { head, pending, store }, options: { latest, profile, receipts } }: Context,
): string | undefined {
  const sealed = store.view(head.version).account(senderKey)?.nonce ?? 0n
  if (latest === 'ticks' || nonce < sealed) return undefined
  const lag = `\`latest\` says ${sealed} until block ${pending.environment.number} is sealed: read pending`
  if (profile !== 'plain') return lag
  const other = receipts === 'sealed' ? '' : ' or --receipts sealed'
  return `${lag}, or start the node with --latest ticks${other}`
}

function placeOf({ transaction }: AlreadyKnownError, { chain, clocks }: Context): string {
  const found = chain.findTransaction(transaction.hash)
  if (found?.at === 'sealed') return `it is sealed in block ${found.block.number}`
  if (found?.at === 'pending') {
    return `it is pre-confirmed in block ${found.view.environment.number}, which is not sealed`
  }
  const isGap = found?.runnable === false
  const tick = clocks.ticks.running ? 'for the next tick' : 'for a tick, and ticks are frozen'
  return `it waits in the mempool ${isGap ? 'behind a nonce gap' : tick}`
}
