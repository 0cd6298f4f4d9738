import type { CoreMemory } from './coreMemory.ts'
import {
  C_CODE_TOP,
  CODES,
  CODES_END,
  CONTROL,
  F_CODE,
  F_EPOCH,
  F_INSTRUCTION,
  F_POSITION,
  K_SIZE,
} from './layout.ts'

export interface Decoder {
  /** Bytes that a code takes at most, with both of its decodings. */
  codeRoom(length: number): number
  /** Makes room for a code; 0 if the region is full. */
  allocate(length: number): number
  decode(code: number): void
  /** The instruction with which a frame goes on at `position`; 0 if the region is full. */
  resumeAt(code: number, position: number): number
}

/**
 * Codes that the core has decoded, by the array that holds their bytes. When the region is full, it
 * starts anew, with another epoch: every code is decoded again when it is next needed, also by
 * frames that are suspended meanwhile.
 */
export class CodeCache {
  readonly #memory: CoreMemory
  readonly #decoder: Decoder
  #entries = new WeakMap<Uint8Array, Entry>()
  #epoch = 1
  /** Number of times that the region has started anew in this execution. */
  #restarts = 0

  constructor(memory: CoreMemory, decoder: Decoder) {
    this.#memory = memory
    this.#decoder = decoder
    this.#memory.u32[(CONTROL + C_CODE_TOP) >> 2] = CODES
  }

  /** Number of this filling of the region. */
  get epoch(): number {
    return this.#epoch
  }

  /** To be called as an execution begins. */
  begin(): void {
    this.#restarts = 0
  }

  /**
   * The place of a decoded code.
   *
   * @throws {CoreLimitError} if the code does not even fit into an empty region, or the execution
   * needs too many codes by turns
   */
  decoded(code: Uint8Array): number {
    const known = this.#entries.get(code)
    return known !== undefined && known.epoch === this.#epoch ? known.at : this.#decode(code)
  }

  /** Lets a suspended frame go on if the region has started anew meanwhile. */
  restore(frame: number, code: Uint8Array): void {
    if (this.#memory.u32[(frame + F_EPOCH) >> 2] === this.#epoch) return
    this.#resume(frame, code)
  }

  /** Starts the region anew for a frame that needs room in it, and lets the frame go on. */
  makeRoom(frame: number, code: Uint8Array): void {
    this.#restart()
    this.#resume(frame, code)
  }

  clear(): void {
    this.#epoch++
    this.#memory.u32[(CONTROL + C_CODE_TOP) >> 2] = CODES
  }

  #restart(): void {
    if (++this.#restarts > MOST_RESTARTS) {
      throw new CoreLimitError('The codes of this execution do not fit into the core together')
    }
    this.clear()
  }

  #resume(frame: number, code: Uint8Array): void {
    const { u32 } = this.#memory
    const position = u32[(frame + F_POSITION) >> 2] ?? 0
    let at = this.decoded(code)
    let instruction = this.#decoder.resumeAt(at, position)
    if (instruction === 0) {
      this.#restart()
      at = this.decoded(code)
      instruction = this.#decoder.resumeAt(at, position)
    }
    u32[(frame + F_CODE) >> 2] = at
    u32[(frame + F_EPOCH) >> 2] = this.#epoch
    u32[(frame + F_INSTRUCTION) >> 2] = instruction
  }

  #decode(code: Uint8Array): number {
    if (this.#decoder.codeRoom(code.length) > CODES_END - CODES) {
      throw new CoreLimitError(`A code of ${code.length} bytes is too long for the core`)
    }
    let at = this.#decoder.allocate(code.length)
    if (at === 0) {
      this.#restart()
      at = this.#decoder.allocate(code.length)
    }
    this.#memory.u8.set(code, at + K_SIZE)
    this.#decoder.decode(at)
    this.#entries.set(code, { epoch: this.#epoch, at })
    return at
  }
}

/** The core cannot run this, for want of room; the library can. */
export class CoreLimitError extends Error {
  override readonly name = 'CoreLimitError'
}

/**
 * Number of times that the region starts anew in one execution. To fill it takes some 15 ms: the
 * library is faster if an execution goes round and round through more codes than the region can
 * hold.
 */
const MOST_RESTARTS = 20

interface Entry {
  readonly epoch: number
  readonly at: number
}
