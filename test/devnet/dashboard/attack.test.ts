import { once } from 'node:events'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { WebSocket } from 'ws'
import { createDevnet, type Hex } from '../../../devnet/index.ts'
import { pageParts } from '../../support/pageParts.ts'
import {
  exchange,
  FOREIGN_SITES,
  head,
  JSON_HEADERS,
  openWebSocket,
  upgradeStatus,
} from '../server/support.ts'
import { post, startDashboard, tokenOf } from './support.ts'

const VIEWS = [
  '/',
  '/txs',
  `/tx/0x${'1'.repeat(64)}`,
  '/blocks',
  '/block/1',
  '/mempool',
  '/accounts',
  `/address/0x${'1'.repeat(40)}`,
  `/token/0x${'1'.repeat(40)}`,
  '/contracts',
  '/log',
]
const PARTS = pageParts('dashboard').all.map((name) => `/${name}`)
const PATHS = ['', ...VIEWS, ...PARTS, '/api']

/** Pages on this machine, which may call the node, but not its dashboard. */
const NEIGHBOURS = ['http://localhost:3000', 'http://127.0.0.1:3000', 'https://localhost:3000']

describe('who is let in', () => {
  test.each([...FOREIGN_SITES, ...NEIGHBOURS])('a page of %s gets in nowhere', async (origin) => {
    const { devnet, token } = await startDashboard({ allowOrigin: ['*'] })
    const url = `${devnet.url}/dashboard`
    for (const path of PATHS) {
      for (const method of ['GET', 'POST', 'OPTIONS', 'PUT']) {
        const response = await fetch(`${url}${path}`, {
          method,
          headers: { ...JSON_HEADERS, Origin: origin, Authorization: `Bearer ${token}` },
          ...(method === 'POST' ? { body: QUESTION } : {}),
        })
        expect([path, method, response.status]).toEqual([path, method, 403])
        expect(response.headers.has('access-control-allow-origin')).toBe(false)
        const text = await response.text()
        expect(text).not.toContain(token)
        expect(text).not.toMatch(/<|allow-origin/)
      }
      expect(await upgradeStatus(`${url}${path}`, { Origin: origin })).toBe(403)
    }
  })

  test('a name that is rebound to this machine gets in nowhere', async () => {
    const { devnet, token } = await startDashboard()
    const port = Number(new URL(devnet.url).port)
    const rebound = { Host: `evil.example:${port}`, Authorization: `Bearer ${token}` }
    const origin = `http://evil.example:${port}`
    for (const path of PATHS.map((one) => `/dashboard${one}`)) {
      const asked = head(`GET ${path}`, { ...rebound, Connection: 'close' })
      expect(await exchange(port, asked)).toMatch(/^HTTP\/1\.1 403 /)
      const sent = { ...rebound, ...JSON_HEADERS, Origin: origin, Connection: 'close' }
      const posted = head(`POST ${path}`, { ...sent, 'Content-Length': QUESTION.length }) + QUESTION
      expect(await exchange(port, posted)).toMatch(/^HTTP\/1\.1 403 /)
      expect(await upgradeStatus(`${devnet.url}${path}`, { ...rebound, Origin: origin })).toBe(403)
    }
  })

  test('another scheme or port of the same host is another origin', async () => {
    const { devnet, api, token } = await startDashboard()
    const { port } = new URL(devnet.url)
    const origins = [`https://127.0.0.1:${port}`, 'http://127.0.0.1', `http://localhost:${port}`]
    for (const origin of origins) {
      expect((await post(api, { method: 'state' }, token, { Origin: origin })).status).toBe(403)
      expect(await upgradeStatus(api, { Origin: origin })).toBe(403)
    }
    const own = await post(api, { method: 'state' }, token, { Origin: devnet.url })
    expect(own.status).toBe(200)
  })

  test.each(['cross-site', 'same-site', 'none'])(
    'the API refuses what a browser says is %s',
    async (site) => {
      const { api, token } = await startDashboard()
      const headers = { 'Sec-Fetch-Site': site }
      expect((await post(api, { method: 'state' }, token, headers)).status).toBe(403)
      expect(await upgradeStatus(api, headers)).toBe(403)
    },
  )

  test.each(['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x'])(
    'a form of type %s is not read',
    async (type) => {
      const { api, token, devnet } = await startDashboard()
      const seal = { method: 'command', params: { name: 'seal' } }
      const response = await post(api, seal, token, { 'Content-Type': type })
      expect(response.status).toBe(415)
      expect((await devnet.clock.status()).latest.number).toBe(0)
    },
  )

  test('the API wants the token, in a header', async () => {
    const { api, token, devnet } = await startDashboard()
    for (const value of ['', 'Bearer', 'Bearer wrong', `Basic ${token}`, token]) {
      const headers: Record<string, string> = value === '' ? {} : { Authorization: value }
      const response = await post(api, { method: 'state' }, undefined, headers)
      expect([response.status, response.headers.get('www-authenticate')]).toEqual([401, 'Bearer'])
    }
    for (const url of [`${api}?token=${token}`, `${api}?name=seal&method=command`]) {
      expect((await post(url, { method: 'state' }, undefined)).status).toBe(401)
      expect((await fetch(url)).status).toBe(405)
    }
    expect((await post(api, { method: 'state' }, devnet.wallet.token)).status).toBe(401)
    const approve = { method: 'control_state' }
    expect((await post(`${devnet.url}/wallet/control`, approve, token)).status).toBe(401)
  })

  test('a WebSocket is closed unless the first message is the token', async () => {
    const { api, token } = await startDashboard()
    for (const first of ['{}', 'x', '{"token":"wrong"}', QUESTION, `"${token}"`]) {
      const socket = await openWebSocket(api)
      const closed = new Promise((resolve) => socket.once('close', resolve))
      socket.send(first)
      expect(await closed).toBe(1008)
    }
    const socket = await openWebSocket(api)
    const answer = new Promise((resolve) => socket.once('message', (data) => resolve(String(data))))
    socket.send(JSON.stringify({ token }))
    socket.send(QUESTION)
    expect(JSON.parse(String(await answer))).toMatchObject({ result: { chainId: 31_337 } })
  })

  test('at most eight WebSockets are admitted, and those without a token take no place', async () => {
    const { api, token } = await startDashboard()
    const admit = async (socket: WebSocket) => {
      socket.send(JSON.stringify({ token }))
      socket.send(QUESTION)
      await once(socket, 'message')
    }
    const strangers = await Promise.all(Array.from({ length: 20 }, () => openWebSocket(api)))
    const admitted: WebSocket[] = []
    for (let count = 0; count < 8; count++) {
      const socket = await openWebSocket(api)
      admitted.push(socket)
      await admit(socket)
    }
    expect(await upgradeStatus(api, {})).toBe(503)
    const [stranger, other] = strangers
    if (stranger === undefined || other === undefined) throw new Error('No strangers')
    stranger.send(JSON.stringify({ token }))
    const [code, reason] = await once(stranger, 'close')
    expect([code, String(reason)]).toEqual([
      1013,
      'The node has 8 WebSocket connections, which is its limit; close another first.',
    ])
    // A place that is given back is there for the next.
    admitted[0]?.close()
    await expect.poll(() => upgradeStatus(api, {})).toBe(101)
    await admit(other)
  })

  test('a node that a program starts has a token for itself, and keeps none on the disk', async () => {
    const first = await startDashboard()
    const second = await startDashboard()
    expect(first.token).not.toBe(second.token)
    expect((await post(second.api, { method: 'state' }, first.token)).status).toBe(401)
  })
})

describe('page', () => {
  test('no framing, no foreign code, no token in it', async () => {
    const { devnet, token } = await startDashboard()
    for (const path of [...VIEWS, ...PARTS]) {
      const response = await fetch(`${devnet.url}/dashboard${path}`)
      expect([path, response.status]).toEqual([path, 200])
      expect(Object.fromEntries(response.headers)).toMatchObject({
        'content-security-policy': POLICY,
        'x-frame-options': 'DENY',
        'x-content-type-options': 'nosniff',
        'referrer-policy': 'no-referrer',
        'cross-origin-opener-policy': 'same-origin',
        'cross-origin-resource-policy': 'same-origin',
        'cache-control': PARTS.includes(path) ? 'max-age=31536000, immutable' : 'no-store',
      })
      expect(response.headers.has('access-control-allow-origin')).toBe(false)
      expect(response.headers.has('set-cookie')).toBe(false)
      expect(await response.text()).not.toContain(token)
    }
  })

  test('any site may link to a view, and none may load it', async () => {
    const { devnet } = await startDashboard()
    const status = async (path: string, site: string, dest: string) => {
      const headers = {
        'Sec-Fetch-Site': site,
        'Sec-Fetch-Dest': dest,
        'Sec-Fetch-Mode': 'no-cors',
      }
      return (await fetch(`${devnet.url}/dashboard${path}`, { headers })).status
    }
    for (const site of ['cross-site', 'same-site']) {
      expect(await status('/txs', site, 'document')).toBe(200)
      for (const dest of ['iframe', 'script', 'image', 'empty', 'object', 'style']) {
        for (const path of ['/txs', ...PARTS]) {
          expect([path, dest, await status(path, site, dest)]).toEqual([path, dest, 403])
        }
      }
    }
    for (const path of PARTS) {
      expect(await status(path, 'same-origin', 'script')).toBe(200)
    }
  })

  test('only the paths of views are answered', async () => {
    const { devnet } = await startDashboard()
    const url = `${devnet.url}/dashboard`
    for (const path of ['/x', '/tx/', '/tx/a/b', '/tx/<b>', '/txs/', '/page.html', '/TXS']) {
      expect([path, (await fetch(`${url}${path}`)).status]).toEqual([path, 404])
    }
    const redirect = await fetch(url, { redirect: 'manual' })
    expect([redirect.status, redirect.headers.get('location')]).toEqual([302, '/dashboard/'])
    expect((await fetch(`${url}/`, { method: 'DELETE' })).status).toBe(405)
    expect((await fetch(`${devnet.url}/dashboards`)).status).toBe(404)
  })
})

test('no key of an account is in any answer, and no token', async () => {
  const mnemonic = `${'abandon '.repeat(11)}about`
  const { devnet, ask, rpc, token } = await startDashboard({ mnemonic })
  const [from] = devnet.accounts.map(({ address }) => address)
  if (from === undefined) throw new Error('It has accounts')
  const hash = (await rpc('eth_sendTransaction', { from, to: from })) as Hex
  const heard = [
    await ask('mempool', {}),
    await ask('command', { name: 'tick' }),
    await ask('state', {}),
    await ask('strip', {}),
    await ask('transactions', {}),
    await ask('transaction', { hash }),
    await ask('raw', { hash }),
    await ask('trace', { hash }),
    await ask('block', { id: 'pending' }),
    await ask('accounts', {}),
    await ask('address', { address: from }),
    await ask('contracts', {}),
    await ask('log', {}),
    await ask('resolve', { text: from }),
  ]
  const all = JSON.stringify(heard)
  expect(all).not.toContain(mnemonic)
  expect(all).not.toContain(token)
  expect(all).not.toContain(devnet.wallet.token)
  for (const { privateKey } of devnet.accounts) expect(all).not.toContain(privateKey.slice(2))
})

describe('calls of contracts', () => {
  const [from, to] = [`0x${'1'.repeat(40)}`, `0x${'2'.repeat(40)}`] as const
  const CALL = { address: to, function: 'f(uint256)', args: ['1'], from }
  const METHODS = ['send', 'simulate', 'encode', 'read', 'contract'] as const

  test('each wants the token, and a page of its own origin', async () => {
    const { api, token, devnet } = await startDashboard({ allowOrigin: ['*'] })
    for (const method of METHODS) {
      const question = { method, params: CALL }
      expect((await post(api, question, undefined)).status).toBe(401)
      expect((await post(api, question, devnet.wallet.token)).status).toBe(401)
      for (const Origin of NEIGHBOURS) {
        expect((await post(api, question, token, { Origin })).status).toBe(403)
      }
      const form = { 'Content-Type': 'text/plain' }
      expect((await post(api, question, token, form)).status).toBe(415)
    }
    expect((await devnet.clock.status()).mempool).toMatchObject({ runnable: 0, waiting: 0 })
  })

  test.each([
    { ...CALL, value: 1 },
    { ...CALL, gas: '0x1' },
    { ...CALL, data: '0x12345678' },
    { ...CALL, method: 'hardhat_setBalance' },
    { ...CALL, from: 'Account #0' },
    { ...CALL, address: null },
    { ...CALL, args: 'x' },
    { ...CALL, args: [1] },
    { ...CALL, args: [{ length: 1 }] },
    JSON.parse(`{"address":"${to}","function":"f()","args":[],"__proto__":{"from":"${from}"}}`),
    [],
    'send',
  ])('nothing else is sent: %j', async (params) => {
    const { ask, devnet } = await startDashboard()
    await expect(ask('send', params as never)).rejects.toMatchObject({
      code: expect.toSatisfy((code: unknown) => code === -32602 || code === -32000),
    })
    expect((await devnet.clock.status()).mempool).toMatchObject({ runnable: 0, waiting: 0 })
  })

  test('arguments that are nested deeply are refused in words', async () => {
    const { ask, api, token } = await startDashboard()
    let nested: unknown = '1'
    for (let depth = 0; depth < 10; depth++) nested = [nested]
    await expect(ask('send', { ...CALL, args: [nested] as never })).rejects.toMatchObject({
      code: -32602,
      message: expect.stringContaining('at most 8 deep'),
    })
    const deepest = `${'['.repeat(30_000)}1${']'.repeat(30_000)}`
    const body = `{"jsonrpc":"2.0","id":1,"method":"send","params":${JSON.stringify(CALL)}}`
    const response = await fetch(api, {
      method: 'POST',
      headers: { ...JSON_HEADERS, Authorization: `Bearer ${token}` },
      body: body.replace('["1"]', deepest),
    })
    expect(((await response.json()) as { error: { code: number } }).error.code).toBeLessThan(0)
    // It still answers.
    expect(await ask('state', {})).toMatchObject({ chainId: 31_337 })
  })
})

test('a body over 64 KiB is refused, and so is a message to the WebSocket', async () => {
  const { api, token } = await startDashboard()
  const text = 'x'.repeat(70_000)
  expect((await post(api, { method: 'resolve', params: { text } }, token)).status).toBe(413)
  const socket = await openWebSocket(api)
  const closed = new Promise((resolve) => socket.once('close', resolve))
  socket.send(JSON.stringify({ token: text }))
  expect(await closed).toBe(1009)
})

test('without a dashboard there is nothing at its path', async () => {
  const devnet = createDevnet({ port: 0, noDashboard: true })
  await devnet.start()
  onTestFinished(() => devnet.stop())
  expect((await fetch(`${devnet.url}/dashboard/`)).status).toBe(404)
  expect(() => devnet.dashboard).toThrow('without its dashboard')
})

test('the environment can set the token, which must be hard to guess', async () => {
  const name = 'PENDING_NODE_DASHBOARD_TOKEN'
  onTestFinished(() => {
    delete process.env[name]
  })
  process.env[name] = 'short'
  await expect(createDevnet({ port: 0 }).start()).rejects.toThrow(`${name} must have at least 16`)
  process.env[name] = 'a-token-for-a-container'
  const { devnet, ask } = await startDashboard()
  expect(tokenOf(devnet)).toBe('a-token-for-a-container')
  expect(await ask('state', {})).toMatchObject({ chainId: 31_337 })
})

const QUESTION = '{"jsonrpc":"2.0","id":1,"method":"state","params":{}}'

const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'"
