import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8')
const exists = (path: string) => existsSync(new URL(`../../${path}`, import.meta.url))

/** Whether a path is one as the documents write it: from the top, or from `devnet/`. */
function isKnown(path: string): boolean {
  return exists(path) || exists(`devnet/${path}`)
}

test.each(['CONTRIBUTING.md', 'devnet/ARCHITECTURE.md'])(
  'the files that %s names exist',
  (document) => {
    const named = [...read(document).matchAll(/`((?:[a-z]\w*\/)+\w[\w.-]*\.ts)`/g)]
    const lost = named.map(([, path = '']) => path).filter((path) => !isKnown(path))
    expect(lost).toEqual([])
  },
)

test('the members of classes that ARCHITECTURE.md names exist', () => {
  const sources = readdirSync(new URL('../../devnet/', import.meta.url), { recursive: true })
    .filter((path) => typeof path === 'string' && path.endsWith('.ts'))
    .map((path) => read(`devnet/${path}`))
  const named = [...read('devnet/ARCHITECTURE.md').matchAll(/`([A-Z]\w+)\.(#?\w+)`/g)]
  const lost = named.filter(([, type = '', member = '']) => {
    const declares = new RegExp(`(class|interface) ${type}\\b`)
    const has = new RegExp(`(^|\\W)${member}\\b`)
    return !sources.some((source) => declares.test(source) && has.test(source))
  })
  expect(named.length).toBeGreaterThan(5)
  expect(lost.map(([name]) => name)).toEqual([])
})

test('the README has at most 300 lines', () => {
  expect(read('README.md').split('\n').length).toBeLessThanOrEqual(300)
})
