import { CONSOLE } from '../../engine/consoleCalls.ts'
import { consoleMessage } from '../../execution/consoleLog.ts'
import { hash32 } from '../../json/params.ts'
import { NO_TRACE_CONFIG } from '../../json/schemas/traceConfig.ts'
import type { TracerChoice } from '../../json/schemas/tracerChoice.ts'
import { shorten } from '../../primitives/errors.ts'
import { fromHex, type Hex, toHex } from '../../primitives/hex.ts'
import { parseJson } from '../../primitives/json.ts'
import { runPaced } from '../../primitives/paced.ts'
import { askCompiler, askContracts, type NamingSource } from '../../rpc/naming/contractNames.ts'
import { withPreconfirmed } from '../../rpc/queries/findAfterTick.ts'
import { placedTransaction } from '../../rpc/queries/placedTransaction.ts'
import type { CallLog, CallNode } from '../../tracing/callTracer.ts'
import type { FailedFrame } from '../../tracing/failureTracer.ts'
import { traceTransaction } from '../../tracing/traceBlock.ts'
import { changesOf, type Prestate } from '../changes.ts'
import { lineText } from '../logLines.ts'
import { type Event, type Naming, shownHex } from '../naming.ts'
import { defineQuery, fields } from '../query.ts'
import { lineOf, placesOf, type SourceLine } from '../solidityStack.ts'
import { transfersOf } from '../tokens/transfers.ts'
import { nameVariables } from '../variables/variables.ts'

/** ms that a trace may take. */
const TIMEOUT = 5000

/** Most bytes of a trace, besides the limit of the node: a page cannot show more. */
const MAX_SIZE = 8 * 1024 * 1024

const MOST_FRAMES = 1000
const MOST_EVENTS = 1000
const MOST_LINES = 1000
const MOST_SOURCE_LINES = 50

/** Longest result in one line, in characters. */
const MAX_RETURNED = 200

const CONSOLE_ADDRESS = toHex(CONSOLE)

/** @param isFailed - whether it is to be told what led to the failure: that takes every step */
const tracer = (isFailed: boolean): TracerChoice => ({
  name: 'muxTracer',
  tracers: [
    ...(isFailed ? [{ name: 'failureTracer' } as const] : []),
    { name: 'callTracer', config: { onlyTopCall: false, withLog: true } },
    {
      name: 'prestateTracer',
      config: { diffMode: true, disableCode: false, disableStorage: false, includeEmpty: false },
    },
    { name: 'preimages' },
  ],
})

/** Answer of the {@link tracer}. */
interface Traced {
  readonly failureTracer?: readonly FailedFrame[]
  readonly callTracer: CallNode
  readonly prestateTracer: { readonly pre: Prestate; readonly post: Prestate }
  readonly preimages: Readonly<Record<Hex, readonly Hex[]>>
}

interface PlacedEvent {
  /** Number of frames before it. */
  readonly before: number
  /** 1 if the transaction's own frame emitted it. */
  readonly depth: number
  readonly event: Event
}

/**
 * Executes a transaction again, and tells what it called and did. Refused with -32000 for one that
 * waits, or if the state before its block is not kept; -32005 if it is too large.
 */
export default defineQuery(fields({ hash: hash32() }), async (dashboard, { hash }, { signal }) => {
  const { context } = dashboard.node
  const { chain, options } = context
  const { block, found } = await placedTransaction(withPreconfirmed(context), hash)
  const text = await traceTransaction(chain, block, found.executed.index, {
    ...NO_TRACE_CONFIG,
    tracer: tracer(!found.executed.success),
    timeout: TIMEOUT,
    maxSize: Math.min(MAX_SIZE, options.maxTraceSize),
    signal,
  })
  const { scheduler, naming } = dashboard.work(signal)
  // The tracers answer these shapes.
  const traced = (await runPaced(parseJson(text.text), scheduler)) as Traced
  const failed = traced.failureTracer ?? []
  const printed: string[] = []
  const frames: Frame[] = []
  const events: PlacedEvent[] = []
  let origin: number | null = null
  let [number, count, lines, emitted] = [0, 0, 0, 0]
  for (const { node, log, depth } of preorder(traced.callTracer)) {
    if (log !== undefined) {
      const { address, topics, data, index } = log
      if (++emitted > MOST_EVENTS || count > MOST_FRAMES) continue
      const raw = [fromHex(address), topics.map(fromHex), fromHex(data)] as const
      const event = await naming.event(raw, Number(index))
      events.push({ before: frames.length, depth, event })
      continue
    }
    const isOrigin = number++ === failed.at(-1)?.number
    if (node.to === CONSOLE_ADDRESS) {
      const line = consoleMessage(fromHex(node.input), chain.engine.crypto.keccak256)
      if (line === undefined) continue
      if (++lines <= MOST_LINES) printed.push(lineText(line))
    } else if (++count <= MOST_FRAMES) {
      if (isOrigin) origin = frames.length
      frames.push(await frameOf(node, depth, naming))
    }
    await naming.pause()
  }
  const { pre, post } = traced.prestateTracer
  const { changes, omitted } = changesOf(pre, post)
  await naming.nameAll(changes.flatMap(({ address, delegate }) => [address, delegate]))
  return {
    /** Callers before callees: the depth makes it a tree. */
    frames,
    omittedFrames: count - frames.length,
    /** In order of the frames; those of frames that failed are undone, and not among them. */
    events,
    omittedEvents: emitted - events.length,
    /** Reason why it failed; `null` on success. */
    failure: frames[0]?.failure ?? null,
    /** Index of the frame in which the failure began; `null` on success, or if it is left out. */
    origin,
    /**
     * Lines of Solidity that led to the failure, innermost first, at most 50. Frames without
     * artifacts, or that were compiled without source maps, have none.
     */
    stack: await stackOf(failed, dashboard.naming, naming),
    /** Output of `console.log`, in order. */
    console: printed,
    omittedConsole: lines - printed.length,
    changes: await nameVariables(dashboard, changes, traced.preimages, naming),
    omittedChanges: omitted,
    transfers: await transfersOf(dashboard, found.executed, traced.callTracer, naming),
    names: naming.names,
  }
})

type Visited =
  | { readonly node: CallNode; readonly log?: undefined; readonly depth: number }
  | { readonly node?: undefined; readonly log: CallLog; readonly depth: number }

/** Callers before callees, and events in between. Not recursive, because calls nest 1,024 deep. */
function* preorder(root: CallNode): Generator<Visited> {
  const stack: Visited[] = [{ node: root, depth: 0 }]
  for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
    yield next
    const { calls = [], logs = [] } = next.node ?? {}
    const depth = next.depth + 1
    const inside: Visited[] = []
    for (let [at, emitted] = [0, 0]; at <= calls.length; at++) {
      for (let log = logs[emitted]; Number(log?.position) === at; log = logs[++emitted]) {
        if (log !== undefined) inside.push({ log, depth })
      }
      const node = calls[at]
      if (node !== undefined) inside.push({ node, depth })
    }
    for (const one of inside.toReversed()) stack.push(one)
  }
}

/** The lines of Solidity that led to a failure, as far as the compiler's output is known. */
async function stackOf(
  chain: readonly FailedFrame[],
  source: NamingSource,
  naming: Naming,
): Promise<SourceLine[]> {
  const stack: SourceLine[] = []
  for (const frame of chain.toReversed()) {
    const { code, isCreation } = frame
    const found = await askContracts(source, (contracts) =>
      isCreation ? contracts.createdBy(code) : contracts.deployedAs(code),
    )
    // Contracts with the same code were compiled from the same text.
    const places = await askCompiler(source, found, (compiled) =>
      placesOf(compiled, frame, fromHex(code)),
    )
    for (const place of places?.slice(0, MOST_SOURCE_LINES - stack.length) ?? []) {
      stack.push(lineOf(place))
      await naming.pause()
    }
    if (stack.length === MOST_SOURCE_LINES) break
    await naming.pause()
  }
  return stack
}

export type Frame = Awaited<ReturnType<typeof frameOf>>

async function frameOf(node: CallNode, depth: number, naming: Naming) {
  const { type, from, to = null, input, output = '0x', error } = node
  const isCreation = type === 'CREATE' || type === 'CREATE2'
  await naming.nameAll([from, to])
  const { text, decoded, names } = await naming.call(isCreation ? null : to, input)
  const returns =
    error === undefined && !isCreation ? await naming.returned(names, output, to) : null
  const inner = (node.calls ?? []).reduce((sum, { gasUsed }) => sum + Number(gasUsed), 0)
  return {
    /** 0 for the transaction itself. */
    depth,
    /** As the opcode: CALL, STATICCALL, DELEGATECALL, CALLCODE, CREATE, CREATE2, SELFDESTRUCT. */
    type,
    from,
    /** `null` for a creation that failed. */
    to,
    /** `null` if the opcode carries none. */
    value: node.value === undefined ? null : String(BigInt(node.value)),
    gas: Number(node.gas),
    gasUsed: Number(node.gasUsed),
    /** Without that of the frames inside. */
    ownGas: Math.max(0, Number(node.gasUsed) - inner),
    call: { text, decoded },
    input: shownHex(input),
    output: shownHex(output),
    /** The decoded output; `null` if it is unknown, empty, or that of a failure. */
    returns,
    /** The same in one line. */
    returned: returns === null ? null : shorten(naming.line(returns), MAX_RETURNED),
    failure:
      error === undefined
        ? null
        : await naming.failure(messageOf(error, node.revertReason), output, names.abi),
  }
}

function messageOf(error: string, reason: string | undefined): string {
  return reason === undefined ? error : `${error}: ${reason}`
}
