import { readFileSync } from 'node:fs'
import { relative } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test as vitestTest } from 'vitest'
import type { ExploreContext } from '../../plugin/explore.ts'
import { explore } from '../../plugin/explore.ts'
import { test } from '../../plugin/vitest/index.ts'
import { failureOf } from '../devnet/explore/failureOf.ts'
import { runs } from '../support/longRuns.ts'

const root = new URL('../../', import.meta.url)
const page = readFileSync(new URL('devnet/EXPLORE.md', root), 'utf8')

/** The example for vitest, which imports these. */
const [, imports = '', code = ''] = /```js\n((?:import [^\n]*\n)+)(.*?)```/s.exec(page) ?? []
const [, printed = ''] = /```text\n(.*?)\n```/s.exec(page) ?? []
// The page's own import is a live binding, as this one.
const LIBRARY = { sleep: (ms: number) => sleep(ms), test, expect }

/** Makes a function of a text. */
function run(text: string, modules: Readonly<Record<string, unknown>>): void {
  new Function(...Object.keys(modules), text)(...Object.values(modules))
}

// It defines a test here, of some of the runs that `explore` makes by default.
const exploring = {
  explore: (name: string, body: (context: ExploreContext) => unknown) =>
    test.explore(name, body, { maxRuns: runs(1_000) }),
}
run(code, { ...LIBRARY, test: exploring })

vitestTest('what the example for vitest imports is here', () => {
  const names = [...imports.matchAll(/(\w+) \} from/g)].map(([, name]) => name)
  expect(names).toEqual(Object.keys(LIBRARY))
})

vitestTest('an app that returns with its first receipt fails as the page says', async () => {
  const careless = code.replace(/else if \(.*\) return$/m, 'else return')
  expect(careless).not.toBe(code)
  let found: Promise<unknown> = Promise.reject(new Error('There is no test'))
  found.catch(() => undefined)
  const noting = {
    explore: (_: string, body: (context: ExploreContext) => unknown) => {
      found = explore(body)
    },
  }
  run(careless, { ...LIBRARY, test: noting })
  const { message, file = '' } = await failureOf(found)
  expect(message.replace(file, relative('.', file))).toBe(printed)
})

vitestTest('the page names all options, with their defaults', () => {
  const source = readFileSync(new URL('devnet/explore/types.ts', root), 'utf8')
  const [, body = ''] = /interface ExploreOptions \{\n(.*?)\n\}/s.exec(source) ?? []
  const options = [
    ...body.matchAll(/Default: `?(.*?)`?(?: \*\/)?\n(?:.*\*\/\n)? {2}readonly (\w+)/g),
  ]
  expect(options.length).toBe([...body.matchAll(/^ {2}readonly/gm)].length)
  for (const [, value = '', name = ''] of options) {
    const row = page.split('\n').find((line) => /^\| `/.test(line) && line.includes(`\`${name}\``))
    expect(row).toBeDefined()
    // Numbers and groups; the others are described.
    if (/^[\d[]/.test(value)) expect(row?.replaceAll('_', '')).toContain(value.replaceAll(',', ''))
  }
})

vitestTest('the page has at most 120 lines', () => {
  expect(page.split('\n').length - 1).toBeLessThanOrEqual(120)
})
