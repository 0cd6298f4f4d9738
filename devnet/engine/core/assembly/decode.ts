import {
  C_CODE_TOP,
  CODES_END,
  CONTROL,
  ENVIRONMENT,
  K_BYTES,
  K_LENGTH,
  K_PLACES,
  K_SINGLE,
  K_SINGLE_BLOCKS,
  K_SIZE,
  K_START,
} from '../layout'
import { fuse } from './fuse'
import { I } from './instructions'
import {
  DUPN,
  EXCHANGE,
  endsBlock,
  gasOf,
  givenBy,
  immediateSize,
  isExcluded,
  isPush,
  isUndefined,
  itemsOf,
  JUMPDEST,
  namesItems,
  takenBy,
} from './opcodeProperties'
import { blockAt, jumpTarget, singleBlockAt } from './places'
import { begin, emit, emitBlock, emitWord, instructionAt, out, sizeOf } from './stream'

// Decodes a code once, into instructions that carry their operands. A block begins with its gas and
// its demands on the stack, so that its instructions need not check them. If the check fails, the
// frame goes on in a second decoding, with a block for each opcode, and fails at the right one.

/** Zeros after a code: for an immediate that reads beyond the end, and for the STOP there. */
const PADDING: u32 = 40
/** Maximum number of bytes for a byte of code: a block and one instruction. */
const MOST_PER_BYTE: u32 = 24
/** For alignment, and for the word of a PUSH that has no data. */
const SLACK: u32 = 96

// The current block: its start, or 0; its gas; the stack height relative to its start; the number
// of items that it needs; its greatest height.
let block: usize = 0
let gas: u32 = 0
let height: i32 = 0
let need: i32 = 0
let growth: i32 = 0

function openBlock(position: u32): void {
  block = emitBlock(position)
  gas = 0
  height = 0
  need = 0
  growth = 0
}

function closeBlock(): void {
  store<u32>(block, gas, 4)
  // More than fits cannot succeed anyway: the stack has 1,024 items.
  store<u16>(block, <u16>min(need, 0xffff), 8)
  store<u16>(block, <u16>min(growth, 0xffff), 10)
  block = 0
}

function aligned(at: usize): usize {
  return (at + 7) & ~7
}

/** Maximum number of bytes of one decoding. */
function singleRoom(length: u32): u32 {
  return (4 + MOST_PER_BYTE) * (length + 1) + SLACK
}

/** Maximum number of bytes of a code with both decodings. */
export function codeRoom(length: u32): u32 {
  return K_SIZE + length + PADDING + 2 * singleRoom(length)
}

/**
 * Reserves room for a code and returns its place; 0 if the region is full. The host then writes the
 * code's bytes {@link K_SIZE} bytes after it.
 */
export function allocate(length: u32): usize {
  const code = <usize>load<u32>(CONTROL, C_CODE_TOP)
  if (code + K_SIZE + length + PADDING + singleRoom(length) > <usize>CODES_END) return 0
  store<u32>(code, length, K_LENGTH)
  store<u32>(code, <u32>(code + K_SIZE), K_BYTES)
  store<u32>(code, 0, K_SINGLE)
  return code
}

/** Decodes a code whose bytes the host has written. */
export function decode(code: usize): void {
  const length = load<u32>(code, K_LENGTH)
  const bytes = <usize>load<u32>(code, K_BYTES)
  memory.fill(bytes + length, 0, PADDING)
  const places = aligned(bytes + length + PADDING)
  const start = aligned(places + 4 * (<usize>length + 1))
  store<u32>(code, <u32>places, K_PLACES)
  store<u32>(code, <u32>start, K_START)
  translate(bytes, length, places, start, false)
  linkJumps(start, places, length)
  store<u32>(CONTROL, <u32>((out + 15) & ~15), C_CODE_TOP)
}

/** Makes the second decoding, if there is none yet; false if the region is full. */
export function decodeSingly(code: usize): bool {
  if (load<u32>(code, K_SINGLE) != 0) return true
  const length = load<u32>(code, K_LENGTH)
  const blocks = <usize>load<u32>(CONTROL, C_CODE_TOP)
  if (blocks + singleRoom(length) > <usize>CODES_END) return false
  const start = aligned(blocks + 4 * (<usize>length + 1))
  store<u32>(code, <u32>blocks, K_SINGLE_BLOCKS)
  store<u32>(code, <u32>start, K_SINGLE)
  translate(<usize>load<u32>(code, K_BYTES), length, blocks, start, true)
  store<u32>(CONTROL, <u32>((out + 15) & ~15), C_CODE_TOP)
  return true
}

/**
 * Writes instructions from `start` on.
 *
 * @param places - becomes what {@link K_PLACES} describes; if `isSingle`, the block of each opcode
 * @param isSingle - for a second decoding: a block for each opcode, and nothing fused
 */
function translate(bytes: usize, length: u32, places: usize, start: usize, isSingle: bool): void {
  memory.fill(places, 0, 4 * (<usize>length + 1))
  begin(start)
  block = 0
  let position: u32 = 0
  while (position <= length) {
    const opcode = <u32>load<u8>(bytes + position)
    const place = places + 4 * <usize>position
    if (block == 0 || opcode == JUMPDEST || isSingle) {
      if (block) closeBlock()
      openBlock(position)
    }
    const at = bytes + position
    const names = namesItems(opcode)
    const isInvalid = names ? isExcluded(at) : isUndefined(opcode)
    // As geth: DUPN, SWAPN and EXCHANGE pay before their immediate is read.
    if (!isInvalid || names) {
      gas += gasOf(opcode)
      need = max(need, (isInvalid ? takenBy(opcode) : neededAt(at, opcode)) - height)
      height += givenBy(opcode) - takenBy(opcode)
      growth = max(growth, height)
    }
    if (isInvalid) {
      emit(I.INVALID, 0, position)
      store<u32>(place, <u32>(isSingle ? block : out))
      closeBlock()
      position++
      continue
    }
    const size = immediateSize(at)
    if (opcode == JUMPDEST) {
      store<u32>(place, <u32>block | 1)
    } else {
      if (isPush(opcode)) emitPush(at + 1, size)
      else if (names) emitNaming(at, opcode)
      else emitOpcode(opcode, position)
      if (!isSingle) fuse()
      store<u32>(place, <u32>(isSingle ? block : out))
    }
    position += 1 + size
    // The STOP after the code also follows an immediate that reaches beyond its end.
    if (position > length && position - size <= length) position = length
    if (endsBlock(opcode)) closeBlock()
  }
  if (block) closeBlock()
}

/** Items that an opcode needs, with those that its immediate names. */
function neededAt(at: usize, opcode: u32): i32 {
  if (!namesItems(opcode)) return takenBy(opcode)
  const items = itemsOf(at)
  if (opcode == DUPN) return <i32>items
  return <i32>(opcode == EXCHANGE ? items >> 8 : items) + 1
}

/** DUPN, SWAPN or EXCHANGE. */
function emitNaming(at: usize, opcode: u32): void {
  const instruction = opcode == DUPN ? I.DUP : opcode == EXCHANGE ? I.EXCHANGE : I.SWAP
  emit(instruction, itemsOf(at), 0)
}

function emitPush(bytes: usize, size: u32): void {
  let isSmall = true
  let value: u32 = 0
  for (let index: u32 = 0; index < size; index++) {
    const byte = <u32>load<u8>(bytes + index)
    if (index + 4 < size) isSmall = isSmall && byte == 0
    else value = (value << 8) | byte
  }
  if (isSmall) emit(I.PUSH_SMALL, 0, value)
  else emitWord(bytes, size)
}

function emitOpcode(opcode: u32, position: u32): void {
  // Arithmetic, comparisons and bit operations have the same numbers.
  if (opcode <= 0x1e) emit(<i32>opcode, 0, position)
  else if (opcode >= 0x80 && opcode <= 0x8f) emit(I.DUP, opcode - 0x7f, 0)
  else if (opcode >= 0x90 && opcode <= 0x9f) emit(I.SWAP, opcode - 0x8f, 0)
  else if (isEnvironment(opcode)) {
    emit(I.ENVIRONMENT, 0, ENVIRONMENT + ((opcode - 0x30) << 5))
  } else {
    const instruction = instructionOf(opcode)
    emit(instruction, instruction == I.HOST ? opcode : 0, position)
  }
}

/** ORIGIN, GASPRICE, COINBASE to CHAINID, BASEFEE, BLOBBASEFEE, SLOTNUM. */
function isEnvironment(opcode: u32): bool {
  if (opcode >= 0x41 && opcode <= 0x46) return true
  return opcode == 0x32 || opcode == 0x3a || opcode == 0x48 || opcode == 0x4a || opcode == 0x4b
}

function instructionOf(opcode: u32): i32 {
  switch (opcode) {
    case 0x20:
      return I.KECCAK256
    case 0x30:
      return I.ADDRESS
    case 0x33:
      return I.CALLER
    case 0x34:
      return I.CALLVALUE
    case 0x35:
      return I.CALLDATALOAD
    case 0x36:
      return I.CALLDATASIZE
    case 0x37:
      return I.CALLDATACOPY
    case 0x38:
      return I.CODESIZE
    case 0x39:
      return I.CODECOPY
    case 0x3d:
      return I.RETURNDATASIZE
    case 0x3e:
      return I.RETURNDATACOPY
    case 0x50:
      return I.POP
    case 0x51:
      return I.MLOAD
    case 0x52:
      return I.MSTORE
    case 0x53:
      return I.MSTORE8
    case 0x56:
      return I.JUMP
    case 0x57:
      return I.JUMPI
    case 0x58:
      return I.PC
    case 0x59:
      return I.MSIZE
    case 0x5a:
      return I.GAS
    case 0x5e:
      return I.MCOPY
    case 0xf3:
      return I.RETURN
    case 0xfd:
      return I.REVERT
    default:
      return I.HOST
  }
}

/** Replaces the positions in jumps with a static target by pointers to blocks. */
function linkJumps(start: usize, places: usize, length: u32): void {
  let at = start
  while (at < out) {
    const instruction = instructionAt(at)
    if (isJump(instruction)) store<u32>(at, jumpTarget(places, length, load<u32>(at, 4)), 4)
    at += sizeOf(instruction)
  }
}

function isJump(instruction: i32): bool {
  if (instruction >= I.JUMP_TO && instruction <= I.JUMP_TO_UNLESS) return true
  return instruction >= I.LT_JUMP_IF && instruction <= I.EQ_JUMP_UNLESS
}

/**
 * The place where a frame goes on at `position`: at a block, or, within a block, in the second
 * decoding. Returns 0 if the region is full.
 */
export function resumeAt(code: usize, position: u32): usize {
  const block = blockAt(code, position)
  if (instructionAt(block) == I.BLOCK && load<u32>(block, 12) == position) return block
  return decodeSingly(code) ? singleBlockAt(code, position) : 0
}
