import { describe, expect, test } from 'vitest'
import { exchange, head, JSON_HEADERS, requestText, startServer } from './support.ts'

const PAGE = 'http://localhost:3000'
const CHAIN_ID = requestText('eth_chainId')

/** Status and headers, without those of every answer; `undefined` headers are left out of the request. */
async function send(
  port: number,
  start: string,
  given: Readonly<Record<string, string | undefined>>,
): Promise<[number, Record<string, string>, string]> {
  const body = start.startsWith('POST') ? CHAIN_ID : ''
  const headers = Object.entries({
    Host: 'localhost',
    Connection: 'close',
    ...(body === '' ? undefined : { ...JSON_HEADERS, 'Content-Length': String(body.length) }),
    ...given,
  }).filter((entry): entry is [string, string] => entry[1] !== undefined)
  const answer = await exchange(port, head(start, Object.fromEntries(headers)) + body)
  const [top = '', text = ''] = answer.split('\r\n\r\n')
  const [status = '', ...lines] = top.split('\r\n')
  const named = lines.map((line) => [line.slice(0, line.indexOf(':')), line.split(': ')[1] ?? ''])
  const { Date: _date, Connection: _connection, ...rest } = Object.fromEntries(named)
  return [Number(status.split(' ')[1]), rest, text]
}

describe('pages that are let in', () => {
  test('default: the answer names the one origin', async () => {
    const { port } = await startServer()
    expect(await send(port, 'POST /', { Origin: PAGE })).toEqual([
      200,
      {
        'Access-Control-Allow-Origin': PAGE,
        Vary: 'Origin',
        'Content-Type': 'application/json',
        'Content-Length': '42',
      },
      '{"jsonrpc":"2.0","id":1,"result":"0x7a69"}',
    ])
  })

  test('no CORS headers for others than pages', async () => {
    const { port } = await startServer()
    const [status, headers] = await send(port, 'POST /', {})
    expect([status, headers]).toEqual([
      200,
      { 'Content-Type': 'application/json', 'Content-Length': '42' },
    ])
  })

  test('preflight', async () => {
    const { port } = await startServer()
    const asked = {
      Origin: PAGE,
      'Access-Control-Request-Method': 'POST',
      'Access-Control-Request-Headers': 'content-type,x-other',
    }
    const allowed = {
      Allow: 'POST, OPTIONS',
      'Access-Control-Allow-Origin': PAGE,
      'Access-Control-Allow-Methods': 'POST',
      'Access-Control-Allow-Headers': 'content-type',
      'Access-Control-Max-Age': '7200',
      Vary: 'Origin',
    }
    expect(await send(port, 'OPTIONS /', asked)).toEqual([204, allowed, ''])
    const fromPublicSite = { ...asked, 'Access-Control-Request-Private-Network': 'true' }
    expect(await send(port, 'OPTIONS /', fromPublicSite)).toEqual([
      204,
      { ...allowed, 'Access-Control-Allow-Private-Network': 'true' },
      '',
    ])
  })

  test('OPTIONS of others than pages', async () => {
    const { port } = await startServer()
    expect(await send(port, 'OPTIONS *', {})).toEqual([204, { Allow: 'POST, OPTIONS' }, ''])
  })

  test('errors can be read by the page', async () => {
    const { port } = await startServer({ maxBodySize: 10 })
    const origin = { 'Access-Control-Allow-Origin': PAGE, Vary: 'Origin' }
    expect(await send(port, 'POST /', { Origin: PAGE })).toMatchObject([
      413,
      origin,
      expect.stringContaining('-32005'),
    ])
    expect(
      await send(port, 'POST /', { Origin: PAGE, 'Content-Type': 'text/plain' }),
    ).toMatchObject([415, origin, expect.stringContaining('curl')])
  })

  test('args: allowOrigin, allowHost', async () => {
    const { port } = await startServer({
      allowOrigin: ['https://app.example'],
      allowHost: ['devnet'],
    })
    const headers = { Origin: 'https://app.example', Host: `devnet:${port}` }
    const [status, answered] = await send(port, 'POST /', headers)
    expect([status, answered['Access-Control-Allow-Origin']]).toEqual([200, 'https://app.example'])
  })

  test('methods learn who asks, so that pages get no control methods', async () => {
    const { url } = await startServer()
    const ask = async (method: string, headers: Record<string, string>): Promise<unknown> => {
      const options = { method: 'POST', headers, body: requestText(method) }
      return (await fetch(url, options)).json()
    }
    expect(await ask('test_origin', { ...JSON_HEADERS, Origin: PAGE })).toMatchObject({
      result: PAGE,
    })
    expect(await ask('test_origin', JSON_HEADERS)).toMatchObject({ result: null })
    expect(await ask('evm_mine', { ...JSON_HEADERS, Origin: PAGE })).toMatchObject({
      error: { code: -32000 },
    })
    expect(await ask('evm_mine', JSON_HEADERS)).toMatchObject({ result: '0x0' })
  })
})

describe.each([
  ['POST /', 'JSON-RPC'],
  ['OPTIONS /', 'preflight'],
  ['GET /health', 'page'],
  ['OPTIONS /health', 'preflight of a page'],
])('strangers: %s', (start) => {
  test.each([
    [
      'a foreign Origin',
      { Origin: 'https://evil.example' },
      /^Origin "https:\/\/evil.example" is not/,
    ],
    ['the null Origin', { Origin: 'null' }, /^Origin "null" is not/],
    ['two Origins', { Origin: `${PAGE}, https://evil.example` }, /^Origin /],
    [
      'a foreign Host',
      { Host: 'evil.example' },
      /^Host "evil.example" is not allowed; .*--allow-host/,
    ],
    [
      'a rebound name',
      { Host: 'evil.example:8545', Origin: 'http://evil.example:8545' },
      /^Host "evil.example:8545" is not/,
    ],
    ['an allowed Origin to a foreign Host', { Host: 'evil.example', Origin: PAGE }, /^Host /],
  ])('%s is refused without CORS headers', async (_, headers, sentence) => {
    const { port } = await startServer()
    const [status, answered, text] = await send(port, start, headers)
    expect([status, Object.keys(answered)]).toEqual([403, ['Content-Type', 'Content-Length']])
    expect(text).toMatch(sentence)
  })

  test('HTTP/1.0 without Host is refused, and HTTP/1.1 is malformed without', async () => {
    const { port } = await startServer()
    expect(await exchange(port, `${start} HTTP/1.0\r\n\r\n`)).toMatch(/^HTTP\/1\.1 403/)
    expect(await exchange(port, `${start} HTTP/1.1\r\nConnection: close\r\n\r\n`)).toMatch(
      /^HTTP\/1\.1 400/,
    )
  })
})
