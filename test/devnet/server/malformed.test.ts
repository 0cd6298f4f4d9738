import { expect, test } from 'vitest'
import { exchange, head, JSON_HEADERS, requestText, startServer } from './support.ts'

const BODY = requestText('test_caller')
const UPGRADE = {
  Connection: 'Upgrade',
  Upgrade: 'websocket',
  'Sec-WebSocket-Version': '13',
  'Sec-WebSocket-Key': 'AAAAAAAAAAAAAAAAAAAAAA==',
}

/** The same headers for each way in: JSON-RPC, a page, a WebSocket. */
const WAYS: readonly (readonly [string, string, string])[] = [
  [
    'POST /',
    head('', { Connection: 'close', ...JSON_HEADERS, 'Content-Length': BODY.length }),
    BODY,
  ],
  ['GET /health', head('', { Connection: 'close' }), ''],
  ['GET /', head('', UPGRADE), ''],
]

/** Lines of headers instead of an object, which holds each name once. */
function request(start: string, lines: readonly string[], rest: string, body: string): string {
  const [, ...others] = rest.split('\r\n')
  return [`${start} HTTP/1.1`, ...lines, ...others].join('\r\n') + body
}

test.each(WAYS)('error: %s with two hosts', async (start, rest, body) => {
  const { port, callers } = await startServer()
  for (const hosts of [
    ['Host: 127.0.0.1', 'Host: 127.0.0.1'],
    ['Host: 127.0.0.1', 'hOST: evil.example'],
    ['Host: evil.example', 'Host: 127.0.0.1'],
  ]) {
    const answer = await exchange(port, request(start, hosts, rest, body))
    expect(answer).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/)
    expect(answer).toContain('A request has one Host header (RFC 9112).')
  }
  expect(callers).toEqual([])
})

test.each(WAYS)(
  'error: %s with two origins, one of which is allowed',
  async (start, rest, body) => {
    const { port, callers } = await startServer()
    const lines = [
      'Host: 127.0.0.1',
      'Origin: http://localhost:3000',
      'Origin: https://evil.example',
    ]
    expect(await exchange(port, request(start, lines, rest, body))).toMatch(/^HTTP\/1\.1 403 /)
    expect(callers).toEqual([])
  },
)

test('error: two lengths of one body', async () => {
  const { port, callers } = await startServer()
  const length = `Content-Length: ${BODY.length}`
  const lines = ['Host: 127.0.0.1', 'Content-Type: application/json', length, length]
  expect(await exchange(port, request('POST /', lines, '\r\n\r\n', BODY))).toMatch(
    /^HTTP\/1\.1 400 Bad Request/,
  )
  expect(callers).toEqual([])
})

test.each(WAYS)('%s with an absolute target', async (start, rest, body) => {
  const { port } = await startServer()
  const [method = '', path = ''] = start.split(' ')
  const send = (target: string, host: string) =>
    exchange(port, request(`${method} ${target}`, [`Host: ${host}`], rest, body))
  // The host of the target counts, whatever the header says.
  expect(await send(`http://evil.example${path}`, '127.0.0.1')).toMatch(/^HTTP\/1\.1 403 /)
  expect(await send('evil', '127.0.0.1')).toMatch(/^HTTP\/1\.1 400 /)
  if (method === 'GET' && path === '/') return
  expect(await send(`http://127.0.0.1:${port}${path}`, 'evil.example')).toMatch(
    /^HTTP\/1\.1 200 OK/,
  )
})

test('a foreign page cannot load anything, and may link to everything', async () => {
  const { url } = await startServer()
  const status = async (path: string, headers: Record<string, string>) =>
    (await fetch(`${url}${path}`, { headers })).status
  const cross = { 'Sec-Fetch-Site': 'cross-site' }
  for (const path of ['/health', '/']) {
    for (const dest of ['image', 'script', 'iframe', 'empty']) {
      const load = { ...cross, 'Sec-Fetch-Dest': dest }
      expect(await status(path, load)).toBe(403)
      expect(await status(path, { ...load, Referer: 'https://evil.example/' })).toBe(403)
      expect(await status(path, { ...load, Referer: 'http://localhost:3000/' })).toBe(200)
    }
    const link = { ...cross, 'Sec-Fetch-Dest': 'document', Referer: 'https://evil.example/' }
    expect(await status(path, link)).toBe(200)
    expect(await status(path, { 'Sec-Fetch-Site': 'same-origin' })).toBe(200)
  }
})
