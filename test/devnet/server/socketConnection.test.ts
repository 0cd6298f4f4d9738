import { EventEmitter } from 'node:events'
import { Duplex } from 'node:stream'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import type { WebSocket } from 'ws'
import { SocketConnection } from '../../../devnet/server/socketConnection.ts'

/** A connection whose client reads nothing. */
function connectReader(maxBuffered: number) {
  const closed: number[] = []
  const stream = new Duplex({ read() {}, write() {} })
  class FakeSocket extends EventEmitter {
    readonly OPEN = 1
    readyState = 1
    get bufferedAmount() {
      return stream.writableLength
    }
    resume() {}
    close(code: number) {
      closed.push(code)
      this.readyState = 2
      setImmediate(() => this.emit('close'))
    }
  }
  // All that a connection looks at.
  const fake = new FakeSocket() as unknown as WebSocket
  return { connection: new SocketConnection(fake, stream, undefined, maxBuffered), closed }
}

test('what waits to be made and what is not read have one limit', async () => {
  const { connection, closed } = connectReader(1000)
  const { promise, resolve } = Promise.withResolvers<Buffer>()
  for (let turn = 0; turn < 2; turn++) {
    connection.send('x'.repeat(396))
    await nextTurn()
    connection.sendLater(promise, 400)
    await nextTurn()
    expect(closed).toEqual([])
  }
  // 1,600 bytes are more than the limit and the longest turn.
  connection.sendLater(promise, 400)
  expect(closed).toEqual([1013])
  // Nothing is sent to whoever has gone.
  resolve(Buffer.of())
  await nextTurn()
  expect(closed).toEqual([1013])
})

test('what was made counts with the size that it came to have', async () => {
  const { connection, closed } = connectReader(2000)
  for (let message = 0; message < 50; message++) {
    connection.sendLater(Promise.resolve(Buffer.of(message)), 900)
    await nextTurn()
  }
  expect(closed).toEqual([])
})
