import type { TransactionPlace } from '../../chain/chain.ts'
import type { Hex } from '../../types.ts'
import type { RpcContext } from '../context.ts'
import { placeOf } from '../format/place.ts'
import {
  type FormattedTransaction,
  formatPoolTransaction,
  formatTransaction,
} from '../format/transaction.ts'
import { type Caller, defineMethod } from '../method.ts'
import { params } from '../params.ts'
import { hash32 } from '../schemas/hex.ts'
import { waitForTick } from '../tickWait.ts'

/**
 * A transaction that the next tick can take is answered after that tick, because clients that see the pool form first
 * wait for the seal. Whatever no tick is going to take soon is answered in the pool form at once.
 */
export default defineMethod({
  params: params(hash32()),
  handle(context, [hash], caller) {
    const found = context.chain.findTransaction(hash)
    if (found === undefined) return null
    return waitsForTick(found, context) ? afterTick(context, hash, caller) : format(found)
  },
})

function waitsForTick(
  found: TransactionPlace,
  { clocks, options }: Pick<RpcContext, 'clocks' | 'options'>,
): boolean {
  return found.at === 'mempool' && found.runnable && clocks.ticks.running && !options.revealMempool
}

async function afterTick(
  context: RpcContext,
  hash: Hex,
  caller: Caller,
): Promise<FormattedTransaction | null> {
  const { chain } = context
  await waitForTick(context, caller, () => chain.findTransaction(hash)?.at !== 'mempool')
  const found = chain.findTransaction(hash)
  return found === undefined ? null : format(found)
}

function format(found: TransactionPlace): FormattedTransaction {
  switch (found.at) {
    case 'sealed':
      return formatTransaction(found.executed, placeOf(found.block))
    case 'pending':
      return formatTransaction(found.executed, placeOf(found.view))
    case 'mempool':
      return formatPoolTransaction(found.transaction)
  }
}
