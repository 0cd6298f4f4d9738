import { Scheduler } from '../engine/scheduler.ts'
import { parseJson } from '../primitives/json.ts'
import { JsonText } from '../primitives/jsonText.ts'
import { runPaced } from '../primitives/paced.ts'
import type { RpcContext } from '../rpc/context.ts'
import { methodTable } from '../rpc/methodTable.ts'
import type { Ask } from '../rpc/naming/simulatedCalls.ts'
import { untilKnown } from '../rpc/untilKnown.ts'

/** Asks this node itself: the `pending` of most rollups has no pre-confirmed transaction. */
export function askOwn(context: RpcContext, signal: AbortSignal): Ask {
  const caller = { signal, origin: undefined, subscribe: () => undefined }
  return async (name, ...list) => {
    const method = (await methodTable[name]?.())?.default
    if (method === undefined) throw new Error(`There is no method ${name}`)
    // The cast is safe: the method's own schema has read the values.
    const params = method.params?.read(list, { takesDecimals: false }) as never
    const result = await untilKnown(async () => method.handle(context, params, caller), signal)
    if (!(result instanceof JsonText)) return result
    return runPaced(parseJson(result.text), new Scheduler({ signal }))
  }
}
