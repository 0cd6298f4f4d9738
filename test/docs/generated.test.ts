import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { generated } from './generated.ts'

test.each(await generated())('$path is what `npm run generate` writes', ({ path, text }) => {
  expect(readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8')).toBe(text)
})
