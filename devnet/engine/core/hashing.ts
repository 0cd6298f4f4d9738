import type { HashBuffer, Keccak256 } from '../../state/types.ts'
import type { LinearMemory } from './coreMemory.ts'
import { coreInstance } from './coreModule.ts'
import { BLAKE_INPUT, HOST_WORDS, KECCAK_INPUT, KECCAK_INPUT_SIZE, WORD } from './layout.ts'

export interface KeccakExports {
  readonly memory: LinearMemory
  keccak(from: number, length: number, to: number): void
  /** Hashes a message in pieces: whole blocks, then the rest. */
  absorb(from: number, length: number, isFirst: boolean): void
  squeeze(from: number, length: number, to: number): void
  reverse(from: number, to: number): void
}

const RATE = 136
/** Pieces of a long message: whole blocks. */
const PIECE = Math.floor(KECCAK_INPUT_SIZE / RATE) * RATE

/**
 * Place of the hash that {@link coreKeccak} leaves: a word, and the same with its bytes turned
 * around.
 */
const RESULT = HOST_WORDS
const TURNED = HOST_WORDS + WORD

/**
 * keccak-256 by an instance of the core, whose memory does not grow.
 *
 * @throws {Error} if the core does not load here
 */
export function coreKeccak(): Keccak256 {
  // The module's exports are those of assembly/index.ts.
  const exports = coreInstance() as KeccakExports
  const { memory, keccak, reverse } = exports
  const bytes = new Uint8Array(memory.buffer)
  const keccak256 = (message: Uint8Array) => {
    hashToWord(exports, bytes, message, RESULT)
    reverse(RESULT, TURNED)
    return bytes.slice(TURNED, TURNED + WORD)
  }
  const result = new DataView(memory.buffer, TURNED, WORD)
  const buffer: HashBuffer = {
    input: bytes.subarray(KECCAK_INPUT, KECCAK_INPUT + KECCAK_INPUT_SIZE),
    inputView: new DataView(memory.buffer, KECCAK_INPUT, KECCAK_INPUT_SIZE),
    hash(length) {
      keccak(KECCAK_INPUT, length, RESULT)
      reverse(RESULT, TURNED)
      return result
    },
  }
  return Object.assign(keccak256, { buffer })
}

/**
 * BLAKE2b's compression function on an input of 213 bytes (EIP-152), by an instance of the core.
 *
 * @throws {Error} if the core does not load here
 */
export function coreBlake2F(): (input: Uint8Array) => Uint8Array {
  // The module's exports are those of assembly/index.ts.
  const { memory, blake2F } = coreInstance() as Pick<KeccakExports, 'memory'> & { blake2F(): void }
  const bytes = new Uint8Array(memory.buffer, BLAKE_INPUT)
  return (input) => {
    bytes.set(input)
    blake2F()
    return bytes.slice(4, 4 + 64)
  }
}

/** Writes the hash of a message to a word, with the least significant byte first. */
export function hashToWord(
  { keccak, absorb, squeeze }: KeccakExports,
  memory: Uint8Array,
  message: Uint8Array,
  at: number,
): void {
  const { length } = message
  if (length <= KECCAK_INPUT_SIZE) {
    memory.set(message, KECCAK_INPUT)
    keccak(KECCAK_INPUT, length, at)
    return
  }
  let offset = 0
  for (; length - offset > PIECE; offset += PIECE) {
    memory.set(message.subarray(offset, offset + PIECE), KECCAK_INPUT)
    absorb(KECCAK_INPUT, PIECE, offset === 0)
  }
  memory.set(message.subarray(offset), KECCAK_INPUT)
  squeeze(KECCAK_INPUT, length - offset, at)
}
