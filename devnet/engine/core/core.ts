import type { ForkRules } from '../../protocol/forks.ts'
import { CodeCache, CoreLimitError, type Decoder } from './codeCache.ts'
import { CoreMemory } from './coreMemory.ts'
import { coreInstance } from './coreModule.ts'
import { hashToWord, type KeccakExports } from './hashing.ts'
import {
  C_OUTPUT,
  C_OUTPUT_LENGTH,
  C_RETURNED,
  C_RETURNED_LENGTH,
  CONTROL,
  EXIT_CODES_FULL,
  EXIT_MEMORY_LIMIT,
  F_EPOCH,
  F_GAS,
  F_RESERVE,
  HOST_WORDS,
  OPCODES,
  WORD,
} from './layout.ts'
import { opcodeTable } from './opcodeTable.ts'

/** Exports of the core, apart from decoding and hashing. Offsets and lengths are in bytes. */
interface CoreExports extends Decoder, KeccakExports {
  setFusing(isOn: boolean): void
  /** Makes a frame ready. Address, caller and value are the host's to set. */
  enter(
    frame: number,
    code: number,
    stack: number,
    memory: number,
    input: number,
    inputLength: number,
    gas: number,
    reserve: number,
  ): void
  exec(frame: number): number
  useMemory(
    frame: number,
    offsetAt: number,
    lengthAt: number,
    gasPerWord: number,
    gasPerByte: number,
  ): number
  memoryEnd(frame: number): number
  roomUpTo(end: number): boolean
  failurePosition(frame: number): number
}

/**
 * Gas that a frame may use without a look at the clock. Its opcodes take at most 0.9 ms. An opcode
 * that costs more has its gas besides. Exported for tests.
 */
export const SLICE = 30_000

/**
 * One instance of the core, under the rules of one hardfork. It runs code frame by frame:
 * {@link run} returns when the frame ends, needs the host, or has used up its slice of gas. It runs
 * one transaction at a time. After any error but {@link CoreLimitError} it must be dropped.
 */
export class Core extends CoreMemory {
  readonly exports: CoreExports
  readonly codes: CodeCache

  /** @param options.fusing - whether frequent opcodes are fused into one; default: true */
  constructor(rules: Pick<ForkRules, 'hardfork'>, options: { fusing?: boolean } = {}) {
    // The module's exports are those of assembly/index.ts.
    const exports = coreInstance() as CoreExports
    super(exports.memory, exports.reverse)
    this.exports = exports
    this.codes = new CodeCache(this, exports)
    exports.setFusing(options.fusing !== false)
    this.u8.set(opcodeTable(rules), OPCODES)
  }

  /**
   * Makes a frame ready, except for `F_ADDRESS`, `F_CALLER` and `F_VALUE`. Empties the return data.
   *
   * @param entry.stack - where its operand stack begins: the end of its parent's
   * @param entry.memory - where its memory begins: {@link memoryEnd} of its parent
   * @param slice - gas that it may use before it leaves; the rest is its reserve
   */
  enter(
    frame: number,
    entry: {
      code: Uint8Array
      stack: number
      memory: number
      input: number
      inputLength: number
      gas: number
    },
    slice = SLICE,
  ): void {
    const { stack, memory, input, inputLength } = entry
    const code = this.codes.decoded(entry.code)
    const gas = Math.min(entry.gas, slice)
    this.exports.enter(frame, code, stack, memory, input, inputLength, gas, entry.gas - gas)
    this.u32[(frame + F_EPOCH) >> 2] = this.codes.epoch
  }

  /**
   * Runs a frame until it leaves. Returns the exit.
   *
   * @param code - the frame's
   * @throws {CoreLimitError} if the core cannot have the memory that the frame has gas for, or the
   * codes of the execution do not fit
   */
  run(frame: number, code: Uint8Array): number {
    this.codes.restore(frame, code)
    for (;;) {
      const exit = this.exports.exec(frame)
      this.renew()
      if (exit === EXIT_CODES_FULL) this.codes.makeRoom(frame, code)
      else if (exit === EXIT_MEMORY_LIMIT) throw memoryLimit()
      else return exit
    }
  }

  /** Gas left to a frame, with its reserve. */
  gasLeft(frame: number): number {
    const { f64 } = this
    return (f64[(frame + F_GAS) >> 3] ?? 0) + (f64[(frame + F_RESERVE) >> 3] ?? 0)
  }

  /** Takes gas from a frame, from its reserve last; returns false if it has less. */
  charge(frame: number, amount: number): boolean {
    const { f64 } = this
    const at = (frame + F_GAS) >> 3
    const left = (f64[at] ?? 0) - amount
    if (left >= 0) {
      f64[at] = left
      return true
    }
    const reserveAt = (frame + F_RESERVE) >> 3
    const reserve = (f64[reserveAt] ?? 0) + left
    if (reserve < 0) return false
    f64[at] = 0
    f64[reserveAt] = reserve
    return true
  }

  /**
   * Gives gas back to a frame. What makes its slice longer than {@link SLICE} goes to the reserve:
   * otherwise a frame whose child returns most of its gas would run on without a pause.
   */
  refund(frame: number, amount: number): void {
    const { f64 } = this
    const at = (frame + F_GAS) >> 3
    const gas = (f64[at] ?? 0) + amount
    if (gas <= SLICE) {
      f64[at] = gas
      return
    }
    const reserveAt = (frame + F_RESERVE) >> 3
    f64[at] = SLICE
    f64[reserveAt] = (f64[reserveAt] ?? 0) + gas - SLICE
  }

  isSliceUsed(frame: number): boolean {
    return this.f64[(frame + F_GAS) >> 3] === 0
  }

  /** Moves a slice of gas out of the reserve. */
  refill(frame: number, slice: number = SLICE): void {
    const { f64 } = this
    const at = (frame + F_GAS) >> 3
    const reserveAt = (frame + F_RESERVE) >> 3
    const reserve = f64[reserveAt] ?? 0
    const more = reserve < slice ? reserve : slice
    f64[reserveAt] = reserve - more
    f64[at] = (f64[at] ?? 0) + more
  }

  /**
   * Charges and makes room for a range of a frame's memory, whose offset and length are words. The
   * range is then {@link output} and {@link outputLength}.
   *
   * @param gasPerWord - for each word of the range, besides the memory; default: 0
   * @param gasPerByte - default: 0
   * @returns false if the gas does not suffice
   * @throws {CoreLimitError} if the core cannot have so much memory
   */
  useMemory(
    frame: number,
    offsetAt: number,
    lengthAt: number,
    gasPerWord = 0,
    gasPerByte = 0,
  ): boolean {
    const exit = this.exports.useMemory(frame, offsetAt, lengthAt, gasPerWord, gasPerByte)
    this.renew()
    if (exit === EXIT_MEMORY_LIMIT) throw memoryLimit()
    return exit === 0
  }

  /** Beginning of the memory above a frame's: that of its child, or data for it. */
  memoryEnd(frame: number): number {
    return this.exports.memoryEnd(frame)
  }

  /** Pointer of what the last RETURN or REVERT gives back, or of the last {@link useMemory}. */
  get output(): number {
    return this.u32[(CONTROL + C_OUTPUT) >> 2] ?? 0
  }

  get outputLength(): number {
    return this.u32[(CONTROL + C_OUTPUT_LENGTH) >> 2] ?? 0
  }

  /**
   * Sets the return data of the frame that runs next. It stays where it is, above the memory of
   * that frame; the core moves it if that memory grows.
   */
  setReturned(at: number, length: number): void {
    this.u32[(CONTROL + C_RETURNED) >> 2] = at
    this.u32[(CONTROL + C_RETURNED_LENGTH) >> 2] = length
  }

  /**
   * Writes bytes at `at`, where no frame's memory must be: `MEMORIES` before the first frame,
   * or {@link memoryEnd}. Returns where memory goes on after them.
   *
   * @throws {CoreLimitError} if the core cannot have so much memory
   */
  place(at: number, bytes: Uint8Array): number {
    const end = at + bytes.length
    if (!this.exports.roomUpTo(end)) throw memoryLimit()
    this.renew()
    this.u8.set(bytes, at)
    return (end + WORD - 1) & ~(WORD - 1)
  }

  /** Position in the code of the opcode with which a frame has failed. */
  failurePosition(frame: number): number {
    return this.exports.failurePosition(frame)
  }

  keccak256(message: Uint8Array): Uint8Array {
    this.hashToWord(message, HOST_WORDS)
    // The core stores words with the least significant byte first.
    return this.wordBytes(HOST_WORDS)
  }

  hashToWord(message: Uint8Array, at: number): void {
    hashToWord(this.exports, this.u8, message, at)
  }
}

function memoryLimit(): CoreLimitError {
  return new CoreLimitError('The core cannot allocate the memory that this execution pays for')
}
