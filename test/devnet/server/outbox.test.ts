import type { Duplex } from 'node:stream'
import { describe, expect, test } from 'vitest'
import type { WebSocket } from 'ws'
import { Outbox } from '../../../devnet/server/socketConnection.ts'

/** A socket that says what was done to it; what is sent waits until a test reads it. */
function createOutbox(maxBuffered: number) {
  const log: string[] = []
  const socket = {
    OPEN: 1,
    readyState: 1,
    bufferedAmount: 0,
    send(text: string) {
      log.push(text.length > 9 ? `${text.length}` : text)
      socket.bufferedAmount += text.length
    },
  }
  const stream = { cork: () => log.push('cork'), uncork: () => log.push('uncork') }
  const outbox = new Outbox(
    // All that an outbox looks at.
    socket as unknown as WebSocket,
    stream as unknown as Duplex,
    maxBuffered,
  )
  return { log, socket, outbox, send: (length: number) => outbox.send('x'.repeat(length)) }
}

const nextTurn = () => new Promise((resolve) => setImmediate(resolve))

describe('Outbox', () => {
  test('default: the messages of a turn go out together', async () => {
    const { log, outbox } = createOutbox(100)
    expect([outbox.send('a'), outbox.send('b')]).toEqual([true, true])
    expect(log).toEqual(['cork', 'a', 'b'])
    await nextTurn()
    expect(log.splice(0)).toEqual(['cork', 'a', 'b', 'uncork'])
    outbox.send('c')
    await nextTurn()
    expect(log).toEqual(['cork', 'c', 'uncork'])
  })

  test('behavior: a client is too slow when more waits than the buffer and the longest turn', async () => {
    const { send, socket } = createOutbox(100)
    expect([send(60), send(60), send(60)]).toEqual([true, true, true])
    await nextTurn()
    socket.bufferedAmount = 280
    expect(send(1)).toBe(true)
    await nextTurn()
    expect(socket.bufferedAmount).toBe(281)
    expect(send(1)).toBe(false)
    socket.bufferedAmount = 0
    expect(send(1)).toBe(true)
    await nextTurn()
    socket.bufferedAmount = 102
    expect(send(1)).toBe(false)
  })

  test('behavior: a turn can be too long, one message cannot', async () => {
    const { send, socket } = createOutbox(100)
    expect(send(5000)).toBe(true)
    await nextTurn()
    socket.bufferedAmount = 0
    for (let sent = 0; sent < 500; sent += 50) expect(send(50)).toBe(true)
    expect(send(50)).toBe(false)
    await nextTurn()
    socket.bufferedAmount = 0
    expect(send(50)).toBe(true)
  })

  test('behavior: nothing goes to a client that is leaving', () => {
    const { log, socket, outbox } = createOutbox(100)
    socket.readyState = 2
    expect(outbox.send('a')).toBe(true)
    expect(log).toEqual([])
  })
})
