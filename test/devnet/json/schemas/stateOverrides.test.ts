import { describe, expect, test } from 'vitest'
import { stateOverrides } from '../../../../devnet/json/schemas/stateOverrides.ts'
import { read } from './support.ts'

const A = `0x${'aa'.repeat(20)}`
const B = `0x${'bb'.repeat(20)}`
const ONE = `0x${'00'.repeat(31)}01`
const TWO = `0x${'00'.repeat(31)}02`

describe('stateOverrides', () => {
  test('default: in the order of the addresses', () => {
    const overrides = read(stateOverrides(), {
      [B.toUpperCase().replace('X', 'x')]: { state: { '0x1': TWO }, movePrecompileToAddress: A },
      [A]: { balance: '0x1', nonce: '0x2', code: '0x6000', stateDiff: { [ONE]: '0x2' } },
    })
    expect(overrides).toEqual(
      new Map([
        [A, { balance: 1n, nonce: 2n, code: '0x6000', stateDiff: new Map([[ONE, TWO]]) }],
        [B, { state: new Map([[ONE, TWO]]), movePrecompileToAddress: A }],
      ]),
    )
    expect([...(overrides as ReadonlyMap<string, unknown>).keys()]).toEqual([A, B])
  })

  test('nothing, and null for nothing', () => {
    expect(read(stateOverrides(), {})).toEqual(new Map())
    expect(read(stateOverrides(), { [A]: { state: null, stateDiff: {} } })).toEqual(
      new Map([[A, { stateDiff: new Map() }]]),
    )
  })

  test.each([
    [[], 'want an object of account overrides, got a list'],
    [{ '0x12': {} }, '0x12: hex string has length 2, want 40 for an address'],
    [JSON.parse('{"__proto__":{}}'), '__proto__: hex string without 0x prefix'],
    [{ [A]: 1 }, `${A}: want an object, got a number`],
    [{ [A]: { storage: {} } }, `${A}: unknown field "storage"`],
    [
      { [A]: { code: '0xEF0100' } },
      `${A}.code: code that begins as a delegation (EIP-7702) has 23 bytes, got 3`,
    ],
    [
      { [A]: { code: `0xef0100${'00'.repeat(21)}` } },
      `${A}.code: code that begins as a delegation (EIP-7702) has 23 bytes, got 24`,
    ],
    [{ [A]: { balance: 1 } }, `${A}.balance: want a hex number, got a number`],
    [{ [A]: {}, [`0x${'aA'.repeat(20)}`]: {} }, `0x${'aA'.repeat(20)}: given twice`],
    [{ [A]: { state: {}, stateDiff: {} } }, `${A}: both "state" and "stateDiff" are set`],
    [{ [A]: { state: { '0x': ONE } } }, `${A}.state.0x: hex string "0x"`],
    [{ [A]: { state: { '0x1': 1 } } }, `${A}.state.0x1: want a storage slot, got a number`],
    [{ [A]: { state: { '0x1': ONE, '0x01': ONE } } }, `${A}.state.0x01: given twice`],
    [{ ['z'.repeat(200)]: {} }, `${'z'.repeat(70)}…: hex string without 0x prefix`],
  ])('refuses %j', (value, problem) => {
    expect(read(stateOverrides(), value)).toBe(`invalid argument 0: ${problem}`)
  })
})
