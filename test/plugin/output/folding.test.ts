import { expect, test } from 'vitest'
import { Folding } from '../../../plugin/output/node-log.ts'

function folding(columns?: number) {
  const lines: string[] = []
  const fold = new Folding(
    (...more) => lines.push(...more),
    () => columns,
  )
  const add = (key: string, text = key) => fold.add({ lines: [text], key })
  return { lines, fold, add }
}

const REPLACED = (line: string) => `\u001b[1A\r${line}\u001b[K`

test('default: on a terminal the line counts up, with the newest time', () => {
  const { lines, add } = folding(80)
  add('a', 'a 1 ms')
  add('a', 'a 2 ms')
  add('a', 'a 3 ms')
  add('b')
  add('a', 'a 4 ms')
  expect(lines).toEqual(['a 1 ms', REPLACED('a 2 ms (2)'), REPLACED('a 3 ms (3)'), 'b', 'a 4 ms'])
})

test('elsewhere the count follows', () => {
  const { lines, fold, add } = folding()
  add('a')
  add('a')
  add('a')
  expect(lines).toEqual(['a'])
  fold.add({ lines: ['one', 'two'] })
  add('a')
  add('a')
  fold.flush()
  fold.flush()
  expect(lines).toEqual([
    'a',
    '                           … and 2 more of these',
    'one',
    'two',
    'a',
    '                           … and 1 more of these',
  ])
})

test('a line that would wrap is not replaced; colours take no room', () => {
  const { lines, add } = folding(10)
  add('a', 'abcdef')
  add('a', 'abcdef')
  expect(lines).toEqual(['abcdef'])
  const coloured = folding(10)
  coloured.add('a', '\u001b[31mabc\u001b[39m')
  coloured.add('a', '\u001b[31mabc\u001b[39m')
  expect(coloured.lines).toHaveLength(2)
})

test('entries without a key are never folded', () => {
  const { lines, fold } = folding(80)
  fold.add({ lines: ['x'] })
  fold.add({ lines: ['x'] })
  expect(lines).toEqual(['x', 'x'])
})

test('entries that say how they are folded: in place on a terminal, in one line elsewhere', () => {
  const empty = (last: number) => ({
    lines: [`#${last}`],
    key: 'empty',
    folded: (count: number) => `#${last - count + 1} to #${last}`,
  })
  const on = folding(80)
  const off = folding()
  for (const { fold } of [on, off]) {
    for (const number of [25, 26, 27]) fold.add(empty(number))
    fold.add({ lines: ['traffic'] })
    fold.add(empty(29))
  }
  expect(on.lines).toEqual([
    '#25',
    REPLACED('#25 to #26'),
    REPLACED('#25 to #27'),
    'traffic',
    '#29',
  ])
  expect(off.lines).toEqual(['#25', '#26 to #27', 'traffic', '#29'])
})
