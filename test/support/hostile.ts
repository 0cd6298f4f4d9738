import { expect } from 'vitest'
import { ChainFileError, DevnetError, OptionError } from '../../devnet/primitives/errors.ts'
import { InvalidBlockError } from '../../devnet/protocol/block.ts'
import type { Random } from './random.ts'

/** What may stand in the place of any value of JSON, as text. */
const JUNK = [
  ...['null', 'true', 'false', '0', '-1', '1.5', '1e308', '1e999', '-0', '9007199254740993'],
  ...['""', '"0x"', '"0x0"', '"0xzz"', '"0x1"', '"-0x1"', '"0X1"', '"latest"', '" "', '"0"'],
  ...['[]', '{}', '[[]]', '[null]', '{"toString":1,"valueOf":1}', '{"length":1e9}', '{"then":1}'],
  '{"__proto__":{"code":1},"constructor":{"prototype":[]},"hasOwnProperty":1}',
  `"0x${'f'.repeat(64)}"`,
  `"0x${'f'.repeat(200)}"`,
  `"${'9'.repeat(400)}"`,
  '9'.repeat(400),
]

/** Texts that control a terminal, disguise others, are no characters, or look like JSON. */
const NASTY = [
  ...['\u001b[2J\u001b]0;title\u0007', '\u009b31m', '\u0000', '\r\n\r\n', '\u202e', '\u2028'],
  ...['\ud800', '\ufeff', '"}]', '\\', '</script>', '%s%d%n', '../../..', 'é'.repeat(500)],
]

const DEPTHS = [65, 999, 1_001, 3_000, 9_000, 50_000]

/** Makes something hostile of a valid JSON text: the change has the name that is returned with it. */
const CHANGES: Readonly<Record<string, (text: string, random: Random) => string | Buffer>> = {
  deep: (text, random) => {
    const depth = random.pick(DEPTHS)
    const [open, close] = random.pick([
      ['[', ']'],
      ['{"a":', '}'],
      ['[{"a":', '}]'],
    ] as const)
    return inPlaceOfValue(text, random, `${open.repeat(depth)}1${close.repeat(depth)}`)
  },
  wide: (text, random) => {
    const count = random.pick([1_000, 20_000])
    return inPlaceOfValue(
      text,
      random,
      random.pick([
        `[${'[],'.repeat(count)}0]`,
        `{${Array.from({ length: count }, (_, n) => `"${n}":${n}`).join()}}`,
        `"${'x'.repeat(10 * count)}"`,
        `"0x${'00'.repeat(10 * count)}"`,
      ]),
    )
  },
  junk: (text, random) => inPlaceOfValue(text, random, random.pick(JUNK)),
  'a lot of junk': (text, random) => {
    let changed = text
    for (let left = 1 + random.below(6); left > 0; left--) {
      changed = inPlaceOfValue(changed, random, random.pick(JUNK))
    }
    return changed
  },
  escapes: (text, random) =>
    inPlaceOfValue(text, random, JSON.stringify(random.pick(NASTY).repeat(1 + random.below(40)))),
  'raw escapes': (text, random) => inserted(text, random, random.pick(NASTY)),
  'a name': (text, random) => {
    const names = [...text.matchAll(/"[^"\\]*"(?=\s*:)/g)]
    if (names.length === 0) return random.pick(JUNK)
    const { 0: name, index } = random.pick(names)
    const other = random.pick([
      '"__proto__"',
      '"constructor"',
      '""',
      JSON.stringify(random.pick(NASTY)),
    ])
    return text.slice(0, index) + other + text.slice(index + name.length)
  },
  'a field twice': (text, random) =>
    text.replace(/\{\s*("[^"\\]*")\s*:/, `{$1:${random.pick(JUNK)},"__proto__":{},$1:`),
  'a missing field': (text, random) => {
    const fields = [...text.matchAll(/"[^"\\]*"\s*:\s*(?:"[^"\\]*"|[\w.+-]+)\s*,/g)]
    if (fields.length === 0) return '{}'
    const { 0: field, index } = random.pick(fields)
    return text.slice(0, index) + text.slice(index + field.length)
  },
  truncated: (text, random) => text.slice(0, random.below(text.length)),
  'no UTF-8': (text, random) => {
    const bytes = Buffer.from(text)
    const at = random.below(bytes.length)
    const wrong = random.pick([[0xff], [0xc0, 0x80], [0xed, 0xa0, 0x80], [0xf4, 0x90, 0x80, 0x80]])
    return Buffer.concat([bytes.subarray(0, at), Buffer.from(wrong), bytes.subarray(at)])
  },
  'flipped bits': (text, random) => {
    const bytes = Buffer.from(text)
    for (let left = 1 + random.below(5); left > 0; left--) {
      const at = random.below(bytes.length)
      bytes[at] = (bytes[at] ?? 0) ^ (1 << random.below(8))
    }
    return bytes
  },
  noise: (_, random) =>
    Buffer.from(Array.from({ length: random.below(300) }, () => random.below(256))),
  'something else': (_, random) => random.pick(JUNK),
  'two texts': (text, random) => text + random.pick(['', ' ', ',', '\n']) + text,
}

/** A hostile form of a valid text. */
export function hostile(
  text: string,
  random: Random,
): { readonly name: string; readonly bytes: Buffer } {
  const name = random.pick(Object.keys(CHANGES))
  const changed = CHANGES[name]?.(text, random) ?? ''
  return { name, bytes: Buffer.from(changed) }
}

/** The text with another one in the place of a value, which may be a list or an object. */
function inPlaceOfValue(text: string, random: Random, other: string): string {
  const starts = [...text.matchAll(/(?<=[:,[]\s*)(?:"[^"\\]*"(?!\s*:)|[\w.+-]+|\[|\{)/g)]
  if (starts.length === 0) return other
  const { 0: value, index } = random.pick(starts)
  const end = '[{'.includes(value) ? endOfContainer(text, index) : index + value.length
  return text.slice(0, index) + other + text.slice(end)
}

function endOfContainer(text: string, start: number): number {
  let open = 0
  for (let at = start; at < text.length; at++) {
    if ('[{'.includes(text.charAt(at))) open++
    if (']}'.includes(text.charAt(at)) && --open === 0) return at + 1
  }
  return text.length
}

function inserted(text: string, random: Random, other: string): string {
  const at = random.below(text.length)
  return text.slice(0, at) + other + text.slice(at)
}

/** What could control a terminal, or disguise what is printed on it. */
const UNPRINTABLE = /[^\P{Cc}\t]|[\p{Bidi_Control}\u2028\u2029\p{Cs}]/u

/** Characters of a message beyond which nobody reads it. */
const LONGEST = 3_000

/** Expects words that may be printed as they are. */
export function expectPrintable(message: string): void {
  expect(message).not.toMatch(UNPRINTABLE)
  expect(message.length).toBeLessThan(LONGEST)
  expect(message).not.toBe('')
}

/** Expects an error that this package throws on purpose, in words that may be printed. */
export function expectNamed(error: unknown): void {
  const kinds = [DevnetError, OptionError, ChainFileError, InvalidBlockError]
  if (!kinds.some((kind) => error instanceof kind)) throw error
  if (!(error instanceof Error)) throw new Error('One of these kinds is an error')
  if (error instanceof DevnetError) expect(error.code).not.toBe(-32603)
  expectPrintable(error.message)
}
