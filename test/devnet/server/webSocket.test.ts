import { once } from 'node:events'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { WebSocket } from 'ws'
import { JsonText } from '../../../devnet/primitives/jsonText.ts'
import { CLOSE_GRACE } from '../../../devnet/server/limits.ts'
import {
  exchange,
  head,
  nextMessage,
  openSocket,
  openWebSocket,
  requestText,
  startServer,
} from './support.ts'

const CHAIN_ID = requestText('eth_chainId')
const CHAIN_ID_ANSWER = { jsonrpc: '2.0', id: 1, result: '0x7a69' }

const UPGRADE = {
  Host: 'localhost',
  Connection: 'Upgrade',
  Upgrade: 'websocket',
  'Sec-WebSocket-Key': 'dGhlIHNhbXBsZSBub25jZQ==',
  'Sec-WebSocket-Version': 13,
}

/** Status and text with which an upgrade is refused. */
async function refusalOf(
  port: number,
  headers: Readonly<Record<string, string>>,
): Promise<[number, string | undefined]> {
  const answer = await exchange(port, head('GET /', { ...UPGRADE, ...headers }))
  const [top, text] = answer.split('\r\n\r\n')
  return [Number(top?.split(' ')[1]), text]
}

describe('messages', () => {
  test.each(['', 'any/path', 'health'])('args: path /%s', async (path) => {
    const { url } = await startServer()
    const client = await openWebSocket(`${url}/${path}`)
    client.send(CHAIN_ID)
    expect(await nextMessage(client)).toEqual(CHAIN_ID_ANSWER)
  })

  test('a binary message is read as UTF-8', async () => {
    const { url } = await startServer()
    const client = await openWebSocket(url)
    client.send(Buffer.from(requestText('test_log', 'ü')))
    const [data, isBinary] = await once(client, 'message')
    expect([JSON.parse(String(data)).result, isBinary]).toEqual(['ü', false])
  })

  test('garbage is answered, and the connection goes on', async () => {
    const { url } = await startServer()
    const client = await openWebSocket(url)
    client.send(Buffer.from([0xff, 0x00, 0x80]))
    expect(await nextMessage(client)).toMatchObject({ id: null, error: { code: -32700 } })
    client.send(CHAIN_ID)
    expect(await nextMessage(client)).toEqual(CHAIN_ID_ANSWER)
  })

  test('answers come when they are ready', async () => {
    const { url, gate } = await startServer()
    const client = await openWebSocket(url)
    client.send(requestText('test_later', 'slow'))
    client.send(requestText('test_log', 'quick'))
    expect(await nextMessage(client)).toMatchObject({ result: 'quick' })
    gate.open()
    expect(await nextMessage(client)).toMatchObject({ result: 'slow' })
  })

  test('the signals of a connection abort when it closes', async () => {
    const { url, signals } = await startServer()
    const client = await openWebSocket(url)
    const other = await openWebSocket(url)
    client.send(requestText('test_wait'))
    await expect.poll(() => signals.length).toBe(1)
    other.send(requestText('test_wait'))
    await expect.poll(() => signals.length).toBe(2)
    client.terminate()
    await expect.poll(() => signals.map((signal) => signal.aborted)).toEqual([true, false])
  })
})

describe('notifications', () => {
  test('what a request lets expect comes after its answer', async () => {
    const { url, connections, gate } = await startServer()
    const client = await openWebSocket(url)
    const messages: unknown[] = []
    client.on('message', (data) => messages.push(JSON.parse(String(data))))
    client.send(`[${requestText('test_connection')},${requestText('test_later', 'x')}]`)
    await expect.poll(() => connections.length).toBe(1)
    connections[0]?.notify('eth_subscription', new JsonText('1'))
    connections[0]?.notify('eth_subscription', new JsonText('2'))
    gate.open()
    await expect
      .poll(() => messages)
      .toEqual([
        [
          { jsonrpc: '2.0', id: 1, result: true },
          { jsonrpc: '2.0', id: 1, result: 'x' },
        ],
        { jsonrpc: '2.0', method: 'eth_subscription', params: 1 },
        { jsonrpc: '2.0', method: 'eth_subscription', params: 2 },
      ])
    connections[0]?.notify('eth_subscription', new JsonText('3'))
    await expect.poll(() => messages.length).toBe(4)
  })

  test('requests that do not look at the connection hold nothing back', async () => {
    const { url, connections } = await startServer()
    const client = await openWebSocket(url)
    client.send(requestText('test_connection'))
    await nextMessage(client)
    client.send(requestText('test_wait'))
    const message = nextMessage(client)
    connections[0]?.notify('eth_subscription', new JsonText('1'))
    expect(await message).toMatchObject({ params: 1 })
  })

  test('a look at the connection after the answer holds nothing back', async () => {
    const { url, callers } = await startServer()
    const client = await openWebSocket(url)
    client.send(requestText('test_caller'))
    await nextMessage(client)
    const message = nextMessage(client)
    callers[0]?.subscribe()?.notify('eth_subscription', new JsonText('1'))
    expect(await message).toMatchObject({ params: 1 })
  })

  test('listeners are called once when the connection closes, or at once after that', async () => {
    const { url, connections } = await startServer()
    const client = await openWebSocket(url)
    client.send(requestText('test_connection'))
    await nextMessage(client)
    const [connection] = connections
    const calls: string[] = []
    connection?.onClose(() => calls.push('before'))
    client.close()
    await expect.poll(() => calls).toEqual(['before'])
    connection?.onClose(() => calls.push('after'))
    expect(calls).toEqual(['before', 'after'])
    connection?.notify('eth_subscription', new JsonText('"nobody is there"'))
  })
})

describe('limits', () => {
  test('a message over the limit closes the connection with code 1009', async () => {
    const { url } = await startServer({ maxBodySize: 1000 })
    const client = await openWebSocket(url)
    client.send(CHAIN_ID.padEnd(1000))
    expect(await nextMessage(client)).toEqual(CHAIN_ID_ANSWER)
    client.send(CHAIN_ID.padEnd(1001))
    const [code] = await once(client, 'close')
    expect(code).toBe(1009)
  })

  test('text that is not UTF-8 closes the connection with code 1007', async () => {
    const { url } = await startServer()
    const client = await openWebSocket(url)
    client.send(Buffer.from([0xff]), { binary: false })
    const [code] = await once(client, 'close')
    expect(code).toBe(1007)
  })

  test('a client that does not read is dropped, reads why, and others are served', async () => {
    const { url, connections } = await startServer({ maxBuffered: 100_000 })
    const slow = await openWebSocket(url)
    const other = await openWebSocket(url)
    slow.send(requestText('test_connection'))
    await nextMessage(slow)
    let isClosed = false
    connections[0]?.onClose(() => {
      isClosed = true
    })
    slow.pause()
    const filler = 'x'.repeat(50_000)
    // The operating system takes some megabytes before anything waits here.
    await expect
      .poll(() => {
        for (let count = 0; count < 100; count++)
          connections[0]?.notify('filler', new JsonText(JSON.stringify(filler)))
        return isClosed
      })
      .toBe(true)
    other.send(CHAIN_ID)
    expect(await nextMessage(other)).toEqual(CHAIN_ID_ANSWER)
    slow.resume()
    const [code, reason] = await once(slow, 'close')
    expect([code, String(reason)]).toEqual([
      1013,
      'read too slowly: more than 100000 bytes are unread; connect again',
    ])
  })

  test('a client that is dropped and never reads again is cut off, and counts until then', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout'] })
    onTestFinished(() => void vi.useRealTimers())
    const { url, port, connections } = await startServer({ maxBuffered: 100_000, maxSockets: 1 })
    const slow = await openWebSocket(url)
    slow.send(requestText('test_connection'))
    await nextMessage(slow)
    slow.pause()
    const filler = JSON.stringify('x'.repeat(50_000))
    let isClosed = false
    connections[0]?.onClose(() => {
      isClosed = true
    })
    while (!isClosed) {
      for (let count = 0; count < 100; count++)
        connections[0]?.notify('filler', new JsonText(filler))
      await new Promise((resolve) => setImmediate(resolve))
    }
    expect((await refusalOf(port, {}))[0]).toBe(503)
    await vi.advanceTimersByTimeAsync(CLOSE_GRACE)
    vi.useRealTimers()
    await expect.poll(async () => (await openWebSocket(url)).readyState).toBe(WebSocket.OPEN)
  })

  test('one answer over the buffer limit is no sign of a slow client', async () => {
    const { url, connections, started } = await startServer({ maxBuffered: 10_000 })
    const client = await openWebSocket(url)
    client.send(requestText('test_connection'))
    await nextMessage(client)
    const messages: unknown[] = []
    client.on('message', (data) => messages.push(JSON.parse(String(data))))
    client.pause()
    client.send(requestText('test_text', 20_000_000))
    client.send(requestText('test_log', 'after'))
    await expect.poll(() => started).toEqual(['after'])
    connections[0]?.notify('still', new JsonText('"there"'))
    client.resume()
    await expect.poll(() => messages.length).toBe(3)
    expect(messages.slice(1)).toMatchObject([{ result: 'after' }, { params: 'there' }])
  })

  test('held notifications count as well', async () => {
    const { url, connections } = await startServer({ maxBuffered: 1000 })
    const client = await openWebSocket(url)
    client.send(`[${requestText('test_connection')},${requestText('test_wait')}]`)
    await expect.poll(() => connections.length).toBe(1)
    for (let count = 0; count < 3; count++)
      connections[0]?.notify('filler', new JsonText(JSON.stringify('x'.repeat(500))))
    const [code, reason] = await once(client, 'close')
    expect([code, String(reason)]).toEqual([
      1013,
      'read too slowly: more than 1000 bytes are unread; connect again',
    ])
  })

  test('no more connections than allowed', async () => {
    const { url, port } = await startServer({ maxSockets: 2 })
    const first = await openWebSocket(url)
    await openWebSocket(url)
    expect(await refusalOf(port, {})).toEqual([
      503,
      'The node has 2 WebSocket connections, which is its limit; close another first.\n',
    ])
    first.close()
    await once(first, 'close')
    await expect.poll(() => openWebSocket(url)).toBeInstanceOf(WebSocket)
  })

  test('a client that answers no ping is dropped, others stay', async () => {
    const { url } = await startServer({ pingInterval: 250 })
    const dead = await openWebSocket(url, { autoPong: false })
    const alive = await openWebSocket(url)
    let pings = 0
    alive.on('ping', () => pings++)
    const [code, reason] = await once(dead, 'close')
    expect([code, String(reason)]).toEqual([1002, 'no answer to a ping'])
    await expect.poll(() => pings, { timeout: 10_000 }).toBeGreaterThan(3)
    expect(alive.readyState).toBe(WebSocket.OPEN)
  })
})

describe('strangers', () => {
  test.each([
    [{ Origin: 'https://evil.example' }, /^Origin "https:\/\/evil.example" is not allowed/],
    [{ Origin: 'null' }, /^Origin "null" is not allowed/],
    [{ Host: 'evil.example' }, /^Host "evil.example" is not allowed/],
    [{ Host: 'evil.example', Origin: 'http://evil.example' }, /^Host /],
  ])('%o is refused', async (headers, sentence) => {
    const { port } = await startServer()
    const [status, text] = await refusalOf(port, headers)
    expect(status).toBe(403)
    expect(text).toMatch(sentence)
  })

  test('pages at allowed origins are let in, and methods learn of them', async () => {
    const { url } = await startServer()
    const client = await openWebSocket(url, { origin: 'http://localhost:3000' })
    client.send(requestText('test_origin'))
    expect(await nextMessage(client)).toMatchObject({ result: 'http://localhost:3000' })
    client.send(requestText('evm_mine'))
    expect(await nextMessage(client)).toMatchObject({ error: { code: -32000 } })
  })

  test('a malformed handshake is a bad request', async () => {
    const { port } = await startServer()
    expect(await refusalOf(port, { 'Sec-WebSocket-Key': 'x' })).toEqual([
      400,
      expect.stringContaining('Sec-WebSocket-Key'),
    ])
    expect(await refusalOf(port, { 'Sec-WebSocket-Version': '1' })).toEqual([
      400,
      expect.stringContaining('Sec-WebSocket-Version'),
    ])
  })

  test('hanging up in the handshake harms nobody', async () => {
    const { port, url, serverErrors } = await startServer()
    for (const headers of [UPGRADE, { ...UPGRADE, Origin: 'https://evil.example' }]) {
      const socket = await openSocket(port)
      socket.write(head('GET /', headers))
      socket.resetAndDestroy()
    }
    const client = await openWebSocket(url)
    client.send(CHAIN_ID)
    expect(await nextMessage(client)).toEqual(CHAIN_ID_ANSWER)
    expect(serverErrors).toEqual([])
  })
})
