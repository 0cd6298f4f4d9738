import { Duplex } from 'node:stream'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import type { WebSocket } from 'ws'
import { JsonText, SharedText } from '../../../devnet/primitives/jsonText.ts'
import { Outbox } from '../../../devnet/server/outbox.ts'

/** A frame that was written: whether it is the last of its message, its opcode and its text. */
interface Frame {
  readonly isFinal: boolean
  readonly opcode: number
  readonly text: string
}

/** The frames in what a server wrote, which has no masks. */
function framesOf(bytes: Buffer): Frame[] {
  const frames: Frame[] = []
  for (let at = 0; at < bytes.length; ) {
    const [first = 0, short = 0] = bytes.subarray(at)
    const width = short === 127 ? 8 : short === 126 ? 2 : 0
    const length =
      width === 8
        ? Number(bytes.readBigUInt64BE(at + 2))
        : width === 2
          ? bytes.readUInt16BE(at + 2)
          : short
    const start = at + 2 + width
    at = start + length
    const text = bytes.toString('utf8', start, at)
    frames.push({ isFinal: (first & 0x80) !== 0, opcode: first & 0x7f, text })
  }
  return frames
}

/** The text of each whole message. */
function messagesOf(frames: readonly Frame[]): string[] {
  const messages: string[] = []
  let text = ''
  for (const frame of frames) {
    expect(frame.opcode).toBe(text === '' ? 1 : 0)
    text += frame.text
    if (!frame.isFinal) continue
    messages.push(text)
    text = ''
  }
  expect(text).toBe('')
  return messages
}

/** An outbox whose client reads what is written, unless it pauses. */
function createOutbox(maxBuffered: number) {
  const written: Buffer[] = []
  let wait: (() => void) | undefined
  let isPaused = false
  const stream = new Duplex({
    read() {},
    write(chunk: Buffer, _, done) {
      written.push(chunk)
      if (isPaused) wait = done
      else done()
    },
  })
  const socket = {
    OPEN: 1,
    readyState: 1,
    get bufferedAmount() {
      return stream.writableLength
    },
  }
  // All that an outbox looks at.
  const outbox = new Outbox(socket as unknown as WebSocket, stream, maxBuffered)
  return {
    outbox,
    socket,
    written,
    size: () => written.reduce((sum, { length }) => sum + length, 0),
    frames: () => framesOf(Buffer.concat(written)),
    messages: () => messagesOf(framesOf(Buffer.concat(written))),
    send: (length: number) => outbox.send('x'.repeat(length)),
    pause() {
      isPaused = true
    },
    /** The client reads on; the rest is written in the turns that follow. */
    resume() {
      isPaused = false
      wait?.()
    },
  }
}

describe('Outbox', () => {
  test('default: the messages of a turn are written together, and in that turn', async () => {
    const { outbox, written, frames } = createOutbox(1e6)
    expect([outbox.send('a'), outbox.send(new JsonText('"é"'))]).toEqual([true, true])
    expect(written).toEqual([])
    await Promise.resolve()
    process.nextTick(() => expect(written.length).toBe(1))
    await nextTurn()
    expect(written.length).toBe(1)
    expect(frames()).toEqual([
      { isFinal: true, opcode: 1, text: 'a' },
      { isFinal: true, opcode: 1, text: '"é"' },
    ])
    outbox.send('c')
    await nextTurn()
    expect(written.length).toBe(2)
  })

  test.each([0, 1, 125, 126, 127, 65_535, 65_536, 1_048_576])(
    'a message of %s bytes is one frame',
    async (length) => {
      const { send, frames } = createOutbox(1e9)
      send(length)
      await nextTurn()
      expect(frames()).toEqual([{ isFinal: true, opcode: 1, text: 'x'.repeat(length) }])
    },
  )

  test('what messages share is encoded once, between what they do not', async () => {
    const { outbox, messages } = createOutbox(1e6)
    const shared = new SharedText('{"ü":1}')
    const { bytes } = shared
    for (const id of ['a', 'ß', 'c'])
      outbox.send(new JsonText([`{"id":"${id}","of":`, shared, '}']))
    await nextTurn()
    expect(messages()).toEqual(['a', 'ß', 'c'].map((id) => `{"id":"${id}","of":{"ü":1}}`))
    expect(shared.bytes).toBe(bytes)
  })

  test('a long message goes in fragments, one after the other, and nothing between', async () => {
    const { outbox, frames, messages } = createOutbox(1e6)
    const pieces = Array.from(
      { length: 50 },
      (_, index) => `${index}${'é\u{1f600}'.repeat(40_000)}`,
    )
    outbox.send('before')
    outbox.send(new JsonText(pieces))
    outbox.send('after')
    await expect.poll(() => frames().at(-1)?.text).toBe('after')
    expect(messages()).toEqual(['before', pieces.join(''), 'after'])
    expect(frames().length).toBeGreaterThan(6)
    expect(Math.max(...frames().map(({ text }) => text.length))).toBeLessThan(2 ** 20 + 1)
  })

  test('no more is written than a client reads', async () => {
    const { outbox, size, pause, resume, messages } = createOutbox(1e9)
    pause()
    const sent = Array.from({ length: 1000 }, (_, index) => `${index}${'y'.repeat(2000)}`)
    for (const message of sent) outbox.send(message)
    outbox.send('z'.repeat(5_000_000))
    for (let turn = 0; turn < 20; turn++) await nextTurn()
    expect(size()).toBeLessThan(300_000)
    resume()
    while (size() < 7_000_000) await nextTurn()
    await nextTurn()
    expect(messages()).toEqual([...sent, 'z'.repeat(5_000_000)])
  })

  test('clients take turns, so that a long message keeps nobody waiting', async () => {
    const long = createOutbox(1e9)
    const short = createOutbox(1e9)
    long.send(40_000_000)
    short.send(1)
    while (short.size() === 0) await nextTurn()
    expect(short.messages()).toEqual(['x'])
    expect(long.size()).toBeLessThan(40_000_000)
    while (long.size() < 40_000_000) await nextTurn()
    await nextTurn()
    expect(long.messages().map(({ length }) => length)).toEqual([40_000_000])
  })

  test('a client is too slow when more waits than the buffer and the longest turn', async () => {
    const { send, pause, resume } = createOutbox(100)
    pause()
    expect([send(60), send(60), send(60)]).toEqual([true, true, true])
    await nextTurn()
    // With their heads, the three take 186 bytes.
    expect(send(92)).toBe(true)
    await nextTurn()
    expect(send(1)).toBe(true)
    await nextTurn()
    expect(send(1)).toBe(false)
    resume()
    await nextTurn()
    await nextTurn()
    expect(send(1)).toBe(true)
    await nextTurn()
    pause()
    for (const length of [90, 20]) {
      expect(send(length)).toBe(true)
      await nextTurn()
    }
    // The longest turn since it had read everything is one of 90 bytes.
    for (let sent = 114; sent <= 190; sent += 3) {
      expect(send(1)).toBe(true)
      await nextTurn()
    }
    expect(send(1)).toBe(false)
  })

  test('what is still to be made counts with what is not written', async () => {
    const { outbox, pause, send, frames, resume } = createOutbox(100)
    pause()
    const turn = async (isSent: boolean) => {
      await nextTurn()
      return isSent
    }
    expect(await turn(outbox.announce(60))).toBe(true)
    expect(await turn(send(58))).toBe(true)
    // With the head of the frame, as much as the limit and the longest turn.
    expect(await turn(outbox.announce(40))).toBe(true)
    expect(await turn(send(1))).toBe(true)
    expect(await turn(outbox.announce(1))).toBe(false)
    expect(await turn(send(1))).toBe(false)
    // Made, both are shorter.
    outbox.sendAnnounced(Buffer.of(1), 60)
    outbox.sendAnnounced(Buffer.of(2), 40)
    expect(await turn(outbox.announce(60))).toBe(true)
    resume()
    await nextTurn()
    expect(frames().map(({ text }) => text.slice(0, 1))).toEqual(['x', 'x', '\x01', '\x02'])
  })

  test('what messages in a row share counts once', async () => {
    const { outbox, pause } = createOutbox(1000)
    pause()
    const send = (shared: SharedText) => outbox.send(new JsonText(['0123456789', shared]))
    const turnOf = async (shared: SharedText, count: number) => {
      const sent = Array.from({ length: count }, () => send(shared))
      await nextTurn()
      return sent
    }
    expect(await turnOf(new SharedText('x'.repeat(900)), 300)).not.toContain(false)
    // Of their own they have 5,000 bytes, which is more than four times the limit.
    expect(await turnOf(new SharedText('y'.repeat(900)), 500)).toContain(false)
    const other = createOutbox(1000)
    other.pause()
    const distinct = Array.from(
      { length: 10 },
      (_, index) => new SharedText(`${index}`.repeat(900)),
    )
    const sent = distinct.map((each) => other.outbox.send(new JsonText(['0123456789', each])))
    expect(sent.filter((isSent) => !isSent)).toHaveLength(4)
  })

  test('a turn can be too long, one message cannot', async () => {
    const { send } = createOutbox(100)
    expect(send(5000)).toBe(true)
    await nextTurn()
    for (let sent = 0; sent < 500; sent += 50) expect(send(50)).toBe(true)
    expect(send(50)).toBe(false)
    await nextTurn()
    await nextTurn()
    expect(send(50)).toBe(true)
  })

  test('nothing goes to a client that is leaving', async () => {
    const { socket, outbox, written } = createOutbox(100)
    outbox.send('a')
    socket.readyState = 2
    expect(outbox.send('b')).toBe(true)
    await nextTurn()
    expect(written).toEqual([])
  })

  test('finish writes all that is left at once, clear drops it', async () => {
    const finished = createOutbox(1e9)
    finished.send(3_000_000)
    finished.outbox.send('last')
    finished.outbox.finish()
    const sizes = finished.messages().map(({ length }) => length)
    expect(sizes).toEqual([3_000_000, 4])
    const leaving = createOutbox(1e9)
    leaving.send(1)
    leaving.socket.readyState = 2
    leaving.outbox.finish()
    expect(leaving.written).toEqual([])
    const cleared = createOutbox(1e9)
    cleared.pause()
    cleared.send(3_000_000)
    await nextTurn()
    cleared.outbox.clear()
    cleared.resume()
    for (let turn = 0; turn < 5; turn++) await nextTurn()
    expect(cleared.size()).toBeLessThan(1_100_000)
  })
})
