import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, test, vi } from 'vitest'
import { OptionError } from '../../../../devnet/primitives/errors.ts'
import { Endpoint } from '../../../../devnet/upstream/client/endpoint.ts'
import { openHttpTransport } from '../../../../devnet/upstream/client/httpTransport.ts'

const NAMES = ['http_proxy', 'HTTP_PROXY', 'https_proxy', 'HTTPS_PROXY', 'no_proxy', 'NO_PROXY']

afterEach(() => vi.unstubAllEnvs())

/** A transport with these variables and no others. */
function open(variables: Readonly<Record<string, string>>, url = 'http://upstream.example/') {
  for (const name of NAMES) vi.stubEnv(name, variables[name])
  return openHttpTransport(new Endpoint(url), { timeout: 5_000, connections: 1 })
}

test.each(['http_proxy', 'HTTP_PROXY'])('%s: a proxy without a scheme is used', async (name) => {
  const asked: unknown[] = []
  const proxy = createServer((request, response) => {
    asked.push(request.url)
    response.end('{}')
  })
  proxy.on('connect', ({ url }, socket) => {
    asked.push(url)
    socket.end('HTTP/1.1 502 Bad Gateway\r\n\r\n')
  })
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve))
  // A server that listens on a port has no path.
  const { port } = proxy.address() as AddressInfo
  for (const address of [`127.0.0.1:${port}`, `http://127.0.0.1:${port}`, ` 127.0.0.1:${port} `]) {
    const transport = await open({ [name]: address })
    await transport.post('{}', AbortSignal.timeout(5_000)).catch(() => undefined)
    await transport.close()
  }
  proxy.closeAllConnections()
  await new Promise((resolve) => proxy.close(resolve))
  expect(asked).toHaveLength(3)
  for (const url of asked) expect(url).toContain('upstream.example')
})

test('the variable in lower case comes first, and an empty one names none', async () => {
  const wrong = { HTTP_PROXY: '::', HTTPS_PROXY: '::', NO_PROXY: ',:,*.,[::1]:x' }
  await (await open({ ...wrong, http_proxy: '', https_proxy: ' ' })).close()
})

test.each(NAMES.slice(0, 4))(
  '%s: what is no proxy is refused by name, and not shown',
  async (name) => {
    for (const given of [
      '::1:9',
      'ftp://secret',
      'http://',
      'u:se%cret@host:1',
      'a b',
      'http://%ff@h',
    ]) {
      await expect(open({ [name]: given })).rejects.toThrow(
        new OptionError(`${name} names no proxy: want an address such as http://127.0.0.1:3128.`),
      )
    }
  },
)

test('a bare % in the user of an upstream is taken for itself', () => {
  const { headers } = new Endpoint('http://us%er:p%ff@upstream.example/')
  expect(headers.authorization).toMatch(/^Basic /)
})
