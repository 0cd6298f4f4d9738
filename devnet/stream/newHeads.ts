import type { RpcContext } from '../rpc/context.ts'
import { formatHeader } from '../rpc/format/block.ts'
import { TooManyArgumentsError } from '../rpc/params.ts'
import type { StartSubscription } from './subscriptions.ts'

/** Sends the header of each block when it is sealed; never the pending one. */
export function newHeads({ chain }: RpcContext, extra: unknown): StartSubscription {
  if (extra !== undefined) throw new TooManyArgumentsError(1)
  return (push) => chain.onSeal((block) => push(formatHeader(block)))
}
