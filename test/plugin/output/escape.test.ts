import { describe, expect, test } from 'vitest'
import { printable, printableJson, printableLines } from '../../../devnet/primitives/printable.ts'
import { cut } from '../../../plugin/output/lines.ts'

describe('printable', () => {
  test.each([
    ['plain text, é ☃ 𝄞 and a\ttab', 'plain text, é ☃ 𝄞 and a\ttab'],
    ['\u001b[2J\u001b]0;title\u0007', '\\x1b[2J\\x1b]0;title\\x07'],
    ['a\rb\nc', 'a\\rb\\nc'],
    ['\u0000\u007f\u009b31m', '\\x00\\x7f\\x9b31m'],
    ['\u202egnp.exe\u2066\u200f', '\\u202egnp.exe\\u2066\\u200f'],
    ['\u2028\u2029', '\\u2028\\u2029'],
    ['half \ud83d of a pair', 'half \ufffd of a pair'],
  ])('args: %j', (text, expected) => {
    expect(printable(text)).toBe(expected)
  })

  test('no character below a space but the tab, and none of C1, comes through', () => {
    const all = Array.from({ length: 0x300 }, (_, code) => String.fromCharCode(code)).join('')
    const codes = [...printable(all)].map((character) => character.charCodeAt(0))
    const control = codes.filter((code) => code < 0x20 || (code >= 0x7f && code < 0xa0))
    expect(control).toEqual([9])
  })
})

test('printableLines: newlines stay, the rest does not', () => {
  expect(printableLines('one\ntwo\r\nthr\ree\n\u001b[A')).toEqual([
    'one',
    'two',
    'thr\\ree',
    '\\x1b[A',
  ])
})

test('printableJson: means the same, in safe characters', () => {
  const value = { text: '\u001b\u009b\u202e\u2028é', '\u007f': 1 }
  const json = printableJson(JSON.stringify(value))
  expect(json).toBe('{"text":"\\u001b\\u009b\\u202e\\u2028é","\\u007f":1}')
  expect(JSON.parse(json)).toEqual(value)
})

test('cut', () => {
  expect(cut('abc', 3)).toBe('abc')
  expect(cut('abcdef', 4)).toBe('abcd… (2 more characters)')
})
