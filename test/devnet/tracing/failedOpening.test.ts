import { keccak_256 } from '@noble/hashes/sha3.js'
import { getContractAddress } from 'viem'
import { expect, test } from 'vitest'
import type { Step } from '../../../devnet/engine/library/tracingLoop.ts'
import { bigIntTo32Bytes } from '../../../devnet/primitives/bytes.ts'
import { toHex } from '../../../devnet/primitives/hex.ts'
import type { StateReader } from '../../../devnet/state/types.ts'
import { failedOpening } from '../../../devnet/tracing/failedOpening.ts'

const TO = 0x77n
const FROM = new Uint8Array(20).fill(9)

/** An account of 5 wei wherever one looks. */
const state = {
  account: () => ({ nonce: 0n, balance: 5n, codeHash: new Uint8Array(32) }),
} as Partial<StateReader> as StateReader

const context = { state, keccak256: keccak_256 }

/**
 * A step with these items, topmost first, and bytes 1, 2, 3, 4, 5 in memory; no gas reaches the
 * depth of 1,024 today.
 */
function stepAt(depth: number, ...items: bigint[]): Step {
  const memory = { _store: Uint8Array.of(1, 2, 3, 4, 5) }
  const stack = { _store: items.toReversed() }
  const env = { depth, address: { bytes: FROM } }
  // All that is looked at.
  const fake = { state: { env, stack, memory, messageGasLimit: 100n }, height: items.length }
  return fake as unknown as Step
}

test('1,024 frames inside of the outermost', () => {
  const call = (depth: number) =>
    failedOpening(stepAt(depth, 100n, TO, 1n, 3n, 4n, 0n, 0n), 'CALL', context)
  expect(call(1023)).toBeUndefined()
  expect(call(1024)).toEqual({
    halt: 'depth',
    frame: {
      type: 'CALL',
      depth: 1025,
      from: FROM,
      to: Uint8Array.from([...new Array(19).fill(0), 0x77]),
      // Bytes beyond the end of memory are zero.
      input: Uint8Array.of(4, 5, 0, 0),
      gas: 2400n,
      value: 1n,
    },
  })
})

test('kinds of calls', () => {
  const deep = (type: 'DELEGATECALL' | 'STATICCALL') =>
    failedOpening(stepAt(1024, 100n, TO, 0n, 2n, 0n, 0n), type, context)?.frame
  expect(deep('STATICCALL')).toMatchObject({
    gas: 100n,
    value: undefined,
    input: Uint8Array.of(1, 2),
  })
  expect(deep('DELEGATECALL')).toMatchObject({ gas: 100n, value: 0n })
  const create = failedOpening(stepAt(1024, 5n, 1n, 2n), 'CREATE', context)?.frame
  expect(create).toMatchObject({ value: 5n, gas: 100n, input: Uint8Array.of(2, 3) })
})

test('where a contract would have been', () => {
  const where = (type: 'CREATE' | 'CREATE2', ...items: bigint[]) => {
    const to = failedOpening(stepAt(1024, ...items), type, context)?.frame.to
    return to && toHex(to)
  }
  const from = toHex(FROM)
  expect(where('CREATE', 5n, 1n, 2n)).toBe(getContractAddress({ from, nonce: 0n }).toLowerCase())
  const salt = toHex(bigIntTo32Bytes(7n))
  expect(where('CREATE2', 5n, 1n, 2n, 7n)).toBe(
    getContractAddress({ from, opcode: 'CREATE2', salt, bytecode: '0x0203' }).toLowerCase(),
  )
})

test('balance', () => {
  const call = (value: bigint) =>
    failedOpening(stepAt(0, 100n, TO, value, 0n, 0n, 0n, 0n), 'CALL', context)?.halt
  expect([call(5n), call(6n)]).toEqual([undefined, 'insufficientBalance'])
})
