import { hash32, params } from '../../json/params.ts'
import { NO_TRACE_CONFIG } from '../../json/schemas/traceConfig.ts'
import type { TracerChoice } from '../../json/schemas/tracerChoice.ts'
import { traceTransaction } from '../../tracing/traceBlock.ts'
import { defineMethod } from '../method.ts'
import { traceLimits } from './debugBlock.ts'
import { readsUnplaced } from './findAfterTick.ts'
import { placedTransaction } from './placedTransaction.ts'

/** Makes a method that traces a transaction for Otterscan. */
export function otterscanTrace(list: Extract<TracerChoice, { name: 'otterscan' }>['list']) {
  const config = { ...NO_TRACE_CONFIG, tracer: { name: 'otterscan', list } as const }
  return defineMethod({
    params: params(hash32()),
    remote: 'transaction',
    reads: (context, [hash]) => readsUnplaced(context, hash),
    async handle({ chain, options }, [hash], { signal }) {
      const { block, found } = await placedTransaction({ chain, options }, hash)
      const limits = traceLimits(config, options, signal)
      return traceTransaction(chain, block, found.executed.index, limits)
    },
  })
}
