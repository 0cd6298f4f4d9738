import { stackItem } from '../engine/library/evmInternals.ts'
import type { Execution } from '../engine/types.ts'
import type { StructLogConfig } from '../json/schemas/traceConfig.ts'
import { bytesToBigInt, WORD } from '../primitives/bytes.ts'
import { toHex } from '../primitives/hex.ts'
import { getOrCreate } from '../primitives/memo.ts'
import type { Paced } from '../primitives/paced.ts'
import { Op, opcodeName } from '../protocol/opcodes.ts'
import { addressKey, slotKeyFromBigInt } from '../state/keys.ts'
import type { AddressKey } from '../state/types.ts'
import type { FrameEnd, TraceBudget, TraceContext, Tracer, TraceStep } from './tracer.ts'

/** Steps are joined once they have so many characters: small strings take twice the memory. */
const CHUNK_SIZE = 1 << 18

/** Records every step of the execution: geth's default tracer. */
export class StructLogger implements Tracer {
  readonly #config: StructLogConfig
  readonly #budget: TraceBudget
  readonly #chunks: string[] = []
  #steps: string[] = []
  /** Characters in `#steps`. */
  #pending = 0
  /** Steps recorded so far. */
  #count = 0
  readonly #stack = new StackTexts()
  readonly #memory = new MemoryTexts()
  /** Slots that each contract accessed, with the values that it last read or wrote. */
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
    if (limit > 0 && this.#count >= limit) return
    const text = this.#describe(step)
    this.#budget.spend(text.length + 1)
    this.#count++
    this.#steps.push(text)
    this.#pending += text.length
    if (this.#pending >= CHUNK_SIZE) this.#flush()
  }

  #flush(): void {
    if (this.#steps.length === 0) return
    if (this.#chunks.length > 0) this.#chunks.push(',')
    this.#chunks.push(this.#steps.join(','))
    this.#steps = []
    this.#pending = 0
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

  /** The slots that the contract has accessed so far; shown only at SLOAD and SSTORE. */
  #describeStorage(step: TraceStep): string {
    const { opcode, height } = step
    const isRead = opcode === Op.sload && height >= 1
    if (!isRead && !(opcode === Op.sstore && height >= 2)) return ''
    const key = addressKey(step.state.env.address.bytes)
    const slot = stackItem(step, 0)
    const slots = getOrCreate(this.#storage, key, () => new Map())
    slots.set(wordText(slot), wordText(isRead ? this.#read(key, slot) : stackItem(step, 1)))
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

  *result(): Paced<string[]> {
    this.#flush()
    yield
    const { halt, output } = this.#outermost ?? {}
    const failed = halt !== undefined
    const returned = output === undefined || (failed && halt !== 'revert') ? '0x' : toHex(output)
    const head = `{"gas":${this.#gasUsed},"failed":${failed},"returnValue":"${returned}"`
    return [`${head},"structLogs":[`, ...this.#chunks, ']}']
  }
}

function wordText(value: bigint): string {
  return `0x${value.toString(16).padStart(2 * WORD, '0')}`
}

/**
 * Formats the stack of each step. Most items are the same as in the previous step, and comparing a
 * large number is faster than formatting it.
 */
class StackTexts {
  readonly #items: bigint[] = []
  readonly #texts: string[] = []

  /** The quoted items of a stack, bottom first, separated by commas. */
  join({ state, height }: Pick<TraceStep, 'state' | 'height'>): string {
    const items = state.stack._store
    for (let index = 0; index < height; index++) {
      const item = items[index] ?? 0n
      if (this.#items[index] === item) continue
      this.#items[index] = item
      this.#texts[index] = `"0x${item.toString(16)}"`
    }
    return this.#texts.slice(0, height).join(',')
  }
}

/** Bytes that are compared and formatted at a time. */
const CHUNK = 32 * WORD

/** Characters of a quoted word and its comma. */
const WORD_TEXT = 2 * WORD + 5

/**
 * Formats the memory at each step. A step changes a word or two at most, and comparing bytes takes
 * a fraction of the time of formatting them. Exported for its test.
 */
export class MemoryTexts {
  #bytes = Buffer.alloc(CHUNK)
  #texts: string[] = []

  /** The quoted words of memory, separated by commas; words paid for but not yet used are zero. */
  join({ state, memoryWords }: Pick<TraceStep, 'state' | 'memoryWords'>): string {
    const size = memoryWords * WORD
    this.#makeRoom(size)
    for (let start = 0; start < size; start += CHUNK) {
      this.#update(state.memory._store, start, Math.min(start + CHUNK, size))
    }
    return this.#texts.slice(0, Math.ceil(size / CHUNK)).join(',')
  }

  #makeRoom(size: number): void {
    if (this.#bytes.length >= size) return
    const larger = Buffer.alloc(Math.max(size, 2 * this.#bytes.length))
    larger.set(this.#bytes)
    this.#bytes = larger
  }

  #update(store: Uint8Array, start: number, end: number): void {
    const index = start / CHUNK
    const known = this.#bytes.subarray(start, end)
    const now = end <= store.length ? store.subarray(start, end) : padded(store, start, end)
    const length = ((end - start) / WORD) * WORD_TEXT - 1
    if (this.#texts[index]?.length === length && known.equals(now)) return
    known.set(now)
    const digits = known.toString('hex')
    const words: string[] = []
    for (let at = 0; at < digits.length; at += 2 * WORD) {
      words.push(`"0x${digits.slice(at, at + 2 * WORD)}"`)
    }
    this.#texts[index] = words.join(',')
  }
}

function padded(store: Uint8Array, start: number, end: number): Uint8Array {
  const bytes = new Uint8Array(end - start)
  bytes.set(store.subarray(start, end))
  return bytes
}
