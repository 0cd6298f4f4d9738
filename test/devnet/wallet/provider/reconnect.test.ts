import { expect, test, vi } from 'vitest'
import { openPage } from './fakePage.ts'
import { ALICE, STATE, startFakeWallet } from './fakeWallet.ts'

test('a lost connection ends what waits, and is opened again with what changed', async () => {
  let state: object = STATE
  await using wallet = await startFakeWallet(
    (method) => (method === 'held' ? new Promise(() => {}) : method),
    () => state,
  )
  using page = openPage(wallet.url)
  const provider = page.listen()
  await provider.request({ method: 'eth_chainId' })
  const held = provider.request({ method: 'held' })
  held.catch(() => undefined)
  await vi.waitFor(() => expect(wallet.asked).toContain('held'))
  state = { ...STATE, accounts: [ALICE], chainId: '0x1', networkVersion: '1' }
  wallet.drop()
  await expect(held).rejects.toMatchObject({ code: 4900 })
  expect(provider.isConnected()).toBe(false)
  await vi.waitFor(() => expect(page.events).toHaveLength(5))
  expect(page.events).toEqual([
    ['connect', { chainId: '0x7a69' }],
    ['disconnect', expect.objectContaining({ name: 'ProviderRpcError', code: 1006 })],
    ['connect', { chainId: '0x1' }],
    ['chainChanged', '0x1'],
    ['accountsChanged', [ALICE]],
  ])
  expect(await provider.request({ method: 'eth_chainId' })).toBe('eth_chainId')
})

test('without a wallet, requests end with 4900 and say what to do', async () => {
  const wallet = await startFakeWallet()
  await wallet[Symbol.asyncDispose]()
  using page = openPage(wallet.url)
  const provider = page.listen()
  await expect(provider.request({ method: 'eth_chainId' })).rejects.toMatchObject({
    code: 4900,
    message: expect.stringMatching(/is the node running.*--allow-origin/),
  })
  expect(page.events).toEqual([])
})

test('an event of disconnection that the wallet pushes', async () => {
  await using wallet = await startFakeWallet()
  using page = openPage(wallet.url)
  const provider = page.listen()
  await provider.request({ method: 'eth_chainId' })
  wallet.push('disconnect', { code: 1013, message: 'Try again later' })
  await vi.waitFor(() => expect(provider.isConnected()).toBe(false))
  expect(page.events.at(-1)).toEqual(['disconnect', expect.any(Error)])
  wallet.push('connect', { chainId: '0x7a69' })
  wallet.push('connect', { chainId: '0x7a69' })
  await vi.waitFor(() => expect(provider.isConnected()).toBe(true))
  expect(page.events.map(([name]) => name)).toEqual(['connect', 'disconnect', 'connect'])
})

test('where no WebSocket is let through, it posts, and looks at the state for events', async () => {
  let state: object = STATE
  await using wallet = await startFakeWallet(
    (method) => {
      state = { ...STATE, accounts: [ALICE] }
      return method
    },
    () => state,
  )
  wallet.admitsSockets = false
  using page = openPage(wallet.url)
  const provider = page.listen()
  expect(await provider.request({ method: 'eth_requestAccounts' })).toBe('eth_requestAccounts')
  page.events.push(['result', null])
  await vi.waitFor(() => expect(page.events).toHaveLength(3))
  expect(page.events).toEqual([
    ['connect', { chainId: '0x7a69' }],
    ['result', null],
    ['accountsChanged', [ALICE]],
  ])
  // Nobody asks: the look at the state that is due every second finds it.
  state = { ...STATE, chainId: '0x1' }
  await vi.waitFor(() => expect(page.events.at(-1)).toEqual(['accountsChanged', []]), {
    timeout: 3_000,
  })
  expect(page.events.at(-2)).toEqual(['chainChanged', '0x1'])
})

test('args: bridge: the page opens no connection of its own', async () => {
  await using wallet = await startFakeWallet()
  using page = openPage('http://127.0.0.1:1/wallet', { bridge: 'toWallet' })
  const bodies: string[] = []
  Reflect.set(page, 'toWallet', async (body: string) => {
    bodies.push(body)
    const response = await fetch(wallet.url, { method: 'POST', body })
    return response.text()
  })
  expect(await page.provider.request({ method: 'eth_chainId' })).toBe('answer of eth_chainId')
  expect(bodies).toHaveLength(2)
})
