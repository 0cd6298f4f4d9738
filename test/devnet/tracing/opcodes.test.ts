import type { Hex } from 'viem'
import { beforeAll, expect, test } from 'vitest'
import { opcodeName, stackFault } from '../../../devnet/protocol/opcodes.ts'
import {
  createTracingChain,
  type StructLogs,
  type TracedFrame,
  type TracingChain,
} from './harness.ts'

let node: TracingChain
beforeAll(async () => {
  node = await createTracingChain()
})

const codes = Array.from({ length: 256 }, (_, code) => code)
const byte = (code: number) => code.toString(16).padStart(2, '0')

/** Whether the newest hardfork has the opcode; INVALID does not count. */
async function isDefined(code: number): Promise<boolean> {
  const { error } = await trace(`0x${byte(code)}`)
  return error?.startsWith('invalid opcode') !== true
}

function trace(code: Hex): Promise<TracedFrame> {
  return node.traceCode<TracedFrame>(code, { tracer: 'callTracer' }, { gas: 1_000_000n })
}

test('what opcodes need on the stack is what the library asks for', async () => {
  let count = 0
  for (const code of codes) {
    if (!(await isDefined(code))) continue
    count++
    const needs = Array.from({ length: 18 }, (_, height) => height).find(
      (height) => stackFault(code, height) === undefined,
    )
    if (needs === undefined) throw new Error(`${opcodeName(code)} needs too much`)
    // The library itself fails with fewer operands, and for another reason, if at all, with as
    // many.
    for (const height of [needs - 1, needs]) {
      if (height < 0) continue
      const returned = await trace(`0x${'5f'.repeat(height)}${byte(code)}`)
      const fault = stackFault(code, height)
      expect(returned.error?.startsWith('stack underflow') === true, opcodeName(code)).toBe(
        fault !== undefined,
      )
      if (fault !== undefined) expect(returned.error).toBe(fault)
    }
  }
  // All that Osaka has, without INVALID.
  expect(count).toBe(149)
})

test('a full stack', async () => {
  for (const code of codes) {
    if (!(await isDefined(code))) continue
    const returned = await trace(`0x${'5f'.repeat(1024)}${byte(code)}`)
    const fault = stackFault(code, 1024)
    expect(returned.error?.startsWith('stack limit') === true, opcodeName(code)).toBe(
      fault !== undefined,
    )
  }
  expect(stackFault(0x5f, 1024)).toBe('stack limit reached 1024 (1023)')
  expect(stackFault(0x80, 1024)).toBe('stack limit reached 1024 (1023)')
  expect(stackFault(0x90, 1024)).toBeUndefined()
})

test('names', async () => {
  // Four zeros, KECCAK256, POP, PREVRANDAO, LOG1
  const { structLogs } = await node.traceCode<StructLogs>('0x5f5f5f5f205044a1')
  const zeros = ['PUSH0', 'PUSH0', 'PUSH0', 'PUSH0']
  expect(structLogs.map(({ op }) => op)).toEqual([
    ...zeros,
    'KECCAK256',
    'POP',
    'DIFFICULTY',
    'LOG1',
    'STOP',
  ])
  expect([0x00, 0x60, 0x7f, 0x8f, 0x9f, 0xa4, 0xfa, 0xfe, 0x21].map(opcodeName)).toEqual([
    'STOP',
    'PUSH1',
    'PUSH32',
    'DUP16',
    'SWAP16',
    'LOG4',
    'STATICCALL',
    'INVALID',
    'opcode 0x21 not defined',
  ])
})
