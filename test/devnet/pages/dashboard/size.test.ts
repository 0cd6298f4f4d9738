import { readFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { packageRoot } from '../../../../devnet/primitives/packageRoot.ts'

/** Bytes of a file of the page as a browser gets it, at most. */
const BUDGET = 60_000

test('script and style sheet of the page have 60 kB together, packed', () => {
  const sizes = ['page.js', 'page.css'].map((name) => {
    const file = new URL(`dist/devnet/dashboard/browser/${name}`, packageRoot)
    return gzipSync(readFileSync(file), { level: 9 }).length
  })
  const [script = 0, style = 0] = sizes
  expect(script).toBeGreaterThan(1_000)
  expect(style).toBeGreaterThan(1_000)
  expect(script + style).toBeLessThanOrEqual(BUDGET)
})
