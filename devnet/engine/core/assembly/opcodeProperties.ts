import { OPCODES, UNDEFINED_GAS } from '../layout'

// Properties of the opcodes of the hardfork, which the host has set.

export const JUMPDEST: u32 = 0x5b
const PUSH0: u32 = 0x5f
const PUSH32: u32 = 0x7f
export const DUPN: u32 = 0xe6
export const EXCHANGE: u32 = 0xe8

// @ts-ignore
@inline
export function gasOf(opcode: u32): u32 {
  return load<u16>(OPCODES + (opcode << 3))
}
// @ts-ignore
@inline
export function takenBy(opcode: u32): i32 {
  return load<u8>(OPCODES + (opcode << 3), 2)
}
// @ts-ignore
@inline
export function givenBy(opcode: u32): i32 {
  return load<u8>(OPCODES + (opcode << 3), 3)
}
// @ts-ignore
@inline
export function endsBlock(opcode: u32): bool {
  return load<u8>(OPCODES + (opcode << 3), 4) != 0
}

export function isUndefined(opcode: u32): bool {
  return gasOf(opcode) == UNDEFINED_GAS
}

export function isPush(opcode: u32): bool {
  return opcode >= PUSH0 && opcode <= PUSH32
}

/** True if an opcode names items of the stack by the byte after it (EIP-8024). */
export function namesItems(opcode: u32): bool {
  return opcode >= DUPN && opcode <= EXCHANGE && !isUndefined(opcode)
}

/** True if EIP-8024 excludes the byte after an opcode that names items. */
export function isExcluded(at: usize): bool {
  const immediate = <u32>load<u8>(at, 1)
  return immediate > (load<u8>(at) == EXCHANGE ? 81 : 90) && immediate < 128
}

/**
 * Detail of the instruction of an opcode that names items: the number of the item, or, of EXCHANGE,
 * both numbers.
 */
export function itemsOf(at: usize): u32 {
  const immediate = <u32>load<u8>(at, 1)
  if (load<u8>(at) != EXCHANGE) return (immediate + 145) & 0xff
  const row = (immediate ^ 143) >> 4
  const column = (immediate ^ 143) & 15
  return row < column ? (row + 1) | ((column + 1) << 8) : (column + 1) | ((29 - row) << 8)
}

/** Number of bytes of the immediate of the opcode at a place in a code; 0 for an excluded one. */
export function immediateSize(at: usize): u32 {
  const opcode = <u32>load<u8>(at)
  if (isPush(opcode)) return opcode - PUSH0
  return namesItems(opcode) && !isExcluded(at) ? 1 : 0
}
