import { Router } from 'express'
import { describe, expect, test } from 'vitest'
import { JSON_HEADERS, requestText, startServer } from './support.ts'

async function get(url: string, method = 'GET'): Promise<[number, string]> {
  const response = await fetch(url, { method })
  return [response.status, await response.text()]
}

const BODY = requestText('eth_chainId')

describe('app', () => {
  test('default', async () => {
    const { url } = await startServer()
    const response = await fetch(`${url}/health`)
    expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8')
    expect(response.headers.has('x-powered-by')).toBe(false)
    expect([response.status, await response.json()]).toEqual([200, { status: 'ok' }])
    expect(await get(`${url}/health?x=1`, 'HEAD')).toEqual([200, ''])
  })

  test('args: health', async () => {
    let latest = 0
    const { url } = await startServer({ health: () => ({ latest: latest++ }) })
    expect(await get(`${url}/health`)).toEqual([200, '{"status":"ok","latest":0}'])
    expect(await get(`${url}/health`)).toEqual([200, '{"status":"ok","latest":1}'])
  })

  test('the rest says where to go', async () => {
    const { url } = await startServer()
    expect(await get(url)).toEqual([200, 'JSON-RPC: POST or WebSocket here; health: GET /health\n'])
    expect(await get(`${url}/other`)).toEqual([
      404,
      'Nothing here; JSON-RPC: POST or WebSocket at /; health: GET /health\n',
    ])
    expect(await get(url, 'PUT')).toEqual([405, 'PUT is not answered here: JSON-RPC takes POST.\n'])
    const response = await fetch(`${url}/health`, {
      method: 'POST',
      body: BODY,
      headers: JSON_HEADERS,
    })
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'GET'])
    expect(await get(`${url}/%E0%A4%A`)).toEqual([
      404,
      'Nothing here; JSON-RPC: POST or WebSocket at /; health: GET /health\n',
    ])
  })

  test('args: routes', async () => {
    let loads = 0
    const { url, serverErrors } = await startServer({
      routes: [
        {
          path: '/wallet',
          async load() {
            loads++
            const router = Router()
            router.get('/wallet', (_request, response) => void response.send('page'))
            router.post('/wallet/approve', (_request, response) => void response.send('approved'))
            router.get(
              '/wallet/item/:name',
              (request, response) => void response.send(request.params.name),
            )
            router.get('/wallet/broken', () => {
              throw new Error('broken page')
            })
            return { router, upgrade: () => undefined, close: () => undefined }
          },
        },
      ],
    })
    expect((await get(`${url}/health`))[0]).toBe(200)
    expect(loads).toBe(0)
    expect(await get(`${url}/wallet`)).toEqual([200, 'page'])
    expect(await get(`${url}/wallet/approve`, 'POST')).toEqual([200, 'approved'])
    expect(await get(`${url}/wallet/other`, 'POST')).toMatchObject([405, expect.any(String)])
    expect(await get(`${url}/wallet/item/%E0%A4%A`)).toEqual([400, 'Malformed request.\n'])
    expect(serverErrors).toEqual([])
    expect(await get(`${url}/wallet/broken`)).toEqual([500, 'Internal error.\n'])
    expect(serverErrors).toEqual([new Error('broken page')])
    const rpc = await fetch(`${url}/wallets`, { method: 'POST', body: BODY, headers: JSON_HEADERS })
    expect(await rpc.json()).toMatchObject({ result: '0x7a69' })
    expect(loads).toBe(1)
  })

  test('preflights of pages get no CORS headers', async () => {
    const { url } = await startServer()
    const headers = { Origin: 'http://localhost:3000', 'Access-Control-Request-Method': 'POST' }
    const response = await fetch(`${url}/health`, { method: 'OPTIONS', headers })
    expect(response.headers.has('access-control-allow-origin')).toBe(false)
  })

  test('a page that cannot be loaded is an internal error, and JSON-RPC goes on', async () => {
    let isBroken = true
    const { url, serverErrors } = await startServer({
      routes: [
        {
          path: '/wallet',
          async load() {
            if (isBroken) throw new Error('no template')
            return { router: Router(), upgrade: () => undefined, close: () => undefined }
          },
        },
      ],
    })
    expect(await get(`${url}/wallet`)).toEqual([500, 'The node cannot show this page.\n'])
    expect(serverErrors).toEqual([new Error('no template')])
    const rpc = await fetch(url, { method: 'POST', body: BODY, headers: JSON_HEADERS })
    expect(rpc.status).toBe(200)
    expect((await get(`${url}/health`))[0]).toBe(200)
    isBroken = false
    expect((await get(`${url}/wallet`))[0]).toBe(404)
  })
})
