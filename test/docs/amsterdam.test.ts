import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

const root = new URL('../../', import.meta.url)
const page = readFileSync(new URL('devnet/AMSTERDAM.md', root), 'utf8')

/** The titles of the tests in a file, by its name without the ending. */
function titles(file: string): string[] {
  const source = readFileSync(new URL(`test/integration/amsterdam/${file}.test.ts`, root), 'utf8')
  return [...source.matchAll(/^ *test\('(.+?)', (?:async )?\(/gm)].map(([, title = '']) => title)
}

const known = Object.fromEntries(
  ['blocks', 'gas', 'logs'].map((file) => [file, titles(file)] as const),
)

/** Titles that the page names, each with its file: that of the cell, else that of the table. */
const named: [title: string, file: string][] = []
let table = 'blocks'
for (const line of page
  .replace(/\(test: [^)]+\)/g, (words) => words.replace(/\s+/g, ' '))
  .split('\n')) {
  table = /Test in `(\w+)\.test\.ts`/.exec(line)?.[1] ?? table
  const cell = /^\|.*\| ([^|]+) \|$/.exec(line)?.[1]
  if (cell !== undefined && !/^(?:Test|---)/.test(cell)) {
    const [, file = table, title = ''] = /^(?:(gas|blocks|logs): )?(.+)$/.exec(cell) ?? []
    named.push([title, file])
  }
  for (const [, title = ''] of line.matchAll(/\(test: ([^)]+)\)/g)) named.push([title, table])
}

test('the page about Amsterdam names tests', () => {
  expect(named.length).toBeGreaterThan(30)
})

test.each(named)('there is the test "%s" in %s', (title, file) => {
  expect(known[file]).toContain(title)
})
