import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

const root = new URL('../../', import.meta.url)
const page = readFileSync(new URL('devnet/AMSTERDAM.md', root), 'utf8')
const folder = new URL('test/integration/amsterdam/', root)
const tests = readdirSync(folder)
  .filter((name) => name.endsWith('.test.ts'))
  .map((name) => readFileSync(new URL(name, folder), 'utf8'))
  .join('')

/** The last cell of each row, without the name of a file in front, and what stands behind `test:`. */
const named = [
  ...[...page.matchAll(/^\|.*\| ([^|]+) \|$/gm)].map(([, cell = '']) => cell),
  ...[...page.matchAll(/\(test: ([^)]+)\)/g)].map(([, title = '']) => title.replace(/\s+/g, ' ')),
]
  .map((title) => title.replace(/^(?:gas|blocks|logs): /, ''))
  .filter((title) => !/^(?:Test|---)/.test(title))

test('the page about Amsterdam names tests', () => {
  expect(named.length).toBeGreaterThan(30)
})

test.each(named)('there is the test "%s"', (title) => {
  const [start = ''] = title.split(/0x4b|0xe6/)
  expect(tests).toContain(start)
})
