import type { Execution } from '../engine/types.ts'
import { revertReason } from '../execution/failureMessage.ts'
import { type Hex, quantity, toHex } from '../primitives/hex.ts'
import type {
  Frame,
  FrameEnd,
  FrameType,
  TraceBudget,
  TraceContext,
  TracedLog,
  Tracer,
} from './tracer.ts'

/** A log of {@link CallNode}. */
export interface CallLog {
  readonly address: Hex
  readonly topics: readonly Hex[]
  readonly data: Hex
  /** In the block. */
  readonly index: Hex
  /** Frames that the same frame had opened before it. */
  readonly position: Hex
}

/** A frame with those that it opened, as geth's `callTracer` has it. */
export interface CallNode {
  readonly from: Hex
  readonly gas: Hex
  gasUsed: Hex
  to: Hex | undefined
  readonly input: Hex
  output: Hex | undefined
  error: string | undefined
  /** What a revert said, where it said it as Solidity does. */
  revertReason: string | undefined
  calls: CallNode[] | undefined
  logs: CallLog[] | undefined
  readonly value: Hex | undefined
  readonly type: FrameType
}

/** What is recorded of the frames. */
export interface CallFramesConfig {
  /** Only the outermost frame. */
  readonly onlyTopCall: boolean
  readonly withLog: boolean
}

/** Bytes of a frame in JSON, beside input and output. */
const FRAME_SIZE = 350

/** Bytes of a log in JSON, beside topics and data. */
const LOG_SIZE = 150
const TOPIC_SIZE = 70

/** The tree of frames of one transaction, while it grows. */
export class CallFrames {
  readonly #config: CallFramesConfig
  readonly #budget: TraceBudget
  /** The frames that are open, outermost first. */
  readonly #open: CallNode[] = []
  #gasLimit = 0n
  #root: CallNode | undefined

  constructor(config: CallFramesConfig, budget: TraceBudget) {
    this.#config = config
    this.#budget = budget
  }

  start({ tx }: TraceContext): void {
    this.#gasLimit = tx.gasLimit
  }

  /** The frame that holds all others. */
  get root(): CallNode {
    if (this.#root === undefined) throw new Error('No frame was opened')
    return this.#root
  }

  /** The innermost of the frames that are open. */
  get innermost(): CallNode | undefined {
    return this.#open.at(-1)
  }

  enter({ type, depth, from, to, input, gas, value }: Frame): void {
    if (this.#config.onlyTopCall && depth > 0) return
    this.#budget.spend(FRAME_SIZE + 2 * input.length)
    const node: CallNode = {
      from: toHex(from),
      // The outermost has all gas of the transaction, that for its bytes included.
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
    if (node === undefined) throw new Error('A frame ends that never began')
    node.gasUsed = quantity(end.gasUsed)
    if (end.created !== undefined) node.to = toHex(end.created)
    if (end.error === undefined) this.#setOutput(node, end.output)
    else this.#fail(node, end.error, end)
  }

  #fail(node: CallNode, error: string, { reverted, output }: FrameEnd): void {
    node.error = error
    if (node.type === 'CREATE' || node.type === 'CREATE2') node.to = undefined
    if (!reverted) return
    this.#setOutput(node, output)
    node.revertReason = revertReason(output)
  }

  #setOutput(node: CallNode, output: Uint8Array): void {
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
}

/** What failed emitted nothing, whatever it contains. */
function dropFailedLogs(node: CallNode, parentFailed: boolean): void {
  const failed = parentFailed || node.error !== undefined
  if (failed) node.logs = undefined
  for (const call of node.calls ?? []) dropFailedLogs(call, failed)
}

/** The tree of frames, with logs where they are asked for: geth's `callTracer`. */
export class CallTracer implements Tracer {
  readonly #frames: CallFrames

  constructor(config: CallFramesConfig, budget: TraceBudget) {
    this.#frames = new CallFrames(config, budget)
  }

  start(context: TraceContext): void {
    this.#frames.start(context)
  }

  enter(frame: Frame): void {
    this.#frames.enter(frame)
  }

  exit(end: FrameEnd): void {
    this.#frames.exit(end)
  }

  log(log: TracedLog): void {
    this.#frames.log(log)
  }

  end(execution: Execution): void {
    this.#frames.end(execution)
  }

  result(): string {
    return JSON.stringify(this.#frames.root)
  }
}
