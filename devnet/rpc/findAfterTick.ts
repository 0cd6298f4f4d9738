import type { TransactionPlace } from '../chain/chain.ts'
import type { Hex } from '../types.ts'
import type { RpcContext } from './context.ts'
import type { Caller } from './method.ts'
import { findSubmitted } from './submitted.ts'
import { waitForTick } from './tickWait.ts'

/**
 * Where a transaction is; one that the next tick can take is looked for after the tick that takes it, because clients that see it
 * in the mempool first, or have no receipt at their first look, wait for the seal. With ticks frozen, a nonce gap or
 * `revealMempool`, at once.
 */
export function findAfterTick(
  context: RpcContext,
  hash: Hex,
  caller: Caller,
): TransactionPlace | undefined | Promise<TransactionPlace | undefined> {
  const found = findSubmitted(context.chain, hash)
  return found instanceof Promise
    ? found.then((later) => afterItsTick(context, hash, later, caller))
    : afterItsTick(context, hash, found, caller)
}

function afterItsTick(
  context: RpcContext,
  hash: Hex,
  found: TransactionPlace | undefined,
  caller: Caller,
): TransactionPlace | undefined | Promise<TransactionPlace | undefined> {
  if (found === undefined || !waitsForTick(found, context)) return found
  const { chain } = context
  const find = () => chain.findTransaction(hash)
  const awaited = {
    taken: () => find()?.at !== 'mempool',
    fits: () => {
      const place = find()
      if (place?.at !== 'mempool' || !place.runnable) return false
      return place.transaction.maxFeePerGas >= chain.pending.environment.baseFeePerGas
    },
  }
  return waitForTick(context, caller, awaited).then(find)
}

function waitsForTick(
  found: TransactionPlace,
  { clocks, options }: Pick<RpcContext, 'clocks' | 'options'>,
): boolean {
  return found.at === 'mempool' && found.runnable && clocks.ticks.running && !options.revealMempool
}
