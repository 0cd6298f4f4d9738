import { describe, expect, test } from 'vitest'
import { beginsWith, codeTemplate } from '../../../plugin/artifacts/artifact.ts'

const code = (hex: string) => Buffer.from(hex, 'hex')

/** Whether code begins with what the compiler made. */
function fits(hex: string, template: string, holes: { start: number; length: number }[] = []) {
  const made = codeTemplate(template, holes)
  return made === undefined ? undefined : beginsWith(code(hex), made)
}

describe('beginsWith', () => {
  test.each([
    ['01020304', '0x01020304', true],
    ['0102030405', '0x01020304', true],
    ['010203', '0x01020304', false],
    ['01020305', '0x01020304', false],
  ])('args: %s %s', (hex, template, expected) => {
    expect(fits(hex, template)).toBe(expected)
  })

  test('holes may hold anything, what is around them may not', () => {
    const holes = [
      { start: 4, length: 1 },
      { start: 1, length: 2 },
    ]
    expect(fits('01ffff04ff06', '0x010000040006', holes)).toBe(true)
    expect(fits('01ffff05ff06', '0x010000040006', holes)).toBe(false)
    expect(fits('01ffff04ff07', '0x010000040006', holes)).toBe(false)
    expect(fits('02ffff04ff06', '0x010000040006', holes)).toBe(false)
  })

  test('a library that is not linked yet', () => {
    const template = `0x73__$${'a'.repeat(34)}$__30`
    expect(fits(`73${'12'.repeat(20)}30`, template, [{ start: 1, length: 20 }])).toBe(true)
  })

  test('a library knows its own address', () => {
    const template = `0x73${'00'.repeat(20)}3014`
    expect(fits(`73${'12'.repeat(20)}3014`, template)).toBe(true)
    expect(fits(`73${'12'.repeat(20)}3015`, template)).toBe(false)
  })
})

test.each(['0x', '', '0x__$abc$__', '0x123'])('%s is not code', (hex) => {
  expect(codeTemplate(hex, [])).toBeUndefined()
})

test('holes that overlap, repeat or touch, and as many as a file has room for', () => {
  const digits = Array.from({ length: 30_000 }, (_, index) => (index % 3 === 1 ? '__' : 'ab'))
  const holes = digits.flatMap((text, start) =>
    text === '__'
      ? [
          { start, length: 1 },
          { start, length: 1 },
        ]
      : [],
  )
  const template = codeTemplate(`0x${digits.join('')}`, holes.toReversed())
  const filled = digits.map((text) => (text === '__' ? 'cd' : text)).join('')
  expect(template && beginsWith(code(filled), template)).toBe(true)
  expect(template && beginsWith(code(filled.replace('cdab', 'cdac')), template)).toBe(false)
  const wide = [
    { start: 1, length: 3 },
    { start: 2, length: 1 },
    { start: 3, length: 2 },
  ]
  expect(fits('01ffffffff06', '0x01__xxxx__06', wide)).toBe(true)
  expect(codeTemplate('0x0102', [{ start: 1, length: 2 }])).toBeUndefined()
})
