import { once } from 'node:events'
import { createServer as createNetServer } from 'node:net'
import { networkInterfaces } from 'node:os'
import { describe, expect, onTestFinished, test } from 'vitest'
import { ListenError } from '../../../devnet/server/listen.ts'
import {
  type Server,
  type ServerOptions,
  startServer as start,
} from '../../../devnet/server/server.ts'
import { fakeNode } from '../rpc/fakeMethods.ts'
import { JSON_HEADERS, openSocket, openWebSocket, requestText, startServer } from './support.ts'

async function serverOn(options: Partial<ServerOptions>): Promise<Server> {
  const server = await start({
    hostname: '127.0.0.1',
    port: 0,
    dispatch: fakeNode().dispatch,
    ...options,
  })
  onTestFinished(() => server.stop())
  return server
}

function countResources(): number {
  const kinds = ['TCPSocketWrap', 'TCPServerWrap', 'Timeout']
  return process.getActiveResourcesInfo().filter((kind) => kinds.includes(kind)).length
}

/** Some containers have no IPv6. */
const hasIPv6 = Object.values(networkInterfaces())
  .flat()
  .some((address) => address?.address === '::1')

const POST = { method: 'POST', headers: JSON_HEADERS, body: requestText('eth_chainId') }

describe('start', () => {
  test.each([
    ['127.0.0.1', /^http:\/\/127\.0\.0\.1:\d+$/],
    ['localhost', /^http:\/\/localhost:\d+$/],
    ['0.0.0.0', /^http:\/\/127\.0\.0\.1:\d+$/],
    ['::1', /^http:\/\/\[::1\]:\d+$/],
    ['::', /^http:\/\/\[::1\]:\d+$/],
  ])('args: hostname %s', async (hostname, expected) => {
    if (hostname.includes(':') && !hasIPv6) return
    const { address } = await serverOn({ hostname })
    expect(address).toEqual({ url: expect.stringMatching(expected), hostname, port: address.port })
    expect(address.url).toContain(`:${address.port}`)
    expect((await fetch(address.url, POST)).status).toBe(200)
  })

  test('the port is taken', async () => {
    const other = createNetServer().listen(0, '127.0.0.1')
    onTestFinished(() => void other.close())
    await once(other, 'listening')
    const address = other.address()
    const port = typeof address === 'object' && address !== null ? address.port : 0
    const error: unknown = await serverOn({ port }).catch((reason) => reason)
    expect(error).toBeInstanceOf(ListenError)
    expect(error).toMatchObject({
      name: 'ListenError',
      code: 'EADDRINUSE',
      message: `Port ${port} on 127.0.0.1 is in use: stop the other process, or choose another port with --port (0 picks a free one).`,
    })
    other.close()
    await once(other, 'close')
    expect((await serverOn({ port })).address.port).toBe(port)
  })

  test.each([
    ['192.0.2.1', 'EADDRNOTAVAIL', '192.0.2.1 is not an address of this machine'],
    ['name.invalid', /^(ENOTFOUND|EAI_AGAIN)$/, 'The host name name.invalid does not resolve'],
  ])('hostname %s', async (hostname, code, sentence) => {
    await expect(serverOn({ hostname })).rejects.toMatchObject({
      name: 'ListenError',
      code: typeof code === 'string' ? code : expect.stringMatching(code),
      message: expect.stringMatching(new RegExp(`^${sentence}.*--hostname, such as 127.0.0.1\\.$`)),
    })
  })
})

describe('stop', () => {
  test('twice, and at the same time', async () => {
    const server = await serverOn({})
    await Promise.all([server.stop(), server.stop()])
    await server.stop()
    await expect(fetch(server.address.url, POST)).rejects.toThrow()
    // Its port is free again.
    await serverOn({ port: server.address.port })
  })

  test('every kind of connection is closed within a second, and nothing is left', async () => {
    const before = countResources()
    const { url, port, signals, stop } = await startServer()
    const client = await openWebSocket(url)
    const closed = once(client, 'close')
    // Never reads, so it will not say good-bye.
    const deaf = await openWebSocket(url)
    deaf.pause()
    const silent = await openSocket(port)
    const half = await openSocket(port)
    half.write('POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n{')
    await (await fetch(url, POST)).json()
    const waiting = fetch(url, { ...POST, body: requestText('test_wait') })
    client.send(requestText('test_wait'))
    await expect.poll(() => signals.length).toBe(2)

    const started = performance.now()
    await stop()
    expect(performance.now() - started).toBeLessThan(1000)
    expect(await (await waiting).json()).toEqual({
      jsonrpc: '2.0',
      id: 1,
      error: { code: -32000, message: 'the request was given up: the node is stopping' },
    })
    expect(await closed).toEqual([1001, Buffer.from('the node is stopping')])
    expect(signals.map((signal) => signal.aborted)).toEqual([true, true])
    deaf.terminate()
    for (const socket of [silent, half]) socket.destroy()
    await expect.poll(countResources).toBeLessThanOrEqual(before)
  })

  test('idle connections do not hold it up', async () => {
    const { url, stop } = await startServer()
    await (await fetch(url, POST)).json()
    const started = performance.now()
    await stop()
    expect(performance.now() - started).toBeLessThan(300)
  })

  test('a connection is closed after the answer that the stop found under way', async () => {
    const { url, gate, started, stop } = await startServer()
    const response = fetch(url, { ...POST, body: requestText('test_later', 'x') })
    await expect.poll(() => started).toEqual(['x'])
    const stopped = stop()
    gate.open()
    expect((await response).headers.get('connection')).toBe('close')
    await stopped
  })
})
