import { CONSOLE } from '../../engine/consoleCalls.ts'
import { consoleMessage } from '../../execution/consoleLog.ts'
import { hash32 } from '../../json/params.ts'
import { NO_TRACE_CONFIG } from '../../json/schemas/traceConfig.ts'
import { fromHex, toHex } from '../../primitives/hex.ts'
import { parseJson } from '../../primitives/json.ts'
import { runPaced } from '../../primitives/paced.ts'
import { withPreconfirmed } from '../../rpc/queries/findAfterTick.ts'
import { placedTransaction } from '../../rpc/queries/placedTransaction.ts'
import type { CallNode } from '../../tracing/callTracer.ts'
import { traceTransaction } from '../../tracing/traceBlock.ts'
import type { Frame, TraceAnswer } from '../apiTypes/callTypes.ts'
import { changesOf, type Prestate } from '../changes.ts'
import { lineText } from '../logLines.ts'
import { type Naming, shownHex } from '../naming.ts'
import { defineQuery, fields } from '../query.ts'

/** ms that a trace may take. */
const TIMEOUT = 5000

/** Most bytes of a trace, besides the limit of the node: a page cannot show more. */
const MAX_SIZE = 8 * 1024 * 1024

const MOST_FRAMES = 1000
const MOST_LINES = 1000

const CONSOLE_ADDRESS = toHex(CONSOLE)

const TRACER = {
  name: 'muxTracer',
  tracers: [
    { name: 'callTracer', config: { onlyTopCall: false, withLog: false } },
    {
      name: 'prestateTracer',
      config: { diffMode: true, disableCode: false, disableStorage: false, includeEmpty: false },
    },
  ],
} as const

/** Answer of {@link TRACER}. */
interface Traced {
  readonly callTracer: CallNode
  readonly prestateTracer: { readonly pre: Prestate; readonly post: Prestate }
}

/** Executes a transaction again, and tells what it did. */
export default defineQuery(
  'trace',
  fields({ hash: hash32() }),
  async (dashboard, { hash }, { signal }): Promise<TraceAnswer> => {
    const { context } = dashboard.node
    const { chain, options } = context
    const { block, found } = await placedTransaction(withPreconfirmed(context), hash)
    const text = await traceTransaction(chain, block, found.executed.index, {
      ...NO_TRACE_CONFIG,
      tracer: TRACER,
      timeout: TIMEOUT,
      maxSize: Math.min(MAX_SIZE, options.maxTraceSize),
      signal,
    })
    const { scheduler, naming } = dashboard.work(signal)
    // The tracers answer these shapes.
    const traced = (await runPaced(parseJson(text.text), scheduler)) as Traced
    const printed: string[] = []
    const frames: Frame[] = []
    let [count, lines] = [0, 0]
    for (const { node, depth } of preorder(traced.callTracer, 0)) {
      if (node.to === CONSOLE_ADDRESS) {
        const line = consoleMessage(fromHex(node.input), chain.engine.crypto.keccak256)
        if (line === undefined) continue
        if (++lines <= MOST_LINES) printed.push(lineText(line))
      } else if (++count <= MOST_FRAMES) frames.push(await frameOf(node, depth, naming))
      await naming.pause()
    }
    const { pre, post } = traced.prestateTracer
    const { changes, omitted } = changesOf(pre, post)
    await naming.nameAll(changes.map(({ address }) => address))
    return {
      frames,
      omittedFrames: count - frames.length,
      failure: frames[0]?.failure ?? null,
      console: printed,
      omittedConsole: lines - printed.length,
      changes,
      omittedChanges: omitted,
      names: naming.names,
    }
  },
)

/** Callers before callees. Not recursive, because calls nest 1,024 deep. */
function* preorder(root: CallNode, top: number): Generator<{ node: CallNode; depth: number }> {
  const stack = [{ node: root, depth: top }]
  for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
    yield next
    const { depth } = next
    for (const node of (next.node.calls ?? []).toReversed()) stack.push({ node, depth: depth + 1 })
  }
}

async function frameOf(node: CallNode, depth: number, naming: Naming): Promise<Frame> {
  const { type, from, to = null, input, output = '0x', error } = node
  const isCreation = type === 'CREATE' || type === 'CREATE2'
  await naming.nameAll([from, to])
  const { text, decoded, names } = await naming.call(isCreation ? null : to, input)
  return {
    depth,
    type,
    from,
    to,
    value: node.value === undefined ? null : String(BigInt(node.value)),
    gas: Number(node.gas),
    gasUsed: Number(node.gasUsed),
    call: { text, decoded },
    input: shownHex(input),
    output: shownHex(output),
    returns: error === undefined && !isCreation ? await naming.returned(names, output) : null,
    failure:
      error === undefined
        ? null
        : await naming.failure(messageOf(error, node.revertReason), output, names.abi),
  }
}

function messageOf(error: string, reason: string | undefined): string {
  return reason === undefined ? error : `${error}: ${reason}`
}
