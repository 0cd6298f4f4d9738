import { toHex } from '../../chain/bytes.ts'
import type { Execution } from '../../engine/executor.ts'
import { bytesToBigInt } from '../../state/bigWords.ts'
import { addressKey, slotKeyFromBigInt } from '../../state/keys.ts'
import type { AddressKey } from '../../state/types.ts'
import { MemoryTexts } from './memoryTexts.ts'
import { Op, opcodeName } from './opcodes.ts'
import { stackItem } from './stackItems.ts'
import { StackTexts } from './stackTexts.ts'
import type { TraceBudget } from './traceBudget.ts'
import type { FrameEnd, TraceContext, Tracer, TraceStep } from './tracer.ts'

/** What is recorded of each step. */
export interface StructLogConfig {
  readonly enableMemory: boolean
  readonly disableStack: boolean
  readonly disableStorage: boolean
  readonly enableReturnData: boolean
  /** Bytes of steps after which no more are recorded; 0 records all. */
  readonly limit: number
}

/** Steps whose texts are joined at a time: thousands of small ones take twice the memory. */
const STEPS_PER_CHUNK = 1000

/** Every step of the execution: geth's tracer where none is named. */
export class StructLogger implements Tracer {
  readonly #config: StructLogConfig
  readonly #budget: TraceBudget
  readonly #chunks: string[] = []
  #steps: string[] = []
  /** Bytes recorded. */
  #size = 0
  readonly #stack = new StackTexts()
  readonly #memory = new MemoryTexts()
  /** Slots that each contract came to, with the values that it saw last or wrote. */
  readonly #storage = new Map<AddressKey, Map<string, string>>()
  #context: TraceContext | undefined
  #outermost: FrameEnd | undefined
  #gasUsed = 0n

  constructor(config: StructLogConfig, budget: TraceBudget) {
    this.#config = config
    this.#budget = budget
  }

  start(context: TraceContext): void {
    this.#context = context
  }

  step(step: TraceStep): void {
    const { limit } = this.#config
    if (limit > 0 && this.#size > limit) return
    const text = this.#describe(step)
    this.#budget.spend(text.length + 1)
    this.#size += text.length
    this.#steps.push(text)
    if (this.#steps.length === STEPS_PER_CHUNK) this.#flush()
  }

  #flush(): void {
    if (this.#steps.length === 0) return
    this.#chunks.push(this.#steps.join(','))
    this.#steps = []
  }

  #describe(step: TraceStep): string {
    const { pc, opcode, gas, cost, depth, error, refund, state } = step
    const name = opcodeName(opcode)
    let text = `{"pc":${pc},"op":"${name}","gas":${gas},"gasCost":${cost},"depth":${depth}`
    if (error !== undefined) text += `,"error":${JSON.stringify(error)}`
    if (!this.#config.disableStack) text += `,"stack":[${this.#stack.join(step)}]`
    if (this.#config.enableReturnData && state.returnBytes.length > 0) {
      text += `,"returnData":"${toHex(state.returnBytes)}"`
    }
    if (this.#config.enableMemory && step.memoryWords > 0) {
      text += `,"memory":[${this.#memory.join(step)}]`
    }
    if (!this.#config.disableStorage) text += this.#describeStorage(step)
    if (refund > 0n) text += `,"refund":${refund}`
    return `${text}}`
  }

  /** The slots of the contract so far, at each opcode that comes to one. */
  #describeStorage(step: TraceStep): string {
    const { opcode, height } = step
    const isRead = opcode === Op.sload && height >= 1
    if (!isRead && !(opcode === Op.sstore && height >= 2)) return ''
    const key = addressKey(step.state.env.address.bytes)
    const slot = stackItem(step, 0)
    let slots = this.#storage.get(key)
    if (slots === undefined) {
      slots = new Map()
      this.#storage.set(key, slots)
    }
    slots.set(word(slot), word(isRead ? this.#read(key, slot) : stackItem(step, 1)))
    const entries = Array.from(slots, ([at, value]) => `"${at}":"${value}"`)
    return `,"storage":{${entries.join(',')}}`
  }

  #read(key: AddressKey, slot: bigint): bigint {
    const value = this.#context?.state.slot(key, slotKeyFromBigInt(slot))
    return value === undefined ? 0n : bytesToBigInt(value)
  }

  exit(end: FrameEnd): void {
    if (end.depth === 0) this.#outermost = end
  }

  end({ gasUsed }: Execution): void {
    this.#gasUsed = gasUsed
  }

  result(): string {
    this.#flush()
    const { error, reverted = false, output } = this.#outermost ?? {}
    const failed = error !== undefined
    const returned = output === undefined || (failed && !reverted) ? '0x' : toHex(output)
    return `{"gas":${this.#gasUsed},"failed":${failed},"returnValue":"${returned}","structLogs":[${this.#chunks.join(',')}]}`
  }
}

function word(value: bigint): string {
  return `0x${value.toString(16).padStart(64, '0')}`
}
