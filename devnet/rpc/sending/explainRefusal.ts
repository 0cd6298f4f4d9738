import { AlreadyKnownError, NonceTooLowError } from '../../chain/admission.ts'
import type { Options } from '../../options/options.ts'
import { RefusedError } from '../../primitives/errors.ts'
import type { RpcContext } from '../context.ts'

type Context = Pick<RpcContext, 'chain' | 'clocks' | 'options'>

/**
 * The error of a refused transaction, and behind its words, which clients match, the cause: what
 * the two clocks have to do with it. In instant mode they have nothing to do with it.
 */
export function explainRefusal(error: unknown, context: Context): unknown {
  const { clocks } = context
  if (clocks.instant || clocks.collecting) return error
  const cause =
    error instanceof NonceTooLowError
      ? lagOf(error, context)
      : error instanceof AlreadyKnownError
        ? placeOf(error, context)
        : undefined
  if (cause === undefined || !(error instanceof RefusedError)) return error
  return new RefusedError(`${error.message}; ${cause}`, { cause: error })
}

/** What `latest` says of the nonce, if it has not seen the transaction that used this one. */
function lagOf(
  { transaction: { senderKey, nonce } }: NonceTooLowError,
  { chain, options }: Context,
): string | undefined {
  const { head, pending, store } = chain
  const sealed = store.view(head.version).account(senderKey)?.nonce ?? 0n
  if (options.latest === 'ticks' || nonce < sealed) return undefined
  return `\`latest\` says ${sealed} until block ${pending.environment.number} is sealed: ${cures(options)}`
}

function cures({ profile, receipts }: Options): string {
  if (profile !== 'plain') return 'read pending'
  const other = receipts === 'sealed' ? '' : ' or --receipts sealed'
  return `read pending, or start the node with --latest ticks${other}`
}

function placeOf({ transaction: { hash } }: AlreadyKnownError, { chain, clocks }: Context): string {
  const found = chain.findTransaction(hash)
  if (found?.at === 'pending') {
    return `it is pre-confirmed in block ${found.view.environment.number}, which is not sealed`
  }
  if (found?.at === 'sealed') return `it is sealed in block ${found.block.number}`
  if (found?.runnable === false) return 'it waits in the mempool behind a nonce gap'
  return `it waits in the mempool for ${clocks.ticks.running ? 'the next tick' : 'a tick, and ticks are frozen'}`
}
