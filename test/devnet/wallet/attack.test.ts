import { describe, expect, onTestFinished, test } from 'vitest'
import { createDevnet } from '../../../devnet/index.ts'
import { pageParts } from '../../support/pageParts.ts'
import { exchange, FOREIGN_SITES, head, JSON_HEADERS, upgradeStatus } from '../server/support.ts'
import { askAt, DAPP, post, startWallet } from './support.ts'

const QUESTION = { jsonrpc: '2.0', id: 1, method: 'eth_chainId' }
const PAGE = ['/wallet/', ...pageParts('wallet').all.map((name) => `/wallet/${name}`)]
const PATHS = ['/wallet', '/wallet/s/a', '/wallet/control', ...PAGE, '/wallet/provider.js']

describe('who is let in', () => {
  test.each(FOREIGN_SITES)('a page of %s gets in nowhere', async (origin) => {
    const { devnet, wallet } = await startWallet()
    for (const path of PATHS) {
      for (const method of ['GET', 'POST', 'OPTIONS']) {
        const response = await fetch(`${devnet.url}${path}`, {
          method,
          headers: { ...JSON_HEADERS, Origin: origin, Authorization: `Bearer ${wallet.token}` },
          ...(method === 'POST' ? { body: JSON.stringify(QUESTION) } : {}),
        })
        expect([path, method, response.status]).toEqual([path, method, 403])
        expect(response.headers.has('access-control-allow-origin')).toBe(false)
        expect(await response.text()).not.toContain(wallet.token)
      }
      expect(await upgradeStatus(`${devnet.url}${path}`, { Origin: origin })).toBe(403)
    }
    expect(await wallet.history()).toEqual([])
  })

  test('a name that is rebound to this machine gets in nowhere', async () => {
    const { devnet } = await startWallet()
    const port = Number(new URL(devnet.url).port)
    for (const path of PATHS) {
      const rebound = { Host: `evil.example:${port}`, Connection: 'close' }
      const origin = `http://evil.example:${port}`
      expect(await exchange(port, head(`GET ${path}`, rebound))).toMatch(/^HTTP\/1\.1 403 /)
      const asked = head(`POST ${path}`, { ...rebound, Origin: origin, 'Content-Length': 0 })
      expect(await exchange(port, asked)).toMatch(/^HTTP\/1\.1 403 /)
      const headers = { Host: `evil.example:${port}`, Origin: origin }
      expect(await upgradeStatus(`${devnet.url}${path}`, headers)).toBe(403)
    }
  })

  test.each(['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x'])(
    'a form of type %s is not read',
    async (type) => {
      const { devnet, wallet } = await startWallet()
      for (const path of ['/wallet', '/wallet/control']) {
        const response = await fetch(`${devnet.url}${path}`, {
          method: 'POST',
          headers: { 'Content-Type': type, Authorization: `Bearer ${wallet.token}` },
          body: JSON.stringify({ ...QUESTION, method: 'eth_requestAccounts' }),
        })
        expect(response.status).toBe(415)
      }
      expect(await wallet.history()).toEqual([])
    },
  )

  test('the control API wants the token, and no page has it', async () => {
    const { devnet, wallet, ask } = await startWallet({ policy: 'hold' })
    void ask('eth_requestAccounts', [], DAPP)
    const { id } = await wallet.waitFor()
    const url = `${devnet.url}/wallet/control`
    const approve = { ...QUESTION, method: 'control_approve', params: [{ id }] }
    for (const value of ['', 'Bearer', 'Bearer wrong', `Basic ${wallet.token}`, wallet.token]) {
      const headers: Record<string, string> = value === '' ? {} : { Authorization: value }
      const response = await post(url, approve, undefined, headers)
      expect([response.status, response.headers.get('www-authenticate')]).toEqual([401, 'Bearer'])
    }
    // A page that got hold of the token, on an origin that may use the wallet, and before it a preflight.
    const headers = { Authorization: `Bearer ${wallet.token}` }
    expect((await post(url, approve, DAPP, headers)).status).toBe(403)
    expect(await upgradeStatus(url, { Origin: DAPP })).toBe(403)
    const preflight = await fetch(url, { method: 'OPTIONS', headers: { Origin: DAPP } })
    expect([preflight.status, preflight.headers.has('access-control-allow-origin')]).toEqual([
      403,
      false,
    ])
    expect(await wallet.pending()).toHaveLength(1)
    // Nor does the endpoint for dApps take commands.
    expect(await ask('control_approve', [{ id }])).toMatchObject({ error: { code: 4100 } })
  })

  test('--allow-origin * opens the endpoint, not the control API', async () => {
    const { devnet, wallet } = await startWallet({}, { allowOrigin: ['*'] })
    const origin = 'https://app.example'
    const response = await post(wallet.url, QUESTION, origin)
    expect([response.status, response.headers.get('access-control-allow-origin')]).toEqual([
      200,
      origin,
    ])
    const headers = { Authorization: `Bearer ${wallet.token}` }
    expect((await post(`${devnet.url}/wallet/control`, QUESTION, origin, headers)).status).toBe(403)
  })

  test('an allowed page may read, without credentials', async () => {
    const { wallet } = await startWallet()
    const preflight = await fetch(wallet.url, { method: 'OPTIONS', headers: { Origin: DAPP } })
    expect(Object.fromEntries(preflight.headers)).toMatchObject({
      'access-control-allow-origin': DAPP,
      'access-control-allow-methods': 'POST',
      'access-control-allow-headers': 'content-type',
      vary: 'Origin',
    })
    expect(preflight.headers.has('access-control-allow-credentials')).toBe(false)
  })
})

describe('approval page', () => {
  test('no framing, no foreign code, no token in it', async () => {
    const { devnet, wallet } = await startWallet()
    for (const path of PAGE) {
      const response = await fetch(`${devnet.url}${path}`)
      expect(response.status).toBe(200)
      expect(response.headers.get('x-frame-options')).toBe('DENY')
      expect(response.headers.get('content-security-policy')).toMatch(
        /default-src 'none'.*frame-ancestors 'none'/,
      )
      expect(response.headers.has('access-control-allow-origin')).toBe(false)
      expect(await response.text()).not.toContain(wallet.token)
    }
    const redirect = await fetch(`${devnet.url}/wallet`, { redirect: 'manual' })
    expect([redirect.status, redirect.headers.get('location')]).toEqual([302, '/wallet/'])
    for (const path of ['/wallet/x', '/wallet/s/', '/wallet/s/a%2e', '/wallet/../health']) {
      expect((await fetch(`${devnet.url}${path}`)).status).toBe(path.includes('..') ? 200 : 404)
    }
    expect((await fetch(`${devnet.url}/wallet/`, { method: 'DELETE' })).status).toBe(405)
  })

  test('script in every field stays text, in JSON that no browser sniffs for more', async () => {
    const { ask, wallet, devnet } = await startWallet({ policy: 'hold', probe: false })
    const script = '<script>alert(1)</script>'
    const chain = {
      chainId: '0x53a',
      chainName: script,
      nativeCurrency: { name: script, symbol: '<b>X</b>', decimals: 18 },
      rpcUrls: [`https://rpc.test/?${script}`],
      blockExplorerUrls: [`https://a.test/#${script}`],
      iconUrls: [`https://a.test/"onerror=${script}`],
      [script]: script,
    }
    const asked = ask('wallet_addEthereumChain', [chain], DAPP)
    const { id, params, summary } = await wallet.waitFor()
    expect(params).toEqual([chain])
    expect(summary.fields).toContainEqual({ label: 'Network', value: script })
    const response = await post(
      `${devnet.url}/wallet/control`,
      { ...QUESTION, method: 'control_pending' },
      undefined,
      { Authorization: `Bearer ${wallet.token}` },
    )
    expect(response.headers.get('content-type')).toBe('application/json')
    await wallet.approve(id)
    expect(await asked).toEqual({ result: null })
    for (const refused of [script, { [script]: 1 }, [script]]) {
      expect(await ask('wallet_addEthereumChain', [refused])).toMatchObject({
        error: { code: -32602 },
      })
    }
    expect(await ask(script)).toMatchObject({ error: { code: 4100 } })
  })
})

test('no key of an account is in any answer', async () => {
  const mnemonic = `${'abandon '.repeat(11)}about`
  const { devnet, wallet } = await startWallet({ policy: 'approve' }, { mnemonic })
  const heard: string[] = []
  const listen = (answer: unknown) => heard.push(JSON.stringify(answer))
  for (const method of [
    'eth_requestAccounts',
    'wallet_getPermissions',
    'wallet_getProviderState',
    'eth_sendTransaction',
    'personal_sign',
    'eth_exportPrivateKey',
    'wallet_exportMnemonic',
  ]) {
    listen(await askAt(wallet.url, method, [{ from: devnet.accounts[0]?.address, to: null }]))
  }
  listen(await wallet.state())
  listen(await wallet.history())
  listen(await wallet.providerScript())
  for (const path of [...PAGE, '/wallet/provider.js']) {
    listen(await (await fetch(`${devnet.url}${path}`)).text())
  }
  const all = heard.join('\n')
  expect(all).not.toContain(mnemonic)
  for (const { privateKey } of devnet.accounts) expect(all).not.toContain(privateKey.slice(2))
})

test('foreign pages cannot load the provider script, and so do not learn of the node', async () => {
  const { wallet } = await startWallet()
  const site = { 'Sec-Fetch-Site': 'cross-site', 'Sec-Fetch-Mode': 'no-cors' }
  const load = (headers: Record<string, string>) => fetch(`${wallet.url}/provider.js`, { headers })
  // Browsers shorten http://2130706433 to what it is: http://127.0.0.1.
  for (const page of FOREIGN_SITES.filter((one) => one !== 'null' && one !== 'http://2130706433')) {
    const response = await load({ ...site, Referer: `${page}/` })
    expect(response.status, page).toBe(403)
    expect(await response.text()).not.toContain('ethereum')
  }
  // A page can hide where it is; it cannot pretend to be somewhere else.
  expect((await load(site)).status).toBe(403)
  for (const headers of [
    { ...site, Referer: 'http://localhost:5173/' },
    { ...site, Origin: 'http://localhost:5173' },
    { 'Sec-Fetch-Site': 'same-origin' },
    { 'Sec-Fetch-Site': 'same-site' },
    {},
  ]) {
    expect((await load(headers)).status, JSON.stringify(headers)).toBe(200)
  }
})

test('without a wallet there is nothing at its path', async () => {
  const devnet = createDevnet({ port: 0, noWallet: true })
  await devnet.start()
  onTestFinished(() => devnet.stop())
  expect((await fetch(`${devnet.url}/wallet/`)).status).toBe(404)
  await expect(
    devnet.provider.request({ method: 'wallet_addEthereumChain', params: [] }),
  ).rejects.toMatchObject({ code: -32601 })
})
