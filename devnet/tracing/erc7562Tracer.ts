import { NAME_SECOND } from '../engine/accessWatch.ts'
import { stackItem } from '../engine/library/evmInternals.ts'
import type { Execution } from '../engine/types.ts'
import type { Erc7562Config } from '../json/schemas/tracerChoice.ts'
import { bigIntTo32Bytes, bytesToBigInt, WORD } from '../primitives/bytes.ts'
import { type Hex, quantity, toHex } from '../primitives/hex.ts'
import type { Paced } from '../primitives/paced.ts'
import { HALTS } from '../protocol/halt.ts'
import { Op, opcodeName } from '../protocol/opcodes.ts'
import { addressKey, slotHex, slotKeyFromBigInt } from '../state/keys.ts'
import { type CallNode, CallTracer } from './callTracer.ts'
import {
  type Frame,
  type FrameEnd,
  readMemory,
  stackAddress,
  type TraceBudget,
  type TraceContext,
  type TracedLog,
  type Tracer,
  type TraceStep,
} from './tracer.ts'

type Counts = Record<Hex, number>

/** Opcodes of a frame's code and what they accessed, without those of the frames that it opened. */
interface CodeFacts {
  /** Slots of the account whose storage the code uses. */
  readonly accessedSlots: {
    /** Values before the first read, in lists of one; without slots that were written before. */
    readonly reads: Record<Hex, [Hex]>
    readonly writes: Counts
    readonly transientReads: Counts
    readonly transientWrites: Counts
  }
  /** Accounts whose code was read, unless the code only asked if there is any. */
  readonly extCodeAccessInfo: Hex[]
  /** GAS counts only if no call follows. */
  readonly usedOpcodes: Counts
  /** Bytes of code of each account before its first use, and the opcode that used it. */
  readonly contractSize: Record<Hex, { readonly contractSize: number; readonly opcode: number }>
  /** Never true of the outermost frame, as in geth. */
  readonly outOfGas: boolean
}

/** Approximate bytes in JSON of a frame's facts, of a slot, of an account, and of an opcode. */
const FACTS_SIZE = 200
const SLOT_SIZE = 150
const ACCOUNT_SIZE = 100
const OPCODE_SIZE = 12

/** Bytes behind the end of memory beyond which geth keeps no preimage. */
const PADDING_LIMIT = 1n << 20n

const EXT_CODE: ReadonlySet<number> = new Set([Op.extCodeSize, Op.extCodeCopy, Op.extCodeHash])
const SLOT_OPS: ReadonlySet<number> = new Set([Op.sload, Op.sstore, Op.tload, Op.tstore])

const IRRELEVANT =
  /^((PUSH|DUP|SWAP)\d+|POP|ADD|SUB|MUL|DIV|EQ|S?LT|S?GT|SHL|SHR|AND|OR|NOT|ISZERO)$/
const IGNORED: ReadonlySet<number> = new Set(
  Array.from({ length: 256 }, (_, opcode) => opcode).filter((opcode) =>
    IRRELEVANT.test(opcodeName(opcode)),
  ),
)

/**
 * The tree of frames with what the validation rules of ERC-7562 are about: geth's `erc7562Tracer`.
 * As in geth, an opcode that fails counts too.
 */
export class Erc7562Tracer implements Tracer {
  readonly #frames: CallTracer
  readonly #ignored: ReadonlySet<number>
  readonly #budget: TraceBudget
  /** The open frames, outermost first. */
  readonly #open: CodeFacts[] = []
  readonly #preimages = new Set<Hex>()
  /** The last step, in whichever frame, and the item that was on top of the stack. */
  #last: { readonly opcode: number; readonly top: bigint | undefined } | undefined
  #started: TraceContext | undefined

  constructor({ ignoredOpcodes = IGNORED, withLog }: Erc7562Config, budget: TraceBudget) {
    this.#frames = new CallTracer({ onlyTopCall: false, withLog }, budget)
    this.#ignored = ignoredOpcodes
    this.#budget = budget
  }

  start(context: TraceContext): void {
    this.#started = context
    this.#frames.start(context)
  }

  enter(frame: Frame): void {
    this.#frames.enter(frame)
    this.#budget.spend(FACTS_SIZE)
    const facts: CodeFacts = {
      accessedSlots: { reads: {}, writes: {}, transientReads: {}, transientWrites: {} },
      extCodeAccessInfo: [],
      usedOpcodes: {},
      contractSize: {},
      outOfGas: false,
    }
    this.#open.push(Object.assign(this.#node, facts))
  }

  exit(end: FrameEnd): void {
    const { depth, error, halt } = end
    const outOfGas = halt === 'codeStoreOutOfGas' || error?.startsWith(HALTS.outOfGas) === true
    Object.assign(this.#node, { outOfGas: depth > 0 && outOfGas })
    this.#open.pop()
    this.#frames.exit(end)
  }

  log(log: TracedLog): void {
    this.#frames.log(log)
  }

  step(step: TraceStep): void {
    const { opcode, height } = step
    const facts = this.#open.at(-1)
    if (facts === undefined) throw new Error('A step ran while no frame was open')
    if (opcode !== Op.return && opcode !== Op.revert) this.#addLast(facts, opcode)
    if (opcode !== Op.gas && !this.#ignored.has(opcode)) this.#addOpcode(facts, opcode)
    const top = height > 0 ? stackItem(step, 0) : undefined
    this.#last = { opcode, top }
    if (top === undefined) return
    if (opcode === Op.keccak256 && height > 1) this.#addPreimage(step)
    else if (EXT_CODE.has(opcode)) this.#addSize(facts, opcode, top)
    else if (NAME_SECOND.has(opcode) && height > 1) this.#addSize(facts, opcode, stackItem(step, 1))
    else if (SLOT_OPS.has(opcode)) this.#addSlot(facts, step, top)
  }

  /** Adds what the rules say of the last opcode in view of the next one. */
  #addLast(facts: CodeFacts, next: number): void {
    if (this.#last === undefined) return
    const { opcode, top } = this.#last
    const onlyAsks = opcode === Op.extCodeSize && next === Op.isZero
    if (EXT_CODE.has(opcode) && top !== undefined && !onlyAsks) {
      this.#budget.spend(ACCOUNT_SIZE)
      facts.extCodeAccessInfo.push(toHex(stackAddress(top)))
    }
    if (opcode === Op.gas && !NAME_SECOND.has(next)) this.#addOpcode(facts, opcode)
  }

  #addOpcode({ usedOpcodes }: CodeFacts, opcode: number): void {
    this.#count(usedOpcodes, quantity(opcode), OPCODE_SIZE)
  }

  #count(counts: Counts, key: Hex, size: number): void {
    const count = counts[key]
    if (count === undefined) this.#budget.spend(size)
    counts[key] = (count ?? 0) + 1
  }

  #addSize({ contractSize }: CodeFacts, opcode: number, item: bigint): void {
    const address = stackAddress(item)
    const key = toHex(address)
    if (contractSize[key] !== undefined) return
    this.#budget.spend(ACCOUNT_SIZE)
    const { state } = this.#context
    const hash = state.account(addressKey(address))?.codeHash
    const size = hash === undefined ? 0 : state.code(hash).length
    contractSize[key] = { contractSize: size, opcode }
  }

  #addSlot({ accessedSlots }: CodeFacts, { opcode, state }: TraceStep, top: bigint): void {
    const { reads, writes, transientReads, transientWrites } = accessedSlots
    const slot = slotKeyFromBigInt(top)
    const key = slotHex(slot)
    if (opcode === Op.sload) {
      if (reads[key] !== undefined || writes[key] !== undefined) return
      this.#budget.spend(SLOT_SIZE)
      const value = this.#context.state.slot(addressKey(state.env.address.bytes), slot)
      reads[key] = [toHex(bigIntTo32Bytes(bytesToBigInt(value)))]
      return
    }
    const transient = opcode === Op.tload ? transientReads : transientWrites
    this.#count(opcode === Op.sstore ? writes : transient, key, SLOT_SIZE)
  }

  #addPreimage(step: TraceStep): void {
    // geth reads 64 bits of each.
    const offset = BigInt.asUintN(64, stackItem(step, 0))
    const length = BigInt.asUintN(64, stackItem(step, 1))
    if (offset + length > BigInt(step.memoryWords * WORD) + PADDING_LIMIT) return
    const preimage = toHex(readMemory(step.state, offset, length))
    if (this.#preimages.has(preimage)) return
    this.#budget.spend(preimage.length)
    this.#preimages.add(preimage)
  }

  get #node(): CallNode {
    const node = this.#frames.innermost
    if (node === undefined) throw new Error('No frame is open')
    return node
  }

  get #context(): TraceContext {
    if (this.#started === undefined) throw new Error('No transaction has begun')
    return this.#started
  }

  end(execution: Execution): void {
    this.#frames.end(execution)
    const keccak = this.#preimages.size > 0 ? [...this.#preimages].sort() : undefined
    Object.assign(this.#frames.root, { keccak })
  }

  result(): Paced<string[]> {
    return this.#frames.result()
  }
}
