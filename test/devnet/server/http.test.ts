import { once } from 'node:events'
import { ServerResponse } from 'node:http'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import {
  exchange,
  head,
  JSON_HEADERS,
  openSocket,
  readAll,
  requestText,
  startServer,
} from './support.ts'

const CHAIN_ID = requestText('eth_chainId')
const CHAIN_ID_ANSWER = '{"jsonrpc":"2.0","id":1,"result":"0x7a69"}'

/** A POST that closes the connection after the answer. */
function post(body: string, headers: Readonly<Record<string, string | number>> = {}): string {
  return (
    head('POST /', {
      Host: 'localhost',
      Connection: 'close',
      ...JSON_HEADERS,
      'Content-Length': Buffer.byteLength(body),
      ...headers,
    }) + body
  )
}

describe('JSON-RPC over POST', () => {
  test.each(['/', '/any/path?key=1', '//', '/healthy', 'http://localhost/'])(
    'args: path %s',
    async (path) => {
      const { port } = await startServer()
      const answer = await exchange(port, post(CHAIN_ID).replace('/', path))
      expect(answer).toMatch(/^HTTP\/1\.1 200 OK\r\n/)
      expect(answer.endsWith(`\r\n\r\n${CHAIN_ID_ANSWER}`)).toBe(true)
    },
  )

  test.each(['', 'x'])(
    'a long answer is written in pieces, whole characters each, after "%s"',
    async (start) => {
      // Two UTF-16 units a character: with or without `start`, a piece would end inside one.
      const text = `${start}${'\u{1f600}'.repeat(1_500_000)}`
      const { url } = await startServer({ dispatch: { handleText: () => text } })
      const write = vi.spyOn(ServerResponse.prototype, 'write')
      onTestFinished(() => write.mockRestore())
      const response = await fetch(url, { method: 'POST', headers: JSON_HEADERS, body: CHAIN_ID })
      expect((await response.text()) === text).toBe(true)
      expect(response.headers.get('content-length')).toBe(String(Buffer.byteLength(text)))
      expect(write.mock.calls.length).toBe(3)
    },
  )

  test('a client that leaves in the middle of a long answer harms nobody', async () => {
    const { url, port, serverErrors } = await startServer({
      dispatch: {
        handleText: (body) => (body === CHAIN_ID ? CHAIN_ID_ANSWER : 'x'.repeat(50_000_000)),
      },
    })
    const socket = await openSocket(port)
    socket.write(post('{}'))
    await once(socket, 'data')
    socket.destroy()
    await once(socket, 'close')
    const answer = await fetch(url, { method: 'POST', headers: JSON_HEADERS, body: CHAIN_ID })
    expect(await answer.text()).toBe(CHAIN_ID_ANSWER)
    expect(serverErrors).toEqual([])
  })

  test.each(['application/json', 'Application/JSON; charset=utf-8', 'application/json;'])(
    'Content-Type %s is accepted',
    async (type) => {
      const { url } = await startServer()
      const options = { method: 'POST', headers: { 'Content-Type': type }, body: CHAIN_ID }
      expect((await fetch(url, options)).status).toBe(200)
    },
  )

  test.each([
    'application/x-www-form-urlencoded',
    'text/plain;charset=UTF-8',
    'multipart/form-data; boundary=x',
    'application/jsonp',
    'text/plain, application/json',
    '',
  ])('Content-Type %s is refused', async (type) => {
    const { url } = await startServer()
    const options = { method: 'POST', headers: { 'Content-Type': type }, body: CHAIN_ID }
    const response = await fetch(url, options)
    expect([response.status, await response.text()]).toEqual([
      415,
      'JSON-RPC requests need the header "Content-Type: application/json"; for curl, add -H \'Content-Type: application/json\'.\n',
    ])
  })

  test('no Content-Type is accepted, but not from a page', async () => {
    const { port } = await startServer()
    const untyped = post(CHAIN_ID).replace(/Content-Type: .*\r\n/, '')
    expect(await exchange(port, untyped)).toMatch(/^HTTP\/1\.1 200/)
    const fromPage = untyped.replace('\r\n', '\r\nOrigin: http://localhost:3000\r\n')
    expect(await exchange(port, fromPage)).toMatch(/^HTTP\/1\.1 415/)
  })

  test('a body in pieces, cut within a character', async () => {
    const { port } = await startServer()
    const text = 'ü€𝄞'.repeat(50_000)
    const body = Buffer.from(requestText('test_log', text))
    const socket = await openSocket(port)
    socket.write(
      head('POST /', {
        Host: 'localhost',
        Connection: 'close',
        ...JSON_HEADERS,
        'Content-Length': body.length,
      }),
    )
    for (let start = 0; start < body.length; start += 30_001) {
      socket.write(body.subarray(start, start + 30_001))
      // The next piece comes in another event.
      await new Promise((resolve) => setImmediate(resolve))
    }
    const answer = await readAll(socket)
    expect(JSON.parse(answer.slice(answer.indexOf('\r\n\r\n')))).toEqual({
      jsonrpc: '2.0',
      id: 1,
      result: text,
    })
  })

  test('pipelined requests are answered in order', async () => {
    const { port, gate } = await startServer()
    const open = { Connection: 'keep-alive' }
    const socket = await openSocket(port)
    socket.write(
      post(requestText('test_later', 'a'), open) +
        post(requestText('test_log', 'b'), open) +
        post(requestText('test_log', 'c')),
    )
    gate.open()
    expect((await readAll(socket)).match(/"result":"."/g)).toEqual([
      '"result":"a"',
      '"result":"b"',
      '"result":"c"',
    ])
  })

  test('clients that send at the same time, one of which hangs up', async () => {
    const release = Promise.withResolvers<void>()
    const { port } = await startServer({
      dispatch: { handleText: (body) => release.promise.then(() => `"${body}"`) },
    })
    const sockets = await Promise.all(Array.from({ length: 20 }, () => openSocket(port)))
    for (const [index, socket] of sockets.entries()) socket.write(post(String(index)))
    const left = sockets.splice(7, 1)
    const answers = sockets.map(readAll)
    for (const socket of left) socket.destroy()
    release.resolve()
    const bodies = (await Promise.all(answers)).map((text) => text.split('\r\n\r\n')[1])
    const others = Array.from({ length: 20 }, (_, index) => `"${index}"`).toSpliced(7, 1)
    expect(bodies).toEqual(others)
  })

  test('an upgrade to a protocol that is not spoken here is ignored', async () => {
    const { port } = await startServer()
    const headers = {
      Connection: 'Upgrade, HTTP2-Settings',
      Upgrade: 'h2c',
      'HTTP2-Settings': 'AA',
    }
    const socket = await openSocket(port)
    socket.write(post(CHAIN_ID, headers))
    const [data] = await once(socket, 'data')
    socket.destroy()
    expect(String(data)).toMatch(/^HTTP\/1\.1 200 OK\r\n/)
  })
})

describe('limits', () => {
  const maxBodySize = 1000
  const tooLarge = {
    jsonrpc: '2.0',
    id: null,
    error: { code: -32005, message: 'the request body is over the limit of 1000 bytes' },
  }

  test('a body at the limit', async () => {
    const { port } = await startServer({ maxBodySize })
    expect(await exchange(port, post(CHAIN_ID.padEnd(maxBodySize)))).toMatch(/^HTTP\/1\.1 200/)
  })

  test('a declared length over the limit is refused before the body comes', async () => {
    const { port } = await startServer({ maxBodySize })
    const socket = await openSocket(port)
    const body = CHAIN_ID.padEnd(maxBodySize + 1)
    const [start, rest] = post(body, { Connection: 'keep-alive' }).split('\r\n\r\n')
    socket.write(`${start}\r\n\r\n`)
    const [refusal] = await once(socket, 'data')
    expect(String(refusal)).toMatch(/^HTTP\/1\.1 413 Payload Too Large\r\n/)
    expect(JSON.parse(String(refusal).split('\r\n\r\n')[1] ?? '')).toEqual(tooLarge)
    // What comes of the body is thrown away, and the connection goes on.
    socket.write(rest + post(CHAIN_ID))
    expect(await readAll(socket)).toMatch(/^HTTP\/1\.1 200/)
  })

  test('a body without length is refused when it is over the limit', async () => {
    const { port } = await startServer({ maxBodySize })
    const socket = await openSocket(port)
    const chunked = head('POST /', {
      Host: 'localhost',
      ...JSON_HEADERS,
      'Transfer-Encoding': 'chunked',
    })
    const chunk = `1f4\r\n${' '.repeat(500)}\r\n`
    socket.write(chunked + chunk + chunk + chunk)
    const [refusal] = await once(socket, 'data')
    expect(String(refusal)).toMatch(/^HTTP\/1\.1 413/)
    socket.write(`${chunk}0\r\n\r\n${post(CHAIN_ID)}`)
    expect(await readAll(socket)).toMatch(/^HTTP\/1\.1 200/)
  })

  test('many tiny pieces', async () => {
    const { port } = await startServer({ maxBodySize })
    const chunked = head('POST /', {
      Host: 'localhost',
      Connection: 'close',
      ...JSON_HEADERS,
      'Transfer-Encoding': 'chunked',
    })
    const pieces = [...CHAIN_ID].map((character) => `1\r\n${character}\r\n`).join('')
    expect(await exchange(port, `${chunked}${pieces}0\r\n\r\n`)).toContain(CHAIN_ID_ANSWER)
  })

  test.each([
    ['a Content-Length that is no number', { 'Content-Length': 'x' }],
    ['a negative Content-Length', { 'Content-Length': '-1' }],
    ['a length and chunks', { 'Transfer-Encoding': 'chunked' }],
  ])('%s is a bad request, and others are served', async (_, headers) => {
    const { port, url } = await startServer()
    expect(await exchange(port, post(CHAIN_ID, headers))).toMatch(/^HTTP\/1\.1 400 Bad Request/)
    expect((await fetch(`${url}/health`)).status).toBe(200)
  })

  test.each(['\r\n\r\n', 'GET\r\n\r\n', '\u0016\u0003\u0001', 'POST / HTTP/9.9\r\n\r\n'])(
    '%j is a bad request',
    async (text) => {
      const { port } = await startServer()
      const socket = await openSocket(port)
      socket.end(text)
      expect(await readAll(socket)).toMatch(/^(HTTP\/1\.1 400 Bad Request|$)/)
    },
  )
})

describe('clients that hang up', () => {
  test('half a body calls no method', async () => {
    const { port, started, stop } = await startServer()
    const socket = await openSocket(port)
    const text = post(requestText('test_log', 'never'))
    socket.end(text.slice(0, -10))
    expect(await readAll(socket)).toMatch(/^(HTTP\/1\.1 400 Bad Request|$)/)
    await stop()
    expect(started).toEqual([])
  })

  test.each([
    ['closes its half', 'end'],
    ['resets the connection', 'resetAndDestroy'],
  ] as const)('the signal aborts when the client %s', async (_, method) => {
    const { port, signals } = await startServer()
    const socket = await openSocket(port)
    socket.write(post(requestText('test_wait')))
    await expect.poll(() => signals.length).toBe(1)
    socket[method]()
    await expect.poll(() => signals[0]?.aborted).toBe(true)
    expect(signals[0]?.reason).toMatchObject({
      code: -32000,
      message: 'the request was given up: the client hung up',
    })
    socket.destroy()
  })

  test('the signal does not abort when the request is answered', async () => {
    const { url, signals, gate } = await startServer()
    const options = { method: 'POST', headers: JSON_HEADERS, body: requestText('test_wait') }
    const response = fetch(url, options)
    await expect.poll(() => signals.length).toBe(1)
    gate.open()
    expect(await (await response).json()).toEqual({ jsonrpc: '2.0', id: 1, result: 'done' })
    await fetch(url, { ...options, body: CHAIN_ID })
    expect(signals[0]?.aborted).toBe(false)
  })
})
