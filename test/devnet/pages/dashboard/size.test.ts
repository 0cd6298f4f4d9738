import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { pageParts, readPart } from '../../../support/pageParts.ts'

/** Bytes of scripts and style sheets as a browser gets them: before a form is opened, and in all. */
const FIRST = 60_000
const ALL = 80_000

test('scripts and style sheets have 60 kB before a form is opened, and 80 kB in all, packed', () => {
  const { first, all } = pageParts('dashboard')
  expect(all).toEqual(expect.arrayContaining([...first]))
  for (const ending of ['.js', '.css']) {
    const names = first.filter((name) => name.endsWith(ending))
    expect(sizeOf(names), ending).toBeGreaterThan(1_000)
  }
  expect(sizeOf(first)).toBeLessThanOrEqual(FIRST)
  expect(sizeOf(all)).toBeLessThanOrEqual(ALL)
})

function sizeOf(names: readonly string[]): number {
  return names
    .map((name) => gzipSync(readPart('dashboard', name), { level: 9 }).length)
    .reduce((sum, size) => sum + size, 0)
}
