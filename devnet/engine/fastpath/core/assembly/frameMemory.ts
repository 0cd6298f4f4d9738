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

// In place of the gas left: too little gas, or gas for more memory than there can be.
const NO_GAS: i64 = -1
const NO_MEMORY: i64 = i64.MIN_VALUE

/** The exit for negative gas. */
export function exitFor(gas: i64): i32 {
  return gas == NO_MEMORY ? EXIT_MEMORY_LIMIT : EXIT_OUT_OF_GAS
}

/** Covers negative gas from the reserve. Returns the gas left; negative if it does not suffice. */
export function refill(frame: usize, gas: i64): i64 {
  const reserve = <i64>load<f64>(frame, F_RESERVE)
  const taken = min(reserve, -gas)
  store<f64>(frame, <f64>(reserve - taken), F_RESERVE)
  return gas + taken
}

/** Returns the gas left after a cost; negative if it does not suffice. */
// @ts-ignore
@inline
export function spend(frame: usize, gas: i64, cost: u64): i64 {
  gas -= <i64>cost
  return gas < 0 ? refill(frame, gas) : gas
}

/** Gas of a memory of so many words (Yellow Paper, appendix H). */
function memoryGas(words: u64): u64 {
  return 3 * words + ((words * words) >> 9)
}

/**
 * Charges the growth of memory up to the end of a range, and grows it. A range without a length
 * costs nothing. Returns the gas left; negative if the frame fails.
 */
export function extend(frame: usize, offset: u64, length: u64, gas: i64): i64 {
  if (length == 0) return gas
  if (offset > MAX_END || length > MAX_END || offset + length > MAX_END) return NO_GAS
  const old = <u64>load<u32>(frame, F_MEMORY_SIZE)
  const size = (offset + length + 31) & ~31
  if (size <= old) return gas
  gas = spend(frame, gas, memoryGas(size >> 5) - memoryGas(old >> 5))
  if (gas < 0) return NO_GAS
  const memory = <usize>load<u32>(frame, F_MEMORY)
  const end = <u64>memory + size
  if (end > <u64>MEMORIES_END || !roomUpTo(<usize>end)) return NO_MEMORY
  if (!clearOfReturnData(<usize>end)) return NO_MEMORY
  zero(memory + <usize>old, <usize>(size - old))
  store<u32>(frame, <u32>size, F_MEMORY_SIZE)
  return gas
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
 * For opcodes of the host: charges a range of memory, given by words, and grows memory for it. The
 * range becomes the output in the control block. Returns the exit; 0 if there is none.
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
  if (length == 0) return 0
  if (length > MAX_END) return EXIT_OUT_OF_GAS
  const cost = ((length + 31) >> 5) * gasPerWord + length * gasPerByte
  let gas = spend(frame, <i64>load<f64>(frame, F_GAS), cost)
  if (gas < 0) return EXIT_OUT_OF_GAS
  gas = extend(frame, offset, length, gas)
  if (gas < 0) return exitFor(gas)
  store<f64>(frame, <f64>gas, F_GAS)
  return 0
}
