import { bytesToBigInt, readWord, WORD } from '../../primitives/bytes.ts'
import type { RunState } from '../evmInternals.ts'

/** Maximum height of the stack, in words (yellow paper 9.1). */
export const MAX_HEIGHT = 1024

const ADDRESS = 0x30
const CALLER = 0x33
const CALLDATALOAD = 0x35

const MODULUS = 1n << 256n
const LARGEST = MODULUS - 1n

/**
 * Runs opcodes of fixed gas on the top of the stack, without the arrays and divisions of the
 * library's handlers.
 *
 * @returns false, with nothing changed, if the library's handler must run: for other opcodes or
 * unusual operands, and on a stack underflow or overflow
 */
export function wordOpcode({ stack, env }: RunState, opCode: number): boolean {
  const { _store: items, _len: height } = stack
  if (opCode === ADDRESS || opCode === CALLER) {
    if (height >= MAX_HEIGHT) return false
    items[height] = bytesToBigInt(opCode === CALLER ? env.caller.bytes : env.address.bytes)
    stack._len = height + 1
    return true
  }
  if (opCode >= 0x80 && opCode <= 0x8f) {
    const item = items[height - (opCode - 0x7f)]
    if (height < opCode - 0x7f || height >= MAX_HEIGHT || item === undefined) return false
    items[height] = item
    stack._len = height + 1
    return true
  }
  if (opCode >= 0x90 && opCode <= 0x9f) {
    const top = height - 1
    const other = top - (opCode - 0x8f)
    const one = items[top]
    const two = items[other]
    if (other < 0 || one === undefined || two === undefined) return false
    items[top] = two
    items[other] = one
    return true
  }
  const a = items[height - 1]
  if (height < 1 || a === undefined) return false
  switch (opCode) {
    case CALLDATALOAD: {
      const { callData } = env
      if (a + BigInt(WORD) > BigInt(callData.length)) return false
      items[height - 1] = readWord(callData, Number(a))
      return true
    }
    case 0x15:
      items[height - 1] = a === 0n ? 1n : 0n
      return true
    case 0x19:
      items[height - 1] = LARGEST - a
      return true
    case 0x50:
      stack._len = height - 1
      return true
    case 0x5b:
      return true
  }
  const b = items[height - 2]
  if (height < 2 || b === undefined) return false
  const result = binary(opCode, a, b)
  if (result === undefined) return false
  items[height - 2] = result
  stack._len = height - 1
  return true
}

function binary(opCode: number, a: bigint, b: bigint): bigint | undefined {
  switch (opCode) {
    case 0x01: {
      const sum = a + b
      return sum > LARGEST ? sum - MODULUS : sum
    }
    case 0x02:
      return BigInt.asUintN(256, a * b)
    case 0x03: {
      const difference = a - b
      return difference < 0n ? difference + MODULUS : difference
    }
    case 0x10:
      return a < b ? 1n : 0n
    case 0x11:
      return a > b ? 1n : 0n
    case 0x14:
      return a === b ? 1n : 0n
    case 0x16:
      return a & b
    case 0x17:
      return a | b
    case 0x18:
      return a ^ b
    case 0x1b:
      return a > 255n ? 0n : BigInt.asUintN(256, b << a)
    case 0x1c:
      return a > 255n ? 0n : b >> a
    default:
      return undefined
  }
}
