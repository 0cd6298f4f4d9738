import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { createProbe } from '../../../devnet/wallet/core/probe.ts'
import { chainOf, startWallet } from './support.ts'

/** Ports of servers that a page would like the wallet to look at. */
async function startVictim(listener: RequestListener): Promise<string> {
  const server = createServer(listener)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  // It listens at a port, so that this is no path.
  const { port } = server.address() as AddressInfo
  return `http://127.0.0.1:${port}`
}

describe('probe', () => {
  async function added(url: string) {
    const { ask } = await startWallet()
    const started = performance.now()
    const { error } = await ask('wallet_addEthereumChain', [chainOf('0x53a', { rpcUrls: [url] })])
    expect(await ask('eth_chainId')).toEqual({ result: '0x7a69' })
    return { error, elapsed: performance.now() - started }
  }

  test('a redirect is not followed', async () => {
    let visits = 0
    const secret = await startVictim((_request, response) => {
      visits++
      response.end('{"jsonrpc":"2.0","id":1,"result":"0x53a"}')
    })
    const redirected = [301, 302, 307, 308].map(async (status) => {
      const url = await startVictim((_request, response) => {
        response.writeHead(status, { Location: secret }).end('{"result":"0x53a"}')
      })
      return (await added(url)).error
    })
    for (const error of await Promise.all(redirected)) {
      expect(error).toMatchObject({ data: { reason: 'unreachable' } })
    }
    expect(visits).toBe(0)
  })

  test('what is there is not told', async () => {
    const secret = 'the-secret-of-another-server'
    const bodies = [secret, `{"result":"${secret}"}`, `{"error":{"message":"${secret}"}}`]
    const answered = bodies.map(async (body) => {
      const url = await startVictim((_request, response) => response.end(body))
      return (await added(url)).error
    })
    for (const error of await Promise.all(answered)) {
      expect(error).toMatchObject({ code: -32602, data: { reason: 'unreachable' } })
      expect(JSON.stringify(error)).not.toContain(secret)
    }
    const mismatch = await startVictim((_request, response) => response.end('{"result":"0xdead"}'))
    const { error } = await added(mismatch)
    expect(error).toMatchObject({ data: { reason: 'mismatch' } })
    expect(JSON.stringify(error)).not.toContain('0xdead')
  })

  test('a server that does not answer, and one that does not end', async () => {
    const slow = await startVictim(() => undefined)
    let written = 0
    const endless = await startVictim((_request, response) => {
      const write = () => {
        while (!response.destroyed && response.write('x'.repeat(16_384))) written += 16_384
      }
      response.on('drain', write)
      write()
    })
    const [first, second] = await Promise.all([added(slow), added(endless)])
    expect(first.error).toMatchObject({ data: { reason: 'unreachable' } })
    expect(first.elapsed).toBeLessThan(6_000)
    expect(second.error).toMatchObject({ data: { reason: 'unreachable' } })
    expect(second.elapsed).toBeLessThan(6_000)
    // What the sockets of both sides buffer comes on top of the limit.
    expect(written).toBeLessThan(64 * 1024 * 1024)
  })

  test('every failure takes the same time, so that no page learns which ports are open', async () => {
    const closed = createServer()
    await new Promise<void>((resolve) => closed.listen(0, '127.0.0.1', resolve))
    // It listens at a port, so that this is no path.
    const { port } = closed.address() as AddressInfo
    await new Promise((resolve) => closed.close(resolve))
    let answered = 0
    const other = await startVictim((_request, response) => {
      response.end('{"result":"hello"}')
      answered++
    })
    vi.useFakeTimers({ toFake: ['setTimeout'] })
    onTestFinished(() => void vi.useRealTimers())
    let ended = 0
    const probe = createProbe(undefined, false)
    const outcomes = Promise.all(
      [`http://127.0.0.1:${port}`, other].map((url) =>
        probe(url, '0x53a').finally(() => {
          ended++
        }),
      ),
    )
    while (answered === 0) await new Promise((resolve) => setImmediate(resolve))
    await vi.advanceTimersByTimeAsync(2999)
    expect(ended).toBe(0)
    await vi.advanceTimersByTimeAsync(1)
    expect(await outcomes).toEqual(['no answer', 'no answer'])
  })

  test('it sends no more than its question', async () => {
    const seen: object[] = []
    const url = await startVictim((request, response) => {
      seen.push({ method: request.method, url: request.url, headers: request.headers })
      response.end('{"result":"0x53a"}')
    })
    expect((await added(`${url}/path?query`)).error).toBeUndefined()
    expect(seen).toEqual([
      {
        method: 'POST',
        url: '/path?query',
        headers: {
          accept: 'application/json',
          connection: 'close',
          'content-length': '59',
          'content-type': 'application/json',
          host: new URL(url).host,
        },
      },
    ])
  })
})
