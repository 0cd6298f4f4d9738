import { expect, test } from 'vitest'
import { readValue } from '../../../../devnet/json/params.ts'
import { faultScript } from '../../../../devnet/json/schemas/faultScript.ts'

const read = (script: unknown) => readValue(faultScript(), script)
const rule = (one: unknown) => () => read({ rules: [{ kind: 'reorder' }, one] })

test('default', () => {
  const script = {
    rules: [
      { kind: 'drop', from: `0x${'aB'.repeat(20)}`, next: 1, at: 'tick' },
      { kind: 'delayAnswer', method: ['eth_call', 'eth_chainId'], ms: 5 },
      { kind: 'corruptAnswer', method: 'eth_call', result: null },
    ],
    seed: 7,
  }
  expect(read(script)).toEqual({
    ...script,
    rules: [{ ...script.rules[0], from: `0x${'ab'.repeat(20)}` }, ...script.rules.slice(1)],
  })
})

test.each([
  ['no object', 3, 'rules[1]: want an object, got a number'],
  ['no kind', { next: 1 }, 'rules[1].kind: want one of drop, hold, reorder'],
  ['another kind', { kind: 'loose' }, 'rules[1].kind: want one of drop, hold, reorder'],
  ['an unknown field', { kind: 'drop', form: '0x' }, 'rules[1]: unknown field "form"'],
  ['a field of another kind', { kind: 'reorder', tick: 1 }, 'rules[1]: unknown field "tick"'],
  ['a short address', { kind: 'drop', from: '0x12' }, 'rules[1].from: '],
  ['a short hash', { kind: 'hold', hash: '0x12' }, 'rules[1].hash: '],
  [
    'a nonce as text',
    { kind: 'drop', nonce: '0x1' },
    'rules[1].nonce: want an integer, got a string',
  ],
  ['a negative block', { kind: 'drop', block: -1 }, 'rules[1].block: want at least 1'],
  ['the genesis block', { kind: 'reorg', block: 0 }, 'rules[1].block: want at least 1'],
  ['a place', { kind: 'drop', at: 'end' }, 'rules[1].at: want "seal" or "tick", got a string'],
  ['a deep reorg', { kind: 'reorg', depth: 257 }, 'rules[1].depth: want at most 256'],
  [
    'a status that is no error',
    { kind: 'refuseAnswer', method: 'eth_call', status: 200 },
    'rules[1].status: want an HTTP status from 400 to 599',
  ],
  ['no times', { kind: 'drop', next: 0 }, 'rules[1].next: want at least 1'],
  [
    'a high probability',
    { kind: 'drop', probability: 2 },
    'rules[1].probability: want a number above 0, at most 1',
  ],
  [
    'no probability',
    { kind: 'drop', probability: 0 },
    'rules[1].probability: want a number above 0, at most 1',
  ],
  ['no delay', { kind: 'delaySeal' }, 'rules[1].ms: want an integer, got nothing'],
  ['a long delay', { kind: 'delayTick', ms: 2 ** 31 }, 'rules[1].ms: want at most 2147483647 ms'],
  [
    'no method',
    { kind: 'refuseAnswer' },
    'rules[1].method: want the name of a method, got nothing',
  ],
  ['no methods', { kind: 'refuseAnswer', method: [] }, 'rules[1].method: want at least one method'],
  [
    'no name',
    { kind: 'refuseAnswer', method: [''] },
    'rules[1].method[0]: want the name of a method',
  ],
  [
    'a method of the clocks',
    { kind: 'refuseAnswer', method: ['eth_call', 'preconf_seal'] },
    'rules[1].method[1]: methods of the clocks cannot fail',
  ],
])('error: a rule with %s', (_name, one, message) => {
  expect(rule(one)).toThrow(message)
})

test('error: what is no script', () => {
  expect(() => read([])).toThrow('want an object, got a list')
  expect(() => read({})).toThrow('rules: want a list, got nothing')
  expect(() => read({ rules: [], seed: -1 })).toThrow('seed: want at least 0')
  expect(() => read({ rules: [], sead: 1 })).toThrow('unknown field "sead"')
  expect(() => read({ rules: new Array(1001).fill({ kind: 'reorder' }) })).toThrow(
    'rules: want at most 1000 rules',
  )
})

const deep = (levels: number): unknown => JSON.parse('['.repeat(levels) + ']'.repeat(levels))

test('a result is taken as JSON, as deep as an answer may be', () => {
  const result = { at: new Date(0), list: [undefined, deep(998)] }
  expect(read({ rules: [{ kind: 'corruptAnswer', method: 'eth_call', result }] }).rules).toEqual([
    {
      ...{ kind: 'corruptAnswer', method: 'eth_call' },
      result: { at: '1970-01-01T00:00:00.000Z', list: [null, deep(998)] },
    },
  ])
})

const CYCLE: unknown[] = []
CYCLE.push(CYCLE)

test.each([
  ['deeper', deep(1_001)],
  ['far deeper', deep(9_000)],
  ['without an end', CYCLE],
  ['with a bigint', { value: 1n }],
  ['that is a function', () => 1],
])('error: a result %s', (_, result) => {
  expect(rule({ kind: 'corruptAnswer', method: 'eth_call', result })).toThrow(
    'rules[1].result: want a value of JSON, nested at most 1000 deep',
  )
})
