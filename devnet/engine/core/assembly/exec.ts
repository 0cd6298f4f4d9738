import {
  C_OUTPUT,
  C_OUTPUT_LENGTH,
  C_RETURNED,
  C_RETURNED_LENGTH,
  CONTROL,
  EXIT_CODES_FULL,
  EXIT_HOST,
  EXIT_INVALID_JUMP,
  EXIT_INVALID_OPCODE,
  EXIT_MEMORY_LIMIT,
  EXIT_OUT_OF_GAS,
  EXIT_OUT_OF_RETURN_DATA,
  EXIT_RETURN,
  EXIT_REVERT,
  EXIT_SLICE_END,
  EXIT_STACK_OVERFLOW,
  EXIT_STACK_UNDERFLOW,
  EXIT_STOP,
  F_ADDRESS,
  F_CALLER,
  F_CODE,
  F_GAS,
  F_INPUT,
  F_INPUT_LENGTH,
  F_INSTRUCTION,
  F_MEMORY,
  F_MEMORY_SIZE,
  F_POSITION,
  F_RESERVE,
  F_STACK_BASE,
  F_STACK_TOP,
  F_VALUE,
  K_BYTES,
  K_LENGTH,
  K_PLACES,
  K_SINGLE,
  K_START,
  MAX_STACK_HEIGHT,
} from '../layout'
import { addmod, div, exp, mul, mulmod, sdiv } from './arithmetic'
import { decodeSingly } from './decode'
import { extend, NO_MEMORY } from './frameMemory'
import { I } from './instructions'
import { keccak } from './keccak'
import { takenBy } from './opcodeProperties'
import { gasFrom, jumpTarget, positionOf, singleBlockAt } from './places'
import { sizeOf } from './stream'
import {
  add,
  addSmall,
  and,
  byteAt,
  byteLength,
  copy,
  equal,
  equalsSmall,
  isZero,
  leadingZeros,
  lessThan,
  low,
  not,
  or,
  put,
  readWord,
  shiftLeft,
  shiftRight,
  shiftRightSmall,
  signedLess,
  signExtend,
  sub,
  swap,
  writeWord,
  xor,
} from './words'

// The interpreter. `top` is the end of the stack: `top - 32` points to the first operand, and
// `top - 64` to the second. A result takes the place of the last operand. BLOCK checks gas and
// stack for all instructions up to the next one; these charge only what depends on their operands.
// The switch stays in one function, because what it works on is in registers there.

/** Makes a frame ready. */
export function enter(
  frame: usize,
  code: usize,
  stack: u32,
  memory: u32,
  input: u32,
  inputLength: u32,
  gas: f64,
  reserve: f64,
): void {
  store<u32>(frame, load<u32>(code, K_START), F_INSTRUCTION)
  store<u32>(frame, stack, F_STACK_TOP)
  store<u32>(frame, stack, F_STACK_BASE)
  store<f64>(frame, gas, F_GAS)
  store<f64>(frame, reserve, F_RESERVE)
  store<u32>(frame, <u32>code, F_CODE)
  store<u32>(frame, memory, F_MEMORY)
  store<u32>(frame, 0, F_MEMORY_SIZE)
  store<u32>(frame, input, F_INPUT)
  store<u32>(frame, inputLength, F_INPUT_LENGTH)
  store<u32>(CONTROL, 0, C_RETURNED_LENGTH)
}

// @ts-ignore
@inline
function leave(frame: usize, at: usize, top: usize, gas: i64, exit: i32): i32 {
  store<u32>(frame, <u32>at, F_INSTRUCTION)
  store<u32>(frame, <u32>top, F_STACK_TOP)
  store<f64>(frame, <f64>gas, F_GAS)
  return exit
}

/**
 * Leaves a frame whose slice does not pay for an instruction, or that gets no memory for it. If the
 * reserve pays for what is missing, the slice ends before the instruction, and the next one begins
 * with its gas. If it does not, it may be an opcode after the instruction that fails, because the
 * block has paid for all of them already. In both cases the frame goes on in the second decoding,
 * in which each opcode pays for itself.
 *
 * @param left - negative: the gas that is missing, or {@link NO_MEMORY}
 */
function refuse(frame: usize, at: usize, top: usize, gas: i64, left: i64): i32 {
  if (left == NO_MEMORY) return leave(frame, at, top, gas, EXIT_MEMORY_LIMIT)
  const code = <usize>load<u32>(frame, F_CODE)
  const single = <usize>load<u32>(code, K_SINGLE)
  if (single == 0 || at < single) {
    const position = positionOf(code, at)
    const regained = gas + gasFrom(code, position)
    store<u32>(frame, position, F_POSITION)
    if (!decodeSingly(code)) return leave(frame, at, top, regained, EXIT_CODES_FULL)
    leave(frame, singleBlockAt(code, position), top, regained, 0)
    return exec(frame)
  }
  const reserve = <i64>load<f64>(frame, F_RESERVE) + left
  if (reserve < 0) return leave(frame, at, top, gas, EXIT_OUT_OF_GAS)
  const block = at - sizeOf(I.BLOCK)
  store<u32>(frame, load<u32>(block, 12), F_POSITION)
  store<f64>(frame, <f64>reserve, F_RESERVE)
  return leave(frame, block, top, gas - left + load<u32>(block, 4), EXIT_SLICE_END)
}

/**
 * The exit of a frame that lacks the gas or the stack for its next block; 0 if it goes on in the
 * second decoding, in which it fails at the right opcode.
 */
function refuseBlock(frame: usize, at: usize, gas: i64, height: i32): i32 {
  const lacksGas = gas < <i64>load<u32>(at, 4)
  const code = <usize>load<u32>(frame, F_CODE)
  store<u32>(frame, load<u32>(at, 12), F_POSITION)
  if (lacksGas && load<f64>(frame, F_RESERVE) > 0) return EXIT_SLICE_END
  const single = <usize>load<u32>(code, K_SINGLE)
  if (single == 0 || at < single) return decodeSingly(code) ? 0 : EXIT_CODES_FULL
  // As geth: the stack before the gas, but the items that an immediate names after it.
  if (height < <i32>load<u16>(at, 8)) {
    const opcode = <u32>load<u8>(<usize>load<u32>(code, K_BYTES) + load<u32>(at, 12))
    const isNamed = height >= takenBy(opcode)
    return lacksGas && isNamed ? EXIT_OUT_OF_GAS : EXIT_STACK_UNDERFLOW
  }
  if (height + <i32>load<u16>(at, 10) > MAX_STACK_HEIGHT) return EXIT_STACK_OVERFLOW
  return EXIT_OUT_OF_GAS
}

/** CALLDATALOAD. */
function loadInput(frame: usize, at: usize): void {
  const offset = low(at)
  const length = <u64>load<u32>(frame, F_INPUT_LENGTH)
  const input = <usize>load<u32>(frame, F_INPUT)
  if (offset >= length) {
    put(at, 0)
  } else if (offset + 32 <= length) {
    readWord(input + <usize>offset, at)
  } else {
    put(at, 0)
    // Turned around, the bytes that are there come last.
    for (let index: usize = 0; <u64>index < length - offset; index++) {
      store<u8>(at + 31 - index, load<u8>(input + <usize>offset + index))
    }
  }
}

/** Copies `length` bytes from `offset` on, with zeros for those that are not present. */
function copyPadded(to: usize, from: usize, present: u64, offset: u64, length: u64): void {
  const part = offset >= present ? 0 : min(length, present - offset)
  if (part) memory.copy(to, from + <usize>offset, <usize>part)
  if (part < length) memory.fill(to + <usize>part, 0, <usize>(length - part))
}

/** True if a range reaches beyond memory. `offset` may be the largest number. */
// @ts-ignore
@inline
function isBeyond(offset: u64, length: u64, size: u64): bool {
  return offset + length > size || offset + length < length
}

/** RETURN and REVERT. Returns the gas left; negative if `gas` does not suffice. */
function giveBack(frame: usize, mem: usize, top: usize, gas: i64): i64 {
  const offset = low(top - 32)
  const length = low(top - 64)
  store<u32>(CONTROL, <u32>(length == 0 ? mem : mem + <usize>offset), C_OUTPUT)
  store<u32>(CONTROL, <u32>length, C_OUTPUT_LENGTH)
  return extend(frame, offset, length, 0, gas)
}

/** Runs a frame until it ends, needs the host, or has used up its slice. Returns the exit. */
export function exec(frame: usize): i32 {
  let next = <usize>load<u32>(frame, F_INSTRUCTION)
  let top = <usize>load<u32>(frame, F_STACK_TOP)
  let gas = <i64>load<f64>(frame, F_GAS)
  const base = <usize>load<u32>(frame, F_STACK_BASE)
  const mem = <usize>load<u32>(frame, F_MEMORY)
  let size = <u64>load<u32>(frame, F_MEMORY_SIZE)
  while (true) {
    const at = next
    next += 8
    switch (<u32>load<u16>(at)) {
      case I.STOP:
        return leave(frame, at, top, gas, EXIT_STOP)
      case I.ADD:
        add(top - 32, top - 64)
        top -= 32
        continue
      case I.MUL:
        mul(top - 32, top - 64, top - 64)
        top -= 32
        continue
      case I.SUB:
        sub(top - 32, top - 64)
        top -= 32
        continue
      case I.DIV:
        div(top - 32, top - 64, false)
        top -= 32
        continue
      case I.SDIV:
        sdiv(top - 32, top - 64, false)
        top -= 32
        continue
      case I.MOD:
        div(top - 32, top - 64, true)
        top -= 32
        continue
      case I.SMOD:
        sdiv(top - 32, top - 64, true)
        top -= 32
        continue
      case I.ADDMOD:
        addmod(top - 32, top - 64, top - 96)
        top -= 64
        continue
      case I.MULMOD:
        mulmod(top - 32, top - 64, top - 96)
        top -= 64
        continue
      case I.EXP: {
        // EIP-160.
        const left = gas - <i64>(50 * byteLength(top - 64))
        if (left < 0) return refuse(frame, at, top, gas, left)
        gas = left
        exp(top - 32, top - 64)
        top -= 32
        continue
      }
      case I.SIGNEXTEND:
        signExtend(low(top - 32), top - 64)
        top -= 32
        continue
      case I.ENVIRONMENT:
        copy(<usize>load<u32>(at, 4), top)
        top += 32
        continue
      case I.CALLDATACOPY: {
        const to = low(top - 32)
        const from = low(top - 64)
        const length = low(top - 96)
        const left = extend(frame, to, length, 3, gas)
        if (left < 0) return refuse(frame, at, top, gas, left)
        gas = left
        size = <u64>load<u32>(frame, F_MEMORY_SIZE)
        if (length) {
          const input = <usize>load<u32>(frame, F_INPUT)
          const present = <u64>load<u32>(frame, F_INPUT_LENGTH)
          copyPadded(mem + <usize>to, input, present, from, length)
        }
        top -= 96
        continue
      }
      case I.CODECOPY: {
        const to = low(top - 32)
        const from = low(top - 64)
        const length = low(top - 96)
        const left = extend(frame, to, length, 3, gas)
        if (left < 0) return refuse(frame, at, top, gas, left)
        gas = left
        size = <u64>load<u32>(frame, F_MEMORY_SIZE)
        if (length) {
          const code = <usize>load<u32>(frame, F_CODE)
          const bytes = <usize>load<u32>(code, K_BYTES)
          const present = <u64>load<u32>(code, K_LENGTH)
          copyPadded(mem + <usize>to, bytes, present, from, length)
        }
        top -= 96
        continue
      }
      case I.RETURNDATACOPY: {
        const to = low(top - 32)
        const from = low(top - 64)
        const length = low(top - 96)
        const left = extend(frame, to, length, 3, gas)
        if (left < 0) return refuse(frame, at, top, gas, left)
        gas = left
        const present = <u64>load<u32>(CONTROL, C_RETURNED_LENGTH)
        if (from > present || length > present - from) {
          return leave(frame, at, top, gas, EXIT_OUT_OF_RETURN_DATA)
        }
        size = <u64>load<u32>(frame, F_MEMORY_SIZE)
        const returned = <usize>load<u32>(CONTROL, C_RETURNED)
        if (length) memory.copy(mem + <usize>to, returned + <usize>from, <usize>length)
        top -= 96
        continue
      }
      case I.LT:
        put(top - 64, u64(lessThan(top - 32, top - 64)))
        top -= 32
        continue
      case I.GT:
        put(top - 64, u64(lessThan(top - 64, top - 32)))
        top -= 32
        continue
      case I.SLT:
        put(top - 64, u64(signedLess(top - 32, top - 64)))
        top -= 32
        continue
      case I.SGT:
        put(top - 64, u64(signedLess(top - 64, top - 32)))
        top -= 32
        continue
      case I.EQ:
        put(top - 64, u64(equal(top - 32, top - 64)))
        top -= 32
        continue
      case I.ISZERO:
        put(top - 32, u64(isZero(top - 32)))
        continue
      case I.AND:
        and(top - 32, top - 64)
        top -= 32
        continue
      case I.OR:
        or(top - 32, top - 64)
        top -= 32
        continue
      case I.XOR:
        xor(top - 32, top - 64)
        top -= 32
        continue
      case I.NOT:
        not(top - 32)
        continue
      case I.BYTE:
        put(top - 64, byteAt(low(top - 32), top - 64))
        top -= 32
        continue
      case I.SHL:
        shiftLeft(low(top - 32), top - 64)
        top -= 32
        continue
      case I.SHR: {
        const count = low(top - 32)
        if (count < 64) shiftRightSmall(count, top - 64)
        else shiftRight(count, top - 64, 0)
        top -= 32
        continue
      }
      case I.SAR: {
        const fill = <i64>load<u64>(top - 64, 24) < 0 ? <u64>-1 : 0
        shiftRight(low(top - 32), top - 64, fill)
        top -= 32
        continue
      }
      case I.CLZ:
        put(top - 32, leadingZeros(top - 32))
        continue
      case I.MCOPY: {
        const to = low(top - 32)
        const from = low(top - 64)
        const length = low(top - 96)
        const left = extend(frame, max(to, from), length, 3, gas)
        if (left < 0) return refuse(frame, at, top, gas, left)
        gas = left
        size = <u64>load<u32>(frame, F_MEMORY_SIZE)
        if (length) memory.copy(mem + <usize>to, mem + <usize>from, <usize>length)
        top -= 96
        continue
      }
      case I.KECCAK256: {
        const offset = low(top - 32)
        const length = low(top - 64)
        const left = extend(frame, offset, length, 6, gas)
        if (left < 0) return refuse(frame, at, top, gas, left)
        gas = left
        size = <u64>load<u32>(frame, F_MEMORY_SIZE)
        keccak(mem + <usize>offset, <u32>length, top - 64)
        top -= 32
        continue
      }
      case I.ADDRESS:
        copy(frame + F_ADDRESS, top)
        top += 32
        continue
      case I.CALLER:
        copy(frame + F_CALLER, top)
        top += 32
        continue
      case I.CALLVALUE:
        copy(frame + F_VALUE, top)
        top += 32
        continue
      case I.CALLDATALOAD:
        loadInput(frame, top - 32)
        continue
      case I.CALLDATASIZE:
        put(top, <u64>load<u32>(frame, F_INPUT_LENGTH))
        top += 32
        continue
      case I.CODESIZE:
        put(top, <u64>load<u32>(<usize>load<u32>(frame, F_CODE), K_LENGTH))
        top += 32
        continue
      case I.RETURNDATASIZE:
        put(top, <u64>load<u32>(CONTROL, C_RETURNED_LENGTH))
        top += 32
        continue
      case I.POP:
        top -= 32
        continue
      case I.MLOAD: {
        const offset = low(top - 32)
        if (isBeyond(offset, 32, size)) {
          const left = extend(frame, offset, 32, 0, gas)
          if (left < 0) return refuse(frame, at, top, gas, left)
          gas = left
          size = <u64>load<u32>(frame, F_MEMORY_SIZE)
        }
        readWord(mem + <usize>offset, top - 32)
        continue
      }
      case I.MSTORE: {
        const offset = low(top - 32)
        if (isBeyond(offset, 32, size)) {
          const left = extend(frame, offset, 32, 0, gas)
          if (left < 0) return refuse(frame, at, top, gas, left)
          gas = left
          size = <u64>load<u32>(frame, F_MEMORY_SIZE)
        }
        writeWord(top - 64, mem + <usize>offset)
        top -= 64
        continue
      }
      case I.MSTORE8: {
        const offset = low(top - 32)
        if (isBeyond(offset, 1, size)) {
          const left = extend(frame, offset, 1, 0, gas)
          if (left < 0) return refuse(frame, at, top, gas, left)
          gas = left
          size = <u64>load<u32>(frame, F_MEMORY_SIZE)
        }
        store<u8>(mem + <usize>offset, load<u8>(top - 64))
        top -= 64
        continue
      }
      case I.JUMP: {
        top -= 32
        const code = <usize>load<u32>(frame, F_CODE)
        const places = <usize>load<u32>(code, K_PLACES)
        next = <usize>jumpTarget(places, load<u32>(code, K_LENGTH), low(top))
        if (next == 0) return leave(frame, at, top, gas, EXIT_INVALID_JUMP)
        continue
      }
      case I.JUMPI: {
        top -= 64
        if (isZero(top)) continue
        const code = <usize>load<u32>(frame, F_CODE)
        const places = <usize>load<u32>(code, K_PLACES)
        next = <usize>jumpTarget(places, load<u32>(code, K_LENGTH), low(top + 32))
        if (next == 0) return leave(frame, at, top, gas, EXIT_INVALID_JUMP)
        continue
      }
      case I.PC:
        put(top, <u64>load<u32>(at, 4))
        top += 32
        continue
      case I.MSIZE:
        put(top, size)
        top += 32
        continue
      case I.GAS:
        put(top, <u64>(gas + <i64>load<f64>(frame, F_RESERVE)))
        top += 32
        continue
      case I.RETURN: {
        const left = giveBack(frame, mem, top, gas)
        if (left < 0) return refuse(frame, at, top, gas, left)
        return leave(frame, at, top, left, EXIT_RETURN)
      }
      case I.REVERT: {
        const left = giveBack(frame, mem, top, gas)
        if (left < 0) return refuse(frame, at, top, gas, left)
        return leave(frame, at, top, left, EXIT_REVERT)
      }
      case I.INVALID:
        return leave(frame, at, top, gas, EXIT_INVALID_OPCODE)
      case I.BLOCK: {
        const left = gas - <i64>load<u32>(at, 4)
        const height = <i32>(top - base) >> 5
        const grown = height + <i32>load<u16>(at, 10)
        if (left < 0 || height < <i32>load<u16>(at, 8) || grown > MAX_STACK_HEIGHT) {
          const exit = refuseBlock(frame, at, gas, height)
          if (exit != 0) return leave(frame, at, top, gas, exit)
          next = singleBlockAt(<usize>load<u32>(frame, F_CODE), load<u32>(at, 12))
          continue
        }
        gas = left
        next += 8
        continue
      }
      case I.PUSH_SMALL:
        put(top, <u64>load<u32>(at, 4))
        top += 32
        continue
      case I.PUSH_WORD:
        copy(next, top)
        top += 32
        next += 32
        continue
      case I.DUP:
        copy(top - ((<usize>load<u16>(at, 2)) << 5), top)
        top += 32
        continue
      case I.SWAP:
        swap(top - 32, top - 32 - ((<usize>load<u16>(at, 2)) << 5))
        continue
      case I.JUMP_TO:
        next = <usize>load<u32>(at, 4)
        if (next == 0) return leave(frame, at, top, gas, EXIT_INVALID_JUMP)
        continue
      case I.JUMP_TO_IF:
        top -= 32
        if (isZero(top)) continue
        next = <usize>load<u32>(at, 4)
        if (next == 0) return leave(frame, at, top, gas, EXIT_INVALID_JUMP)
        continue
      case I.JUMP_TO_UNLESS:
        top -= 32
        if (!isZero(top)) continue
        next = <usize>load<u32>(at, 4)
        if (next == 0) return leave(frame, at, top, gas, EXIT_INVALID_JUMP)
        continue
      case I.ADD_SMALL:
        addSmall(top - 32, <u64>load<u32>(at, 4))
        continue
      case I.EQ_SMALL:
        put(top - 32, u64(equalsSmall(top - 32, <u64>load<u32>(at, 4))))
        continue
      case I.SHR_SMALL: {
        const count = <u64>load<u32>(at, 4)
        if (count < 64) shiftRightSmall(count, top - 32)
        else shiftRight(count, top - 32, 0)
        continue
      }
      case I.SHL_SMALL:
        shiftLeft(<u64>load<u32>(at, 4), top - 32)
        continue
      case I.AND_WORD:
        and(next, top - 32)
        next += 32
        continue
      case I.MSTORE_AT: {
        const offset = <u64>load<u32>(at, 4)
        if (offset + 32 > size) {
          const left = extend(frame, offset, 32, 0, gas)
          if (left < 0) return refuse(frame, at, top, gas, left)
          gas = left
          size = <u64>load<u32>(frame, F_MEMORY_SIZE)
        }
        const item = <usize>load<u16>(at, 2)
        if (item) {
          writeWord(top - (item << 5), mem + <usize>offset)
        } else {
          top -= 32
          writeWord(top, mem + <usize>offset)
        }
        continue
      }
      case I.MLOAD_AT: {
        const offset = <u64>load<u32>(at, 4)
        if (offset + 32 > size) {
          const left = extend(frame, offset, 32, 0, gas)
          if (left < 0) return refuse(frame, at, top, gas, left)
          gas = left
          size = <u64>load<u32>(frame, F_MEMORY_SIZE)
        }
        readWord(mem + <usize>offset, top)
        top += 32
        continue
      }
      case I.SWAP_POP:
        top -= 32
        copy(top, top - ((<usize>load<u16>(at, 2)) << 5))
        continue
      case I.POP_POP:
        top -= 64
        continue
      case I.DUP_ADD:
        add(top - ((<usize>load<u16>(at, 2)) << 5), top - 32)
        continue
      case I.DUP_DUP: {
        const items = <usize>load<u16>(at, 2)
        copy(top - ((items & 0xff) << 5), top)
        top += 32
        copy(top - ((items >> 8) << 5), top)
        top += 32
        continue
      }
      case I.LT_JUMP_IF:
        top -= 64
        if (!lessThan(top + 32, top)) continue
        next = <usize>load<u32>(at, 4)
        if (next == 0) return leave(frame, at, top, gas, EXIT_INVALID_JUMP)
        continue
      case I.GT_JUMP_IF:
        top -= 64
        if (!lessThan(top, top + 32)) continue
        next = <usize>load<u32>(at, 4)
        if (next == 0) return leave(frame, at, top, gas, EXIT_INVALID_JUMP)
        continue
      case I.SLT_JUMP_IF:
        top -= 64
        if (!signedLess(top + 32, top)) continue
        next = <usize>load<u32>(at, 4)
        if (next == 0) return leave(frame, at, top, gas, EXIT_INVALID_JUMP)
        continue
      case I.SGT_JUMP_IF:
        top -= 64
        if (!signedLess(top, top + 32)) continue
        next = <usize>load<u32>(at, 4)
        if (next == 0) return leave(frame, at, top, gas, EXIT_INVALID_JUMP)
        continue
      case I.EQ_JUMP_IF:
        top -= 64
        if (!equal(top, top + 32)) continue
        next = <usize>load<u32>(at, 4)
        if (next == 0) return leave(frame, at, top, gas, EXIT_INVALID_JUMP)
        continue
      case I.LT_JUMP_UNLESS:
        top -= 64
        if (lessThan(top + 32, top)) continue
        next = <usize>load<u32>(at, 4)
        if (next == 0) return leave(frame, at, top, gas, EXIT_INVALID_JUMP)
        continue
      case I.GT_JUMP_UNLESS:
        top -= 64
        if (lessThan(top, top + 32)) continue
        next = <usize>load<u32>(at, 4)
        if (next == 0) return leave(frame, at, top, gas, EXIT_INVALID_JUMP)
        continue
      case I.SLT_JUMP_UNLESS:
        top -= 64
        if (signedLess(top + 32, top)) continue
        next = <usize>load<u32>(at, 4)
        if (next == 0) return leave(frame, at, top, gas, EXIT_INVALID_JUMP)
        continue
      case I.SGT_JUMP_UNLESS:
        top -= 64
        if (signedLess(top, top + 32)) continue
        next = <usize>load<u32>(at, 4)
        if (next == 0) return leave(frame, at, top, gas, EXIT_INVALID_JUMP)
        continue
      case I.EQ_JUMP_UNLESS:
        top -= 64
        if (equal(top, top + 32)) continue
        next = <usize>load<u32>(at, 4)
        if (next == 0) return leave(frame, at, top, gas, EXIT_INVALID_JUMP)
        continue
      case I.EXCHANGE: {
        const items = <usize>load<u16>(at, 2)
        swap(top - 32 - ((items & 0xff) << 5), top - 32 - ((items >> 8) << 5))
        continue
      }
      default:
        // HOST.
        store<u32>(frame, load<u32>(at, 4) + 1, F_POSITION)
        return leave(frame, next, top, gas, EXIT_HOST | <i32>load<u16>(at, 2))
    }
  }
  return 0
}
