import {
  F_CODE,
  F_INSTRUCTION,
  K_BYTES,
  K_LENGTH,
  K_PLACES,
  K_SINGLE,
  K_SINGLE_BLOCKS,
  K_START,
} from '../layout'
import { I } from './instructions'
import {
  endsBlock,
  gasOf,
  immediateSize,
  isExcluded,
  isUndefined,
  JUMPDEST,
  namesItems,
} from './opcodeProperties'
import { instructionAt, sizeOf } from './stream'

// From positions in a code to places in its decodings, and back. Apart from jumps, this is needed
// only if a frame fails, if a slice ends within a block, or after the code region has started anew.

/** The block of the JUMPDEST at `position`; 0 if there is none. */
// @ts-ignore
@inline
export function jumpTarget(places: usize, length: u32, position: u64): u32 {
  if (position >= <u64>length) return 0
  const place = load<u32>(places + 4 * <usize>position)
  return place & 1 ? place & ~1 : 0
}

/** The block whose first opcode is at `position`; if none begins there, anything. */
export function blockAt(code: usize, position: u32): usize {
  const places = <usize>load<u32>(code, K_PLACES)
  const place = load<u32>(places + 4 * <usize>position)
  if (place & 1) return place & ~1
  // It begins where the previous instruction ends.
  for (let before = <i32>position - 1; before >= 0; before--) {
    const end = load<u32>(places + 4 * <usize>before)
    if (end != 0) return end & ~1
  }
  return load<u32>(code, K_START)
}

/** The block of the opcode at `position` in the second decoding. */
export function singleBlockAt(code: usize, position: u32): usize {
  return load<u32>(<usize>load<u32>(code, K_SINGLE_BLOCKS) + 4 * <usize>position) & ~1
}

/** Position in the code of the opcode that made a frame fail. */
export function failurePosition(frame: usize): u32 {
  const code = <usize>load<u32>(frame, F_CODE)
  const at = <usize>load<u32>(frame, F_INSTRUCTION)
  if (instructionAt(at) == I.BLOCK) return load<u32>(at, 12)
  const single = <usize>load<u32>(code, K_SINGLE)
  if (single != 0 && at >= single) return load<u32>(at - 16, 12)
  // Of several opcodes in one instruction, the last one: only that can fail.
  const places = <usize>load<u32>(code, K_PLACES)
  let position = load<u32>(code, K_LENGTH)
  while (position > 0 && load<u32>(places + 4 * <usize>position) != <u32>(at + 8)) position--
  return position
}

/** Static gas from the opcode at `first` up to the end of its block, both included. */
export function gasFrom(code: usize, first: u32): u32 {
  const length = load<u32>(code, K_LENGTH)
  const bytes = <usize>load<u32>(code, K_BYTES)
  let gas: u32 = 0
  for (let position = first; position <= length; ) {
    const opcode = <u32>load<u8>(bytes + position)
    if (isUndefined(opcode) || (opcode == JUMPDEST && position > first)) break
    gas += gasOf(opcode)
    if (endsBlock(opcode) || (namesItems(opcode) && isExcluded(bytes + position))) break
    position += 1 + immediateSize(bytes + position)
  }
  return gas
}

/** Position of the first opcode of an instruction of the first decoding whose gas is dynamic. */
export function positionOf(code: usize, at: usize): u32 {
  const instruction = instructionAt(at)
  // All others are single opcodes, which carry their position.
  if (instruction != I.MSTORE_AT && instruction != I.MLOAD_AT) return load<u32>(at, 4)
  const length = load<u32>(code, K_LENGTH)
  const bytes = <usize>load<u32>(code, K_BYTES)
  const places = <usize>load<u32>(code, K_PLACES)
  const block = blockOf(code, at)
  let position = load<u32>(block, 12)
  if (load<u8>(bytes + position) == JUMPDEST) position++
  let first = position
  // It is the opcode after the last one of the instruction before.
  while (position < length) {
    const opcode = <u32>load<u8>(bytes + position)
    if (opcode == JUMPDEST || endsBlock(opcode)) break
    const place = load<u32>(places + 4 * <usize>position)
    position += 1 + immediateSize(bytes + position)
    if (place == <u32>at) first = position
  }
  return first
}

/** The block that contains an instruction. */
function blockOf(code: usize, at: usize): usize {
  let block: usize = 0
  for (let place = <usize>load<u32>(code, K_START); place < at; ) {
    const instruction = instructionAt(place)
    if (instruction == I.BLOCK) block = place
    place += sizeOf(instruction)
  }
  return block
}
