import { describe, expect, test } from 'vitest'
import type { Parameter } from '../../../../devnet/dashboard/contractRows.ts'
import {
  addressBook,
  argumentsIn,
  emptyValue,
  type FieldValue,
  partsOf,
  readingOf,
} from '../../../../devnet/pages/dashboard/fieldValues.ts'

const A = `0x${'aa'.repeat(20)}`
const B = `0x${'bb'.repeat(20)}`
const C = `0x${'cc'.repeat(20)}`

function parameter(type: string, components: readonly Parameter[] = []): Parameter {
  return { name: '', type, components }
}

const ITEM = [parameter('bool'), parameter('address')]
const BOOK = addressBook([
  [A, 'Account #0'],
  [B, 'Vault'],
])

describe('address book', () => {
  test('default: names in any letter case, and addresses', () => {
    expect(BOOK.options).toEqual(['Account #0', 'Vault'])
    expect(BOOK.find(' account #0 ')).toBe(A)
    expect(BOOK.find(C.toUpperCase().replace('X', 'x'))).toBe(C)
    expect(BOOK.find('Vaul')).toBeUndefined()
    for (const name of ['constructor', '__proto__', 'toString', '']) {
      expect(BOOK.find(name)).toBeUndefined()
    }
  })

  test('names that are alike stand with their addresses', () => {
    const book = addressBook([
      [A, 'Account #0'],
      [B, 'account #0'],
    ])
    expect(book.options).toEqual([`Account #0 ${A}`, `account #0 ${B}`])
    expect(book.find('Account #0')).toBeUndefined()
    expect(book.find(`account #0 ${B}`)).toBe(B)
  })

  test('a name that is an address, or hides characters, stands for no other one', () => {
    const book = addressBook([
      [A, 'Account #0'],
      [B, C],
      [C, 'Account #0\u200b'],
    ])
    expect(book.find(C)).toBe(C)
    expect(book.find(`${C} ${B}`)).toBe(B)
    expect(book.find('Account #0')).toBe(A)
    expect(book.find('Account #0⟨U+200B⟩')).toBe(C)
  })
})

test('structs and arrays have fields, and very long ones are written as JSON', () => {
  expect(emptyValue(parameter('(bool,address)', ITEM))).toEqual(['false', ''])
  expect(emptyValue(parameter('(bool,address)[2]', ITEM))).toEqual([
    ['false', ''],
    ['false', ''],
  ])
  expect(emptyValue(parameter('uint8[]'))).toEqual([])
  expect(partsOf(parameter('uint8[]'), 2)).toMatchObject([{ name: '[0]' }, { type: 'uint8' }])
  for (const type of ['uint8[65]', 'uint8[16][16]', 'uint8[4294967296]', '(bool)']) {
    expect(partsOf(parameter(type))).toBeUndefined()
    expect(emptyValue(parameter(type))).toBe('')
  }
})

test('fields become arguments, names of addresses included', () => {
  const parameters = [
    parameter('(bool,address)[]', ITEM),
    parameter('uint256'),
    parameter('uint8[65]'),
    parameter('string'),
  ]
  const values: FieldValue[] = [[['true', 'vault']], '1.5 ether', '[1, "2"]', ' a ']
  expect(argumentsIn(parameters, values, BOOK)).toEqual([
    [['true', B]],
    '1.5 ether',
    ['1', '2'],
    ' a ',
  ])
  const wrong: FieldValue[] = [[['true', 'nobody']], '1.5', '{}']
  for (const [index, value] of wrong.entries()) {
    expect(argumentsIn(parameters, values.with(index, value), BOOK)).toBeUndefined()
  }
})

test.each([
  ['uint256', '1e18', '1,000,000,000,000,000,000 = 1e18'],
  ['uint256', '12', ''],
  ['uint256', 'x', ''],
  ['int64', '-20 gwei', '-20,000,000,000 = -2e10'],
  ['address', 'vault', B],
  ['address', B, ''],
  ['string', '1e18', ''],
])('%s of %s reads as %j', (type, text, words) => {
  expect(readingOf(parameter(type), text, BOOK)).toBe(words)
})
