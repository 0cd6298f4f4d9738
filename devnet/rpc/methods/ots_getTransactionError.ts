import { hash32, params } from '../../json/params.ts'
import { NO_TRACE_CONFIG } from '../../json/schemas/traceConfig.ts'
import { toHex } from '../../primitives/hex.ts'
import { executeAgain } from '../../tracing/executeAgain.ts'
import { defineMethod } from '../method.ts'
import { readsUnplaced } from '../queries/findAfterTick.ts'
import { placedTransaction } from '../queries/placedTransaction.ts'

/** Data that the transaction reverted with; `0x` if it did not revert, or with nothing. */
export default defineMethod({
  params: params(hash32()),
  remote: 'transaction',
  reads: (context, [hash]) => readsUnplaced(context, hash),
  async handle(context, [hash], { signal }) {
    const { chain } = context
    const { block, found } = await placedTransaction(context, hash)
    if (found.executed.success) return '0x'
    const { timeout } = NO_TRACE_CONFIG
    const count = found.executed.index + 1
    const execution = (await executeAgain(chain, block, count, { signal, timeout })).at(-1)
    return execution?.failure === 'revert' ? toHex(execution.returnData) : '0x'
  },
})
