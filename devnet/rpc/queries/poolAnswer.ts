import { Scheduler } from '../../engine/scheduler.ts'
import { bySender, listPool, poolAddress } from '../../json/formatPool.ts'
import { stringifyJson } from '../../primitives/json.ts'
import { JsonText } from '../../primitives/jsonText.ts'
import { type Paced, runPaced } from '../../primitives/paced.ts'
import type { ChainTransaction } from '../../protocol/transaction.ts'
import type { RpcContext } from '../context.ts'
import { afterSubmissions } from './findAfterTick.ts'

/** An answer about the pool at one moment, made and written in slices: it may be 100 MB. */
export function poolAnswer(
  { chain }: RpcContext,
  signal: AbortSignal,
  answer: (pool: ReturnType<typeof listPool>) => Paced<unknown>,
): Promise<JsonText> | JsonText {
  return afterSubmissions(chain, async () => {
    const work = answer(listPool(chain))
    const scheduler = new Scheduler({ signal })
    return new JsonText(await runPaced(stringifyJson(await runPaced(work, scheduler)), scheduler))
  })
}

/** The pool by sender and nonce. */
export function poolBySender(
  context: RpcContext,
  signal: AbortSignal,
  describe: (transaction: ChainTransaction) => unknown,
) {
  const shown = poolAddress(context)
  return poolAnswer(context, signal, function* ({ pending, queued }) {
    return {
      pending: yield* bySender(pending, shown, describe),
      queued: yield* bySender(queued, shown, describe),
    }
  })
}
