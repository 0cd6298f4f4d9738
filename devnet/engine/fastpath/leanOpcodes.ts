import { bytesToBigInt, EMPTY_BYTES, readWord, WORD, writeWord } from '../../primitives/bytes.ts'
import { COPY_WORD_GAS, memoryGas } from '../../protocol/gas.ts'
import type { Keccak256 } from '../../state/types.ts'
import type { RunState } from '../evmInternals.ts'

/**
 * Runs an opcode whose gas depends on its operands, without promises.
 *
 * @param fee - the opcode's gas without the part that depends on operands, plus gas of earlier
 * opcodes that is not deducted yet
 * @returns false, with nothing changed, if the library's handler must run: for lack of gas, missing
 * or unusual operands, and opcodes that a static call forbids
 */
export type LeanOpcode = (state: RunState, fee: number) => boolean

/** The library's handlers run for offsets and lengths of at least this many bytes. */
const MAX_OFFSET = 1n << 24n

/** Gas per hashed word, and per topic and byte of a log (yellow paper, appendix G). */
const KECCAK_WORD_GAS = 6
const LOG_TOPIC_GAS = 375
const LOG_BYTE_GAS = 8

/**
 * Pays `gas` and the gas for memory up to byte `end`, and extends the memory.
 *
 * @returns false, with nothing changed, if there is not enough gas
 */
function pay(state: RunState, gas: number, end: number): boolean {
  const words = Math.ceil(end / WORD)
  const grows = words > Number(state.memoryWordCount)
  const cost = grows ? BigInt(memoryGas(words)) : state.highestMemCost
  const left = state.gasLeft - BigInt(gas) - (cost - state.highestMemCost)
  if (left < 0n) return false
  state.gasLeft = left
  if (grows) {
    state.highestMemCost = cost
    state.memoryWordCount = BigInt(words)
  }
  // Even without `grows`: the library pays for a call's output before it extends the memory.
  if (end > state.memory._store.length) state.memory.extend(0, end)
  return true
}

function mload(state: RunState, fee: number): boolean {
  const { _store: items, _len: height } = state.stack
  const offset = items[height - 1]
  if (height < 1 || offset === undefined || offset >= MAX_OFFSET) return false
  const at = Number(offset)
  if (!pay(state, fee, at + WORD)) return false
  items[height - 1] = readWord(state.memory._store, at)
  return true
}

function mstore(state: RunState, fee: number): boolean {
  const { stack } = state
  const { _store: items, _len: height } = stack
  const offset = items[height - 1]
  const value = items[height - 2]
  if (height < 2 || offset === undefined || value === undefined) return false
  if (offset >= MAX_OFFSET) return false
  const at = Number(offset)
  if (!pay(state, fee, at + WORD)) return false
  writeWord(state.memory._store, at, value)
  stack._len = height - 2
  return true
}

/**
 * Pays for a range of memory and returns it; `undefined` if the library's handler must run.
 *
 * @param lengthAt - position of the length on the stack, counted from the top; the offset is at 1.
 * Default: 2
 */
function paidRange(
  state: RunState,
  fee: number,
  gas: { readonly perByte: number; readonly perWord: number },
  lengthAt = 2,
): Uint8Array | undefined {
  const { _store: items, _len: height } = state.stack
  const offset = items[height - 1]
  const length = items[height - lengthAt]
  if (height < lengthAt || offset === undefined || length === undefined) return undefined
  if (length >= MAX_OFFSET) return undefined
  const size = Number(length)
  const total = fee + gas.perByte * size + gas.perWord * Math.ceil(size / WORD)
  // An empty range needs no memory, whatever its offset.
  if (size === 0) return pay(state, total, 0) ? EMPTY_BYTES : undefined
  if (offset >= MAX_OFFSET) return undefined
  const at = Number(offset)
  return pay(state, total, at + size) ? state.memory._store.subarray(at, at + size) : undefined
}

const HASHING = { perByte: 0, perWord: KECCAK_WORD_GAS }
const LOGGING = { perByte: LOG_BYTE_GAS, perWord: 0 }

function keccak(hash: Keccak256): LeanOpcode {
  return (state, fee) => {
    const data = paidRange(state, fee, HASHING)
    if (data === undefined) return false
    const { stack } = state
    stack._len--
    stack._store[stack._len - 1] = bytesToBigInt(hash(data))
    return true
  }
}

function log(topicCount: number): LeanOpcode {
  return (state, fee) => {
    const { stack, env } = state
    if (env.isStatic || stack._len < topicCount + 2) return false
    const data = paidRange(state, fee + LOG_TOPIC_GAS * topicCount, LOGGING)
    if (data === undefined) return false
    const topics: Uint8Array[] = []
    stack._len -= 2
    for (let index = 0; index < topicCount; index++) {
      const topic = new Uint8Array(WORD)
      writeWord(topic, 0, stack._store[--stack._len] ?? 0n)
      topics.push(topic)
    }
    state.interpreter._result.logs.push([env.address.bytes, topics, data.slice()])
    return true
  }
}

const COPYING = { perByte: 0, perWord: COPY_WORD_GAS }

/**
 * A copy opcode: copies from `sourceOf(env)` and pads with zeros in one call. The library pads byte
 * by byte, which takes 1 ms when solc zeroes a long array by copying from beyond the calldata.
 */
function copy(sourceOf: (env: RunState['env']) => Uint8Array): LeanOpcode {
  return (state, fee) => {
    const { stack, env } = state
    const from = stack._store[stack._len - 2]
    const target = paidRange(state, fee, COPYING, 3)
    if (target === undefined || from === undefined) return false
    stack._len -= 3
    const source = sourceOf(env)
    const start = from < BigInt(source.length) ? Number(from) : source.length
    const piece = source.subarray(start, start + target.length)
    target.set(piece)
    target.fill(0, piece.length)
    return true
  }
}

const RETURNING = { perByte: 0, perWord: 0 }

/** Sets the return value; the loop ends the frame. */
function ret(state: RunState, fee: number): boolean {
  const data = paidRange(state, fee, RETURNING)
  if (data === undefined) return false
  state.stack._len -= 2
  state.interpreter._result.returnValue = data.slice()
  return true
}

/** Memory opcodes by number. */
export function memoryOpcodes(hash: Keccak256): ReadonlyMap<number, LeanOpcode> {
  return new Map<number, LeanOpcode>([
    [0x20, keccak(hash)],
    [0x37, copy((env) => env.callData)],
    [0x39, copy((env) => env.code)],
    [0x51, mload],
    [0x52, mstore],
    [0xf3, ret],
    ...[0, 1, 2, 3, 4].map((topics) => [0xa0 + topics, log(topics)] as const),
  ])
}
