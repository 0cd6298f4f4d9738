import {
  C_OUTPUT,
  C_OUTPUT_LENGTH,
  C_RETURNED,
  C_RETURNED_LENGTH,
  CONTROL,
  EXIT_MEMORY_LIMIT,
  EXIT_OUT_OF_GAS,
  F_GAS,
  F_MEMORY,
  F_MEMORY_SIZE,
  F_RESERVE,
  MEMORIES_END,
} from '../layout'
import { low } from './words'

/** Highest possible end of a memory, as in geth: the gas of more does not fit into 64 bits. */
const MAX_END: u64 = 0x1fffffffe0
const PAGE: usize = 0x10000
/** Pages to add beyond those needed, because each growth detaches the host's views. */
const SPARE_PAGES: usize = 64

/** Gas that nobody has. */
const IMPOSSIBLE: u64 = 1 << 60

/** Returned instead of the gas left if the slice pays for more memory than there can be. */
export const NO_MEMORY: i64 = i64.MIN_VALUE

/** Gas of a memory of so many words (Yellow Paper, appendix H). */
function memoryGas(words: u64): u64 {
  return 3 * words + ((words * words) >> 9)
}

/** Gas to grow the memory up to the end of a range that is not empty. */
function growthGas(frame: usize, offset: u64, length: u64): u64 {
  if (offset > MAX_END || length > MAX_END || offset + length > MAX_END) return IMPOSSIBLE
  const old = <u64>load<u32>(frame, F_MEMORY_SIZE)
  const end = offset + length
  return end <= old ? 0 : memoryGas((end + 31) >> 5) - memoryGas(old >> 5)
}

/**
 * Charges a range of memory and what is done with it, and grows memory for it. A range without a
 * length costs nothing.
 *
 * @param gasPerWord - for each word of the range, besides the memory
 * @returns the gas left; negative if `gas` does not suffice, and then nothing has changed
 */
export function extend(frame: usize, offset: u64, length: u64, gasPerWord: u64, gas: i64): i64 {
  if (length == 0) return gas
  const words = ((length - 1) >> 5) + 1
  const left = gas - <i64>(growthGas(frame, offset, length) + words * gasPerWord)
  return left < 0 || grow(frame, offset + length) ? left : NO_MEMORY
}

/** Grows a frame's memory up to `end` if it is shorter; false if it cannot. */
function grow(frame: usize, end: u64): bool {
  const old = load<u32>(frame, F_MEMORY_SIZE)
  const size = (end + 31) & ~31
  if (size <= <u64>old) return true
  const memory = <usize>load<u32>(frame, F_MEMORY)
  const top = <u64>memory + size
  if (top > <u64>MEMORIES_END || !roomUpTo(<usize>top)) return false
  if (!clearOfReturnData(<usize>top)) return false
  zero(memory + old, <usize>size - old)
  store<u32>(frame, <u32>size, F_MEMORY_SIZE)
  return true
}

// @ts-ignore
@inline
function zero(at: usize, length: usize): void {
  memory.fill(at, 0, length)
}

/** Grows the linear memory up to `end` if it is shorter; false if it cannot. */
export function roomUpTo(end: usize): bool {
  if (<u64>end > <u64>MEMORIES_END) return false
  const pages = (end + PAGE - 1) / PAGE
  const present = <usize>memory.size()
  if (pages <= present) return true
  if (memory.grow(<i32>(pages - present + SPARE_PAGES)) >= 0) return true
  return memory.grow(<i32>(pages - present)) >= 0
}

/**
 * Return data lies above its frame's memory. Moves it out of the way of memory that grows up to
 * `end`, and further than that by its length: memory that grows word by word must not move it each
 * time.
 */
function clearOfReturnData(end: usize): bool {
  const length = <usize>load<u32>(CONTROL, C_RETURNED_LENGTH)
  const from = <usize>load<u32>(CONTROL, C_RETURNED)
  if (length == 0 || from >= end) return true
  const to = end + length
  if (!roomUpTo(to + length)) return false
  memory.copy(to, from, length)
  store<u32>(CONTROL, <u32>to, C_RETURNED)
  return true
}

/** End of a frame's memory, where that of its child begins. */
export function memoryEnd(frame: usize): usize {
  return <usize>load<u32>(frame, F_MEMORY) + <usize>load<u32>(frame, F_MEMORY_SIZE)
}

/**
 * For opcodes of the host: charges a range of memory, given by words, and grows memory for it. What
 * the slice does not pay for comes out of the reserve. The range becomes the output in the control
 * block. Returns the exit; 0 if there is none.
 */
export function useMemory(
  frame: usize,
  offsetAt: usize,
  lengthAt: usize,
  gasPerWord: u32,
  gasPerByte: u32,
): i32 {
  const offset = low(offsetAt)
  const length = low(lengthAt)
  const memory = <usize>load<u32>(frame, F_MEMORY)
  store<u32>(CONTROL, <u32>(length == 0 ? memory : memory + <usize>offset), C_OUTPUT)
  store<u32>(CONTROL, <u32>length, C_OUTPUT_LENGTH)
  if (length > MAX_END) return EXIT_OUT_OF_GAS
  const reserve = <i64>load<f64>(frame, F_RESERVE)
  const gas = <i64>load<f64>(frame, F_GAS) + reserve - <i64>(length * gasPerByte)
  const left = extend(frame, offset, length, gasPerWord, gas)
  if (left < 0) return left == NO_MEMORY ? EXIT_MEMORY_LIMIT : EXIT_OUT_OF_GAS
  const slice = max<i64>(left - reserve, 0)
  store<f64>(frame, <f64>slice, F_GAS)
  store<f64>(frame, <f64>(left - slice), F_RESERVE)
  return 0
}
