import { describe, expect, test } from 'vitest'
import { blockOverrides } from '../../../../devnet/json/schemas/blockOverrides.ts'
import { read } from './support.ts'

const ADDRESS = `0x${'aa'.repeat(20)}`
const HASH = `0x${'bb'.repeat(32)}`
const REST = {
  gasLimit: '0x3',
  blobBaseFee: '0x5',
  withdrawals: [{ index: '0x0', validatorIndex: '0x1', address: ADDRESS, amount: '0x2' }],
  difficulty: '0x6',
  blockHash: { '16': HASH, '0x11': HASH },
  unknown: 'ignored',
}
const readOverrides = (value: unknown) => read(blockOverrides(), value)

describe('blockOverrides', () => {
  test.each([
    [
      'the names of the specification',
      {
        number: '0x1',
        time: '0x2',
        feeRecipient: ADDRESS,
        prevRandao: HASH,
        baseFeePerGas: '0x4',
        beaconRoot: HASH,
      },
    ],
    [
      'the other names',
      {
        blockNumber: '0x1',
        timestamp: '0x2',
        coinbase: ADDRESS,
        random: HASH,
        baseFee: '0x4',
        parentBeaconBlockRoot: HASH,
      },
    ],
  ])('args: %s', (_, fields) => {
    expect(readOverrides({ ...REST, ...fields })).toEqual({
      number: 1n,
      time: 2n,
      gasLimit: 3n,
      feeRecipient: ADDRESS,
      prevRandao: HASH,
      baseFeePerGas: 4n,
      blobBaseFee: 5n,
      withdrawals: [{ index: 0n, validatorIndex: 1n, address: ADDRESS, amount: 2n }],
      beaconRoot: HASH,
      difficulty: 6n,
      blockHash: new Map([
        [16n, HASH],
        [17n, HASH],
      ]),
    })
  })

  test('both names with one value, and null', () => {
    expect(readOverrides({ time: '0x2', timestamp: '0x02', number: null })).toEqual({ time: 2n })
  })

  test.each([
    [{ time: '0x2', timestamp: '0x3' }, 'both "time" and "timestamp" are set and not equal'],
    [{ number: 1 }, 'number: want a hex number, got a number'],
    [{ timestamp: `0x1${'0'.repeat(16)}` }, 'timestamp: hex number > 64 bits'],
    [{ prevRandao: '0x1' }, 'prevRandao: hex string has length 1, want 64 for a hash'],
    [{ withdrawals: [{}] }, 'withdrawals[0].index: want a hex number, got nothing'],
    [{ blockHash: { x: HASH } }, 'blockHash.x: hex string without 0x prefix'],
    [1, 'want an object, got a number'],
  ])('refuses %j', (value, problem) => {
    expect(readOverrides(value)).toBe(`invalid argument 0: ${problem}`)
  })
})
