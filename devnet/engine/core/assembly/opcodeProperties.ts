import { OPCODES, UNDEFINED_GAS } from '../layout'

// What the host has told of the opcodes of its hardfork.

export const JUMPDEST: u32 = 0x5b
const PUSH0: u32 = 0x5f
const PUSH32: u32 = 0x7f

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

/** Number of bytes that an opcode pushes. */
export function pushSize(opcode: u32): u32 {
  return isPush(opcode) ? opcode - PUSH0 : 0
}
