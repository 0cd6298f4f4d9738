import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { createDevnet } from '../../devnet/index.ts'

const page = readFileSync(new URL('../../devnet/faults/README.md', import.meta.url), 'utf8')
const [, cookbook = ''] = /<!-- cookbook: [^>]*-->\n(.*?)<!-- \/cookbook -->/s.exec(page) ?? []
const [, imports = '', start = ''] = /```js\n((?:import [^\n]*\n)+)(.*?)```/s.exec(cookbook) ?? []
const recipes = [...cookbook.matchAll(/^\*\*(\d+\. .*?)\*\*.*?```js\n(.*?)```/gms)].map(
  ([, title = '', code = '']) => ({ title, code }),
)

/** What the lines before the recipes import, from the sources in place of the package. */
const MODULES = { assert, createDevnet }

/** Makes a function of a text, as `Function` does, but an asynchronous one. */
const AsyncFunction = (async () => undefined).constructor as FunctionConstructor

test('there are ten recipes, and what they import is here', () => {
  expect(recipes.map(({ title }) => Number.parseInt(title, 10))).toEqual(
    Array.from({ length: 10 }, (_, index) => index + 1),
  )
  const names = [...imports.matchAll(/^import \{? ?(\w+) ?\}? from/gm)].map(([, name]) => name)
  expect(names).toEqual(Object.keys(MODULES))
})

test.each(recipes)('$title', async ({ code }) => {
  const run = new AsyncFunction(...Object.keys(MODULES), `${start}${code}`)
  await run(...Object.values(MODULES))
})
