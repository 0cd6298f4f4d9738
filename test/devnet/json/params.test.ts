import { describe, expect, test } from 'vitest'
import {
  address,
  blockReference,
  params,
  quantity,
  readValue,
} from '../../../devnet/json/params.ts'
import { InvalidParamsError } from '../../../devnet/primitives/errors.ts'
import {
  flag,
  listOf,
  objectOf,
  optional,
  orElse,
  type Reader,
  text,
} from '../../../devnet/primitives/reader.ts'

const ADDRESS = `0x${'Aa'.repeat(20)}`
const schema = params(address(), optional(blockReference()))

describe('params', () => {
  test('default', () => {
    expect(schema.read([ADDRESS, 'pending'])).toEqual([`0x${'aa'.repeat(20)}`, { tag: 'pending' }])
  })

  test.each([
    ['absent', [ADDRESS]],
    ['null', [ADDRESS, null]],
    ['undefined', [ADDRESS, undefined]],
  ])('optional parameter %s', (_, args) => {
    expect(schema.read(args)).toEqual([`0x${'aa'.repeat(20)}`, undefined])
  })

  test('null takes the default', () => {
    expect(params(orElse(flag(), true)).read([null])).toEqual([true])
  })

  test('a required parameter that may be null', () => {
    const textOrNull: Reader<string | null> = (value, context) =>
      value === null ? null : text()(value, context)
    expect(params(textOrNull).read([null])).toEqual([null])
  })

  test.each([
    [[], 'missing value for required argument 0'],
    [[null, 'latest'], 'missing value for required argument 0'],
    [[ADDRESS, 'latest', 1], 'too many arguments, want at most 2'],
    [
      [ADDRESS.slice(0, -2)],
      'invalid argument 0: hex string has length 38, want 40 for an address',
    ],
    [[ADDRESS, {}], 'invalid argument 1: want blockNumber or blockHash'],
    [
      [ADDRESS, { blockHash: '0x12' }],
      'invalid argument 1: blockHash: hex string has length 2, want 64 for a hash',
    ],
  ])('refuses %j', (args, message) => {
    expect(() => schema.read(args)).toThrow(expect.objectContaining({ code: -32602, message }))
  })

  test('names the place in a list of objects', () => {
    const list = params(listOf(objectOf({ fields: { a: flag() } }), 'a list'))
    expect(() => list.read([[{ a: true }, { a: 'x' }]])).toThrow(
      new InvalidParamsError('invalid argument 0: [1].a: want true or false, got a string'),
    )
  })

  test('a long list of errors costs no more than the first', () => {
    const list = params(listOf(address(), 'a list'))
    const start = process.cpuUsage()
    expect(() => list.read([Array.from({ length: 1_000_000 }, () => 1)])).toThrow(
      new InvalidParamsError('invalid argument 0: [0]: want an address, got a number'),
    )
    // µs of this process, of which another error for each item takes several seconds.
    expect(process.cpuUsage(start).user).toBeLessThan(1_000_000)
  })
})

test('a value that is no parameter has no decimals, whatever was read before', () => {
  expect(params(quantity()).read(['12'], { takesDecimals: true })).toEqual([12n])
  expect(() => readValue(quantity(), '12')).toThrow('hex string without 0x prefix')
  expect(() => params(quantity()).read(['12'])).toThrow('hex string without 0x prefix')
})
