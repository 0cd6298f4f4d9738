import { Writable } from 'node:stream'
import { setImmediate } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { LineWriter } from '../../../plugin/output/line-writer.ts'

const omitted = (count: number) => `${count} left out`

/** A stream whose reader takes one chunk each time that `read` is called. */
function slowStream() {
  const chunks: string[] = []
  const waiting: (() => void)[] = []
  const stream = new Writable({
    highWaterMark: 10,
    write(chunk, _, done) {
      waiting.push(() => {
        chunks.push(String(chunk))
        done()
      })
    },
  })
  const read = async () => {
    waiting.shift()?.()
    await setImmediate()
  }
  return { stream, chunks, read }
}

test('default: lines of one turn go out together, in the next', async () => {
  const { stream, chunks, read } = slowStream()
  const writer = new LineWriter(stream, omitted)
  writer.print('one', 'two')
  writer.print('three')
  expect(stream.writableLength).toBe(0)
  await setImmediate()
  await read()
  expect(chunks).toEqual(['one\ntwo\nthree\n'])
})

test('flush does not wait for the turn', async () => {
  const { stream, chunks, read } = slowStream()
  const writer = new LineWriter(stream, omitted)
  writer.print('ready')
  writer.flush()
  await read()
  expect(chunks).toEqual(['ready\n'])
})

test('a reader that stopped gets what fits, then how much is missing', async () => {
  const { stream, chunks, read } = slowStream()
  const writer = new LineWriter(stream, omitted)
  const line = 'x'.repeat(999)
  for (let count = 0; count < 5000; count++) {
    writer.print(line)
    if (count % 100 === 0) await setImmediate()
  }
  // The first went out; the rest waits here, and no more than it may.
  expect(stream.writableLength).toBeLessThan(200_000)
  await read()
  await read()
  const text = chunks.join('')
  const lines = text.trimEnd().split('\n')
  const kept = lines.filter((one) => one === line).length
  expect(kept).toBeGreaterThan(1000)
  expect(text.length).toBeLessThan(1_400_000)
  expect(lines.at(-1)).toBe(`${5000 - kept} left out`)
  writer.print('later')
  await setImmediate()
  await read()
  expect(chunks.at(-1)).toBe('later\n')
})

test('lines that were never made count too', async () => {
  const { stream, chunks, read } = slowStream()
  const writer = new LineWriter(stream, omitted)
  writer.omit()
  writer.flush()
  await read()
  expect(chunks).toEqual(['1 left out\n'])
})

test('a reader that went away is left alone', async () => {
  const { stream } = slowStream()
  const writer = new LineWriter(stream, omitted)
  stream.destroy(Object.assign(new Error('write EPIPE'), { code: 'EPIPE' }))
  await setImmediate()
  for (let count = 0; count < 10; count++) writer.print('nobody hears')
  writer.flush()
  await setImmediate()
  expect(stream.writableLength).toBe(0)
})
