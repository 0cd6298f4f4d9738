import { describe, expect, test } from 'vitest'
import {
  accepts,
  choice,
  either,
  flag,
  integer,
  keyedObject,
  listOf,
  nullish,
  objectOf,
  optional,
  orElse,
  pathText,
  type Reader,
  readWith,
  recordOf,
  text,
} from '../../../devnet/primitives/reader.ts'

const SIDE = either<boolean | number>('a flag, or a count', flag(), integer({ min: 1 }))

function read(reader: Reader<unknown>, value: unknown): unknown {
  return readWith(reader, value, (error) => {
    const place = error.path.length === 0 ? '' : `${pathText(error.path)}: `
    return new Error(`${place}${error.message} (${error.problem}, must be ${error.expected})`)
  })
}

test.each<[string, Reader<unknown>, unknown, unknown]>([
  ['an optional value', optional(text()), undefined, undefined],
  ['a default', orElse(text(), 'x'), undefined, 'x'],
  ['null, where it means absent', nullish(text()), null, undefined],
  ['one of several', SIDE, 2, 2],
  ['a choice', choice(['a', 'b'], 'a or b'), 'b', 'b'],
  ['only known fields', objectOf({ fields: { a: text() } }), { a: 'x', b: 1 }, { a: 'x' }],
  [
    'optional fields',
    objectOf({ optional: { a: text(), b: text() } }),
    { b: null },
    { a: undefined, b: undefined },
  ],
  ['a record', recordOf(flag()), { x: true, y: false }, { x: true, y: false }],
])('reads %s', (_, reader, value, expected) => {
  expect(read(reader, value)).toEqual(expected)
  expect(accepts(reader, value)).toBe(true)
})

test.each<[string, Reader<unknown>, unknown, string]>([
  ['another type', text(), 1, 'want a string, got a number (type, must be a string)'],
  [
    'null for an optional value',
    optional(flag()),
    null,
    'want true or false, got null (type, must be true or false)',
  ],
  ['no integer', integer(), 1.5, 'want an integer, got a number (type, must be an integer)'],
  ['too little', integer({ min: 1 }), 0, 'want at least 1 (range, must be at least 1)'],
  [
    'too long a text',
    text('a name', { max: 2 }),
    'abc',
    'want at most 2 characters (range, must be at most 2 characters)',
  ],
  [
    'no choice',
    choice(['a', 'b'], 'a or b'),
    'c',
    'want a or b, got a string (unsupported, must be a or b)',
  ],
  [
    'none of several',
    SIDE,
    'x',
    'want a flag, or a count, got a string (type, must be a flag, or a count)',
  ],
  ['one of several out of range', SIDE, 0, 'want at least 1 (range, must be at least 1)'],
  [
    'too short a list',
    listOf(text(), 'a list', { min: 1 }),
    [],
    'want a list (range, must be a list)',
  ],
  [
    'an unknown field',
    objectOf({ isStrict: true }),
    { x: 1 },
    'unknown field "x" (unknown-field, must be an object)',
  ],
  [
    'a place deep inside',
    objectOf({ fields: { a: listOf(SIDE, 'a list') } }),
    { a: [true, 'x'] },
    'a[1]: want a flag, or a count, got a string (type, must be a flag, or a count)',
  ],
  [
    'two spellings of a key',
    keyedObject((key) => String(key).toLowerCase(), flag(), 'flags'),
    { a: true, A: false },
    'A: given twice (format, must be undefined)',
  ],
])('refuses %s', (_, reader, value, message) => {
  expect(() => read(reader, value)).toThrow(new Error(message))
  expect(accepts(reader, value)).toBe(false)
})

describe('errors', () => {
  test('a defect of a reader is no refusal', () => {
    const defect: Reader<never> = () => {
      throw new TypeError('a defect')
    }
    expect(() => read(listOf(defect, 'a list'), [1])).toThrow(TypeError)
    expect(() => read(either('x', defect, text()), 'x')).toThrow(TypeError)
    expect(() => accepts(defect, 1)).toThrow(TypeError)
  })
})
