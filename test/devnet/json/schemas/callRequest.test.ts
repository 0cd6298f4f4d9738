import { describe, expect, test } from 'vitest'
import { callRequest } from '../../../../devnet/json/schemas/callRequest.ts'
import { read } from './support.ts'

const FROM = `0x${'aA'.repeat(20)}`
const TO = `0x${'bb'.repeat(20)}`
const HASH = `0x${'cc'.repeat(32)}`
const AUTHORIZATION = {
  chainId: '0x1',
  address: TO,
  nonce: '0x2',
  yParity: '0x1',
  r: '0x3',
  s: '0x4',
}

describe('callRequest', () => {
  test('default', () => {
    expect(read(callRequest(), {})).toEqual({})
  })

  test('args: all', () => {
    expect(
      read(callRequest(), {
        from: FROM,
        to: TO,
        gas: '0x5208',
        maxFeePerGas: '0x2',
        maxPriorityFeePerGas: '0x1',
        maxFeePerBlobGas: '0x3',
        value: '0xde0b6b3a7640000',
        nonce: '0x7',
        input: '0x1234',
        accessList: [
          { address: TO, storageKeys: [HASH] },
          { address: FROM, storageKeys: [] },
        ],
        blobVersionedHashes: [HASH],
        authorizationList: [AUTHORIZATION],
        chainId: '0x7a69',
        type: '0x4',
        somethingElse: 'ignored',
      }),
    ).toEqual({
      from: FROM.toLowerCase(),
      to: TO,
      gas: 21000n,
      maxFeePerGas: 2n,
      maxPriorityFeePerGas: 1n,
      maxFeePerBlobGas: 3n,
      value: 10n ** 18n,
      nonce: 7n,
      data: '0x1234',
      accessList: [
        { address: TO, storageKeys: [HASH] },
        { address: FROM.toLowerCase(), storageKeys: [] },
      ],
      blobVersionedHashes: [HASH],
      authorizationList: [{ chainId: 1n, address: TO, nonce: 2n, yParity: 1n, r: 3n, s: 4n }],
      chainId: 31337n,
      type: 4,
    })
  })

  test('null is absent', () => {
    expect(
      read(callRequest(), {
        from: null,
        to: null,
        data: null,
        gas: null,
        accessList: null,
        type: null,
      }),
    ).toEqual({})
  })

  test.each([
    [{ data: '0xAB', input: '0xab' }, '0xab'],
    [{ data: '0xab', input: null }, '0xab'],
    [{ input: '0xab' }, '0xab'],
    [{ data: '0x' }, '0x'],
  ])('data of %j', (call, data) => {
    expect(read(callRequest(), call)).toEqual({ data })
  })

  test.each([
    [
      { data: '0x12', input: '0x34' },
      'both "data" and "input" are set and not equal. Please use "input" to pass transaction call data',
    ],
    [{ from: '0x12' }, 'from: hex string has length 2, want 40 for an address'],
    [{ to: 5 }, 'to: want an address, got a number'],
    [{ gas: 21000 }, 'gas: want a hex number, got a number'],
    [{ gas: `0x1${'0'.repeat(16)}` }, 'gas: hex number > 64 bits'],
    [{ nonce: '1' }, 'nonce: hex string without 0x prefix'],
    [{ value: `0x1${'0'.repeat(64)}` }, 'value: hex number > 256 bits'],
    [{ input: '0x1' }, 'input: hex string of odd length'],
    [{ type: '0x80' }, 'type: unknown transaction type 128'],
    [{ accessList: {} }, 'accessList: want an access list, got an object'],
    [{ accessList: [1] }, 'accessList[0]: want an access list entry, got a number'],
    [{ accessList: [{}] }, 'accessList[0].address: want an address, got nothing'],
    [{ accessList: [{ address: TO }] }, 'accessList[0].storageKeys: want a list, got nothing'],
    [
      { accessList: [{ address: TO, storageKeys: null }] },
      'accessList[0].storageKeys: want a list, got null',
    ],
    [
      { accessList: [{ address: TO, storageKeys: [HASH, '0x1'] }] },
      'accessList[0].storageKeys[1]: hex string has length 1, want 64 for a hash',
    ],
    [{ blobVersionedHashes: [null] }, 'blobVersionedHashes[0]: want a hash, got null'],
    [
      { authorizationList: [{ ...AUTHORIZATION, s: undefined }] },
      'authorizationList[0].s: want a hex number, got nothing',
    ],
    [[], 'want an object, got a list'],
    ['0x', 'want an object, got a string'],
  ])('refuses %j', (call, problem) => {
    expect(read(callRequest(), call)).toBe(`invalid argument 0: ${problem}`)
  })
})

test('accessList', () => {
  expect(read(callRequest(), { accessList: [] })).toEqual({ accessList: [] })
})
