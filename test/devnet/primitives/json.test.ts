import { describe, expect, test } from 'vitest'
import {
  MOST_NESTED,
  NestingError,
  parseForeign,
  parseForeignInPieces,
  parseJson,
  stringifyJson,
} from '../../../devnet/primitives/json.ts'
import { runAtOnce } from '../../../devnet/primitives/paced.ts'
import { Random } from '../../support/random.ts'

const parse = (text: string) => runAtOnce(parseJson(text))

/** Some 300 kB of containers in containers, small and large. */
function large(random: Random): unknown {
  const strings = ['', 'a', '"', '\\', '\\"', ',', '}]', '{"a":[', 'é\u2028', 'x'.repeat(70_000)]
  const scalar = () =>
    random.pick([null, true, false, 0, -1.5e-7, 12, ...strings.slice(0, random.once(50) ? 10 : 9)])
  const build = (size: number): unknown => {
    if (size <= 1) return scalar()
    const parts = Array.from({ length: 1 + random.below(8) }, () =>
      build(Math.floor((size * random.below(100)) / 300)),
    )
    if (random.once(2)) return parts
    // No backslash: V8 itself confuses the names '"' and '\\\\' of objects in a row.
    const names = ['', 'a', 'a"b', ',', '}]', 'é', '0', '7', 'constructor', '__proto__']
    return Object.fromEntries(parts.map((part) => [random.pick(names), part]))
  }
  return [
    Array.from({ length: 3000 }, () => build(20)),
    {
      ['__proto__']: 1,
      a: Object.fromEntries(Array.from({ length: 3000 }, (_, i) => [i % 2500, i])),
    },
    build(20_000),
    'y'.repeat(200_000),
  ]
}

/** 70,000 characters of white space or of nothing that matters. */
const PADDING = `"${'p'.repeat(70_000)}"`

test.each([1, 2, 3])('large texts as JSON.parse reads them, seed %s', (seed) => {
  const random = new Random(seed)
  for (const indent of [0, 2]) {
    const text = JSON.stringify(large(random), null, indent)
    expect(text.length).toBeGreaterThan(300_000)
    const value = parse(text)
    expect(value).toEqual(JSON.parse(text))
    // Names and their order as well, `__proto__` among them.
    expect(JSON.stringify(value)).toBe(JSON.stringify(JSON.parse(text)))
  }
})

test('of a field that is there twice, the last counts', () => {
  const text = `{"a":1,"b":${PADDING},"a":{"c":${PADDING},"c":2},"b":3,"b":4}`
  expect(parse(text)).toEqual({ a: { c: 2 }, b: 4 })
})

test('it can be paused after every piece', () => {
  const text = JSON.stringify(Array.from({ length: 100_000 }, (_, index) => ({ index })))
  let pauses = 0
  const work = parseJson(text)
  let step = work.next()
  for (; step.done !== true; step = work.next()) pauses++
  expect(step.value).toHaveLength(100_000)
  expect(pauses).toBeGreaterThan(text.length / 70_000)
})

test('depth is no limit', () => {
  const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`
  let depth = 0
  for (let inner = parse(deep); Array.isArray(inner); inner = inner[0]) depth++
  expect(depth).toBe(100_000)
})

test.each([
  ['a comma too many', `[${PADDING},]`],
  ['a comma too many in an object', `{"a":${PADDING},}`],
  ['a comma first', `[,${PADDING}]`],
  ['two commas', `[1,,${PADDING}]`],
  ['two commas between large members', `[${PADDING},,${PADDING}]`],
  ['nothing but a comma', `${' '.repeat(70_000)}[,]`],
  ['a field without a value', `{"a":${PADDING},"b":}`],
  ['a field without a name', `{${PADDING}}`],
  ['a large field without a name', `{"a":1,{"b":${PADDING}}}`],
  ['a name that is no string', `{a:${PADDING}}`],
  ['a field without a colon', `{"a" ${PADDING}}`],
  ['a list with fields', `["a":${PADDING}]`],
  ['the wrong bracket', `[${PADDING}}`],
  ['the wrong bracket inside', `{"a":[${PADDING}},"b":[]}`],
  ['no end', `[${PADDING}`],
  ['no end inside', `[{"a":${PADDING},"b":1]`],
  ['a string without an end', `["${'p'.repeat(70_000)}]`],
  ['a bad escape', `[${PADDING},"\\x"]`],
  ['more than one value', `[${PADDING}] 1`],
  ['an end too many', `{"a":${PADDING}}}`],
  ['words behind a large member', `[${PADDING} x, 1]`],
  ['words behind a large container', `{"a":[${PADDING}] x}`],
  ['white space alone', ' '.repeat(70_000)],
])('refuses %s', (_, text) => {
  expect(() => JSON.parse(text)).toThrow(SyntaxError)
  expect(() => parse(text)).toThrow(SyntaxError)
})

test.each([1, 2])('refuses what JSON.parse refuses, seed %s', (seed) => {
  const random = new Random(seed)
  const text = JSON.stringify([
    { a: [1, { b: 'c,d' }], e: null, f: 'x'.repeat(70_000) },
    [],
    {},
    -1,
  ])
  const outcome = (read: (text: string) => unknown, changed: string) => {
    try {
      return JSON.stringify(read(changed))
    } catch (error) {
      return error instanceof SyntaxError ? 'refused' : error
    }
  }
  const places = [...text.matchAll(/[^x]/g)].map(({ index }) => index)
  for (let run = 0; run < 300; run++) {
    const at = random.pick(places)
    const middle = random.pick(['', ',', '"', '{', '}', '[', ']', ':', '\\', ' ', '0'])
    const changed = text.slice(0, at) + middle + text.slice(at + random.below(2))
    expect(outcome(parse, changed), changed.replace(/x+/, 'x…')).toBe(outcome(JSON.parse, changed))
  }
})

test('says where a large text is wrong', () => {
  expect(() => parse(`[${PADDING},"a" "b"]`)).toThrow(
    /^Expected ',' or ']' after array element.* \(between the characters 70004 and 70011\)$/,
  )
  expect(() => parse(`[${PADDING}}`)).toThrow(/^unexpected "\}" at character 70003$/)
  expect(() => parse(`[${PADDING}`)).toThrow(/^unexpected end of the text at character 70003$/)
})

describe('stringifyJson', () => {
  const stringify = (value: unknown) => runAtOnce(stringifyJson(value))

  test.each([1, 2, 3])('as JSON.stringify writes it, in pieces, seed %s', (seed) => {
    const value = large(new Random(seed))
    const pieces = stringify(value)
    expect(pieces.join('') === JSON.stringify(value)).toBe(true)
    expect(pieces.length).toBeGreaterThan(4)
  })

  test.each([
    null,
    true,
    0,
    '"',
    [],
    {},
    [[]],
    [{}],
    { a: {} },
    { a: undefined, b: { c: undefined } },
    [undefined, [undefined]],
    { a: undefined, b: [] },
    Array.from({ length: 100 }, (_, index) => index),
    Object.fromEntries(
      Array.from({ length: 100 }, (_, index) => [`"${index}`, index % 3 || undefined]),
    ),
    { deep: { deep: { deep: [1, { deep: 'é' }] } } },
  ])('%j', (value) => {
    expect(stringify(value).join('')).toBe(JSON.stringify(value))
  })

  test('what can be iterated is a list', () => {
    function* items() {
      yield 1
      yield { a: [2] }
    }
    expect(stringify({ items: items(), none: new Set() }).join('')).toBe(
      '{"items":[1,{"a":[2]}],"none":[]}',
    )
  })

  test('refuses a bigint', () => {
    expect(() => stringify({ a: [{ b: 1n }] })).toThrow(TypeError)
  })
})

const PARSERS = {
  'at once': parseForeign,
  'in pieces': (text: string) => runAtOnce(parseForeignInPieces(text)),
}

describe.each(Object.entries(PARSERS))('foreign JSON, %s', (_, parseText) => {
  /** Forms that nest `depth` deep, small and large, and what is beside the depth. */
  const forms = (depth: number): string[] => {
    const half = Math.floor(depth / 2)
    return [
      '['.repeat(depth) + ']'.repeat(depth),
      `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`,
      `${'[{"a":'.repeat(half)}${depth % 2 === 0 ? '""' : '[]'}${'}]'.repeat(half)}`,
    ].flatMap((text) => [
      text,
      // In a member of its own, behind and before what is large.
      text.replace(/^\[/, `[${PADDING},`).replace(/^\{/, `{"b":${PADDING},`),
      text.replace(/\]$/, `,${PADDING}]`).replace('[,', '[').replace(/\}$/, `,"b":${PADDING}}`),
    ])
  }

  test.each([2, 63, 64, 65, 66, 500, MOST_NESTED])('%i deep', (depth) => {
    for (const text of forms(depth)) expect(parseText(text)).toEqual(JSON.parse(text))
  })

  test.each([1, 2, 500, 8_000, 100_000])('error: %i deeper than is allowed', (more) => {
    for (const text of forms(MOST_NESTED + more)) {
      expect(() => parseText(text), text.slice(0, 30)).toThrow(NestingError)
    }
  })

  test('brackets in strings and side by side are not deep', () => {
    for (const text of [JSON.stringify('['.repeat(200_000)), `[${'[{}],'.repeat(50_000)}0]`]) {
      expect(parseText(text)).toEqual(JSON.parse(text))
    }
  })
})

/** 30 times as many characters as are parsed at once. */
const LONG = 30 << 16
const blank = ' \t\n\r'.repeat(LONG / 4)
const escapes = '\\u0061\\"\\\\\\n'.repeat(LONG / 12)

test.each([
  ['white space at the start', `${blank}{"a":[1]}`],
  ['white space in front of a key', `{${blank}"a":[1]}`],
  ['white space in front of a colon', `{"a"${blank}:[1]}`],
  ['white space in front of a value', `{"a":${blank}[1]}`],
  ['white space in front of an item', `{"a":[${blank}1]}`],
  ['white space in front of a comma', `{"a":[1${blank},2],"b":1}`],
  ['white space behind a comma', `{"a":[1,${blank}2],"b":1}`],
  ['white space behind a list', `{"a":[1]${blank},"b":1}`],
  ['white space in an empty list', `{"a":[${blank}]}`],
  ['white space in an empty object', `{"a":{${blank}}}`],
  ['white space at the end', `{"a":[1]}${blank}`],
  ['a string of spaces', `{"a":"${' '.repeat(LONG)}"}`],
  ['a string of several bytes each', `["${'é😀'.repeat(LONG / 3)}"]`],
  ['a string of escapes', `["${escapes}"]`],
  ['a string of backslashes', `["${'\\'.repeat(LONG)}"]`],
  ['a key', `{"${'k'.repeat(LONG)}":1}`],
  ['a list inside 900 others', `${'['.repeat(900)}${'1,'.repeat(LONG / 2)}1${']'.repeat(900)}`],
  [
    'objects in turn inside 400 others',
    `${'{"a":['.repeat(200)}${'{},'.repeat(LONG / 3)}1${']}'.repeat(200)}`,
  ],
])('pauses in %s', (_, text) => {
  let pauses = 0
  const work = parseJson(text)
  let step = work.next()
  for (; step.done !== true; step = work.next()) pauses++
  // Some of them at each level before it comes to what is long.
  const opening = /^[[{"a:]*/.exec(text)?.[0] ?? ''
  expect(pauses).toBeGreaterThanOrEqual(Math.max(30, opening.length / 2))
  // Compared as text: vitest would compare long values for long.
  expect(JSON.stringify(step.value) === JSON.stringify(JSON.parse(text))).toBe(true)
})

test.each([
  ['white space alone', blank, 'unexpected end of the text at character 1966080'],
  ['white space and no value', `{"a":${blank}}`, 'unexpected "}"'],
  ['a string without an end', `["${'a'.repeat(LONG)}`, 'unexpected end of the text'],
  ['a string that ends in an escape', `["${'a'.repeat(LONG)}\\u00`, 'unexpected end of the text'],
  ['a number', `[${'1'.repeat(LONG)}]`, 'unexpected "1"'],
  ['junk', `[${'x'.repeat(LONG)}]`, 'is not valid JSON'],
  ['a line feed in a string', `["${'a'.repeat(LONG)}\n"]`, 'Bad control character'],
])('refuses %s', (_, text, message) => {
  expect(() => runAtOnce(parseJson(text))).toThrow(message)
})
