import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

const text = readFileSync(
  new URL('../../../../dist/devnet/engine/core/core.wat', import.meta.url),
  'utf8',
)

test('the interpreter jumps to an instruction by one table', () => {
  // As a chain of comparisons, or with several tables, it is half as fast. The compiler makes one
  // table only if each arm of the switch has one number of its own, and the numbers are dense.
  const [table = '', ...others] = text.match(/^ *br_table .*$/gm) ?? []
  expect(others).toEqual([])
  // 82 instructions, and the arm of what is left.
  expect(new Set(table.match(/\$\S+/g)).size).toBe(83)
})

test('the core imports nothing', () => {
  expect(text).not.toContain('(import')
})
