import type { Execution, FrameKind } from '../engine/types.ts'
import { revertReason } from '../execution/failureMessage.ts'
import type { CallTracerConfig } from '../json/schemas/tracerChoice.ts'
import { type Hex, quantity, toHex } from '../primitives/hex.ts'
import { stringifyJson } from '../primitives/json.ts'
import type { Paced } from '../primitives/paced.ts'
import type { Frame, FrameEnd, TraceBudget, TraceContext, TracedLog, Tracer } from './tracer.ts'

/** A frame with the frames that it opened, in the form of geth's `callTracer`. */
export interface CallNode {
  readonly from: Hex
  readonly gas: Hex
  gasUsed: Hex
  to: Hex | undefined
  readonly input: Hex
  output: Hex | undefined
  error: string | undefined
  /** Reason of a revert, if `output` encodes one as Solidity does. */
  revertReason: string | undefined
  calls: CallNode[] | undefined
  logs: CallLog[] | undefined
  readonly value: Hex | undefined
  readonly type: FrameKind
}

export interface CallLog {
  readonly address: Hex
  readonly topics: readonly Hex[]
  readonly data: Hex
  /** Index in the block. */
  readonly index: Hex
  /** Number of frames that the same frame had opened before it emitted the log. */
  readonly position: Hex
}

/** Approximate bytes of a frame in JSON, without input and output. */
const FRAME_SIZE = 350

/** Approximate bytes of a log in JSON, without topics and data; below, those of a topic. */
const LOG_SIZE = 150
const TOPIC_SIZE = 70

/** The tree of frames, optionally with logs: geth's `callTracer`. */
export class CallTracer implements Tracer {
  readonly #config: CallTracerConfig
  readonly #budget: TraceBudget
  readonly isLight = true
  /** The open frames, outermost first. */
  readonly #open: CallNode[] = []
  #gasLimit = 0n
  #root: CallNode | undefined

  constructor(config: CallTracerConfig, budget: TraceBudget) {
    this.#config = config
    this.#budget = budget
  }

  start({ tx }: TraceContext): void {
    this.#gasLimit = tx.gasLimit
  }

  get root(): CallNode {
    if (this.#root === undefined) throw new Error('No frame was opened')
    return this.#root
  }

  get innermost(): CallNode | undefined {
    return this.#open.at(-1)
  }

  enter({ type, depth, from, to, input, gas, value }: Frame): void {
    if (this.#config.onlyTopCall && depth > 0) return
    this.#budget.spend(FRAME_SIZE + 2 * input.length)
    const node: CallNode = {
      from: toHex(from),
      // The outermost frame shows all gas of the transaction, including the intrinsic gas.
      gas: quantity(depth === 0 ? this.#gasLimit : gas),
      gasUsed: '0x0',
      to: to === undefined ? undefined : toHex(to),
      input: toHex(input),
      output: undefined,
      error: undefined,
      revertReason: undefined,
      calls: undefined,
      logs: undefined,
      value: value === undefined ? undefined : quantity(value),
      type,
    }
    const parent = this.innermost
    if (parent === undefined) this.#root = node
    else {
      parent.calls ??= []
      parent.calls.push(node)
    }
    this.#open.push(node)
  }

  exit(end: FrameEnd): void {
    if (this.#config.onlyTopCall && end.depth > 0) return
    const node = this.#open.pop()
    if (node === undefined) throw new Error('A frame ended without having begun')
    const { gasUsed, created, error, halt, output } = end
    node.gasUsed = quantity(gasUsed)
    if (created !== undefined) node.to = toHex(created)
    if (error !== undefined) {
      node.error = error
      if (node.type === 'CREATE' || node.type === 'CREATE2') node.to = undefined
      if (halt !== 'revert') return
      node.revertReason = revertReason(output)
    }
    if (output.length === 0) return
    this.#budget.spend(2 * output.length)
    node.output = toHex(output)
  }

  log({ depth, address, topics, data, index }: TracedLog): void {
    const { withLog, onlyTopCall } = this.#config
    if (!withLog || (onlyTopCall && depth > 0)) return
    const node = this.innermost
    if (node === undefined) return
    this.#budget.spend(LOG_SIZE + TOPIC_SIZE * topics.length + 2 * data.length)
    node.logs ??= []
    node.logs.push({
      address: toHex(address),
      topics: topics.map(toHex),
      data: toHex(data),
      index: quantity(index),
      position: quantity(node.calls?.length ?? 0),
    })
  }

  end({ gasUsed }: Execution): void {
    this.root.gasUsed = quantity(gasUsed)
    if (this.#config.withLog) dropFailedLogs(this.root, false)
  }

  result(): Paced<string[]> {
    return stringifyJson(this.root)
  }
}

/** Removes the logs of failed frames and of all frames inside them. */
function dropFailedLogs(node: CallNode, parentFailed: boolean): void {
  const failed = parentFailed || node.error !== undefined
  if (failed) node.logs = undefined
  for (const call of node.calls ?? []) dropFailedLogs(call, failed)
}
