import { expect, test } from 'vitest'
import { LogRing } from '../../../devnet/dashboard/logRing.ts'

test('default: lines after an id, oldest first', () => {
  const ring = new LogRing()
  ring.add({ kind: 'undo', text: 'one' })
  ring.add({ kind: 'save', text: 'two' })
  expect(ring.nextId).toBe(3)
  expect(ring.after(1)).toMatchObject({ lines: [{ id: 2, kind: 'save', text: 'two' }], omitted: 0 })
  expect(ring.after(2)).toEqual({ lines: [], omitted: 0 })
})

test('requests that succeed do not drive out other lines', () => {
  const ring = new LogRing()
  ring.add({ kind: 'failed', text: 'eth_call: reverted' })
  for (let line = 0; line < 3_000; line++) ring.add({ kind: 'request', text: String(line) })
  ring.add({ kind: 'console', text: 'hello' })
  const { lines, omitted } = ring.after(0)
  expect(lines).toHaveLength(1_002)
  expect(omitted).toBe(2_000)
  expect(lines[0]).toMatchObject({ id: 1, kind: 'failed' })
  expect(lines.slice(1, 1_001).map(({ id }) => id)).toEqual(
    Array.from({ length: 1_000 }, (_, index) => 2_002 + index),
  )
  expect(lines.at(-1)).toMatchObject({ id: 3_002, kind: 'console' })
  expect(ring.after(3_001)).toMatchObject({ lines: [{ text: 'hello' }], omitted: 0 })
  expect(ring.after(9_999)).toEqual({ lines: [], omitted: 0 })
})

test('the newest 1,000 lines of at most 16,384 characters are kept', () => {
  const ring = new LogRing()
  const text = 'x'.repeat(100_000)
  for (let line = 0; line < 1_010; line++) ring.add({ kind: 'console', text })
  const { lines, omitted } = ring.after(0)
  expect(lines).toHaveLength(1_000)
  expect(omitted).toBe(10)
  expect(new Set(lines.map((line) => line.text.length))).toEqual(new Set([16_385]))
  expect(lines[0]).toMatchObject({ id: 11, text: `${'x'.repeat(16_384)}…` })
})
