import { KECCAK256_NULL } from '@ethereumjs/util'
import { expect, test } from 'vitest'
import { EMPTY_BYTES } from '../../../devnet/primitives/bytes.ts'
import { Codes, EMPTY_CODE_HASH, ScratchCodes } from '../../../devnet/state/codes.ts'
import { keccak256 } from './support.ts'

test('default', () => {
  const codes = new Codes(keccak256)
  const code = Uint8Array.of(1, 2, 3)
  const hash = codes.add(code)
  expect(hash).toEqual(keccak256(code))
  expect(codes.get(hash)).toEqual(code)
})

test('one object for one hash', () => {
  const codes = new Codes(keccak256)
  const hash = codes.add(Uint8Array.of(1, 2, 3))
  expect(codes.add(Uint8Array.of(1, 2, 3))).toBe(hash)
  expect(codes.get(hash.slice())).toBe(codes.get(hash))
})

test('keeps a copy', () => {
  const codes = new Codes(keccak256)
  const code = Uint8Array.of(1, 2, 3)
  const hash = codes.add(code)
  code[0] = 9
  expect(codes.get(hash)).toEqual(Uint8Array.of(1, 2, 3))
})

test('no code, and unknown hashes', () => {
  const codes = new Codes(keccak256)
  expect(EMPTY_CODE_HASH).toEqual(KECCAK256_NULL)
  expect(codes.add(new Uint8Array(0))).toBe(EMPTY_CODE_HASH)
  expect(codes.get(EMPTY_CODE_HASH)).toBe(EMPTY_BYTES)
  expect(codes.get(KECCAK256_NULL)).toBe(EMPTY_BYTES)
  expect(codes.get(new Uint8Array(32))).toBe(EMPTY_BYTES)
})

test('scratch codes stay away from the shared ones until published', () => {
  const shared = new Codes(keccak256)
  const scratch = new ScratchCodes(shared)
  const known = shared.add(Uint8Array.of(1))
  const hash = scratch.add(Uint8Array.of(2))
  expect(scratch.add(Uint8Array.of(1))).toBe(known)
  expect(scratch.add(Uint8Array.of(2))).toBe(hash)
  expect(scratch.get(hash)).toEqual(Uint8Array.of(2))
  expect(shared.get(hash)).toBe(EMPTY_BYTES)
  const code = scratch.get(hash)
  scratch.publish()
  expect(shared.get(hash)).toBe(code)
})

test('cleared scratch codes are gone', () => {
  const scratch = new ScratchCodes(new Codes(keccak256))
  const hash = scratch.add(Uint8Array.of(2))
  scratch.clear()
  expect(scratch.get(hash)).toBe(EMPTY_BYTES)
})

test('canonical hash objects', () => {
  const shared = new Codes(keccak256)
  const scratch = new ScratchCodes(shared)
  const known = shared.add(Uint8Array.of(1))
  const fresh = scratch.add(Uint8Array.of(2))
  expect(scratch.canonical(known.slice())).toBe(known)
  expect(scratch.canonical(fresh.slice())).toBe(fresh)
  expect(scratch.canonical(KECCAK256_NULL)).toBe(EMPTY_CODE_HASH)
  const unknown = new Uint8Array(32)
  expect(scratch.canonical(unknown)).toBe(unknown)
})
