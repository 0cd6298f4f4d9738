import { expect, test } from 'vitest'
import { foldedRows } from '../../../devnet/primitives/visible.ts'

const folded = (rows: string) =>
  foldedRows(rows.split(''))
    .map(({ row, times }) => (times === 1 ? row : `${row}×${times}`))
    .join(' ')

test.each([
  ['', ''],
  ['a', 'a'],
  ['ab', 'a b'],
  ['aab', 'a a b'],
  ['aaab', 'a×3 b'],
  [`x${'a'.repeat(40)}y`, 'x a×40 y'],
  ['ababab', 'a b a b a b'],
  ['xaaaabababz', 'x a×4 b a b a b z'],
])('%s: %s', (rows, expected) => {
  expect(folded(rows)).toBe(expected)
})
