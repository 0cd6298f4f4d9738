import { expect, test, vi } from 'vitest'
import { openPage } from './fakePage.ts'
import { ALICE, STATE, startFakeWallet } from './fakeWallet.ts'

test('default: state, connect, and requests over one connection', async () => {
  await using wallet = await startFakeWallet(
    (method, params) => ({ method, params }),
    () => ({ ...STATE, accounts: [ALICE] }),
  )
  using page = openPage(wallet.url)
  const provider = page.listen()
  expect(provider).toMatchObject({ chainId: null, networkVersion: null, selectedAddress: null })
  expect(provider.isConnected()).toBe(false)
  const found: unknown[] = []
  provider.on('connect', () => found.push(provider.chainId, provider.isConnected()))

  // Asked before the connection is open: it waits.
  const { request } = provider
  expect(await request({ method: 'eth_call', params: [{}, 'latest'] })).toEqual({
    method: 'eth_call',
    params: [{}, 'latest'],
  })
  expect(await request({ method: 'eth_chainId' })).toEqual({ method: 'eth_chainId' })
  expect(wallet.asked).toEqual(['wallet_getProviderState', 'eth_call', 'eth_chainId'])
  expect(provider).toMatchObject({
    chainId: '0x7a69',
    networkVersion: '31337',
    selectedAddress: ALICE,
  })
  expect(provider.isConnected()).toBe(true)
  expect(page.events).toEqual([['connect', { chainId: '0x7a69' }]])
  expect(found).toEqual(['0x7a69', true])
})

test('the events come in order, once each', async () => {
  await using wallet = await startFakeWallet()
  using page = openPage(wallet.url)
  const provider = page.listen()
  await provider.request({ method: 'wallet_switchEthereumChain' })
  const message = { type: 'eth_subscription', data: { subscription: '0x1', result: {} } }
  wallet.push('chainChanged', '0x1')
  wallet.push('chainChanged', '0x1')
  wallet.push('accountsChanged', [ALICE])
  wallet.push('accountsChanged', [])
  wallet.push('accountsChanged', [])
  wallet.push('message', message)
  await vi.waitFor(() => expect(page.events.at(-1)).toEqual(['message', message]))
  expect(page.events).toEqual([
    ['connect', { chainId: '0x7a69' }],
    ['chainChanged', '0x1'],
    ['accountsChanged', [ALICE]],
    ['accountsChanged', []],
    ['message', message],
  ])
  expect(provider).toMatchObject({ chainId: '0x1', networkVersion: '1', selectedAddress: null })
})

test('what the wallet refuses is an Error with code and data', async () => {
  await using wallet = await startFakeWallet((method) => {
    throw method === 'bare'
      ? { code: 4001, message: 'No' }
      : { code: 4902, message: 'Who?', data: 1 }
  })
  using page = openPage(wallet.url)
  const bare = await page.provider.request({ method: 'bare' }).catch((error: unknown) => error)
  expect(bare).toBeInstanceOf(Error)
  expect(bare).toMatchObject({ name: 'ProviderRpcError', code: 4001, message: 'No' })
  expect(bare).not.toHaveProperty('data')
  await expect(page.provider.request({ method: 'full' })).rejects.toMatchObject({
    code: 4902,
    data: 1,
  })
})

test.each<[string, unknown]>([
  ['nothing', undefined],
  ['null', null],
  ['a text', 'eth_accounts'],
  ['an array', [{ method: 'eth_accounts' }]],
  ['no method', {}],
  ['an empty method', { method: '' }],
  ['a number as method', { method: 1 }],
  ['a text as params', { method: 'eth_call', params: 'latest' }],
  ['null as params', { method: 'eth_call', params: null }],
  ['a bigint in params', { method: 'eth_call', params: [1n] }],
])('args: request() of %s is refused before the wallet sees it', async (_, call) => {
  await using wallet = await startFakeWallet()
  using page = openPage(wallet.url)
  await expect(page.provider.request(call)).rejects.toMatchObject({ code: -32602 })
  expect(wallet.asked.slice(1)).toEqual([])
})

test('an answer nested as deep as a trace arrives', async () => {
  let deep: unknown = 'leaf'
  for (let level = 0; level < 2_000; level++) deep = [deep]
  await using wallet = await startFakeWallet(() => deep)
  using page = openPage(wallet.url)
  const answer = await page.provider.request({ method: 'debug_traceTransaction' })
  expect(JSON.stringify(answer)).toBe(JSON.stringify(deep))
})

test('listeners as those of EventEmitter, without emit', async () => {
  await using wallet = await startFakeWallet()
  using page = openPage(wallet.url)
  const { provider } = page
  const heard: string[] = []
  const hear = (name: string) => () => heard.push(name)
  const [twice, gone, never] = [hear('twice'), hear('gone'), hear('never')]
  const { on, once } = provider
  expect(on('chainChanged', twice).addListener('chainChanged', twice)).toBe(provider)
  once('chainChanged', hear('once'))
  provider.on('chainChanged', () => {
    throw new Error('of the page')
  })
  provider.on('chainChanged', gone).on('chainChanged', never).removeListener('chainChanged', never)
  provider.on('accountsChanged', never).removeAllListeners('accountsChanged')
  expect(provider).not.toHaveProperty('emit')
  expect(() => provider.on('connect', undefined as never)).toThrow(TypeError)

  await provider.request({ method: 'eth_chainId' })
  wallet.push('chainChanged', '0x1')
  await vi.waitFor(() => expect(heard).toEqual(['twice', 'twice', 'once', 'gone']))
  expect(page.reported).toEqual([new Error('of the page')])
  provider.off('chainChanged', twice).off('chainChanged', gone)
  wallet.push('accountsChanged', [ALICE])
  wallet.push('chainChanged', '0x2')
  await vi.waitFor(() => expect(heard).toEqual(['twice', 'twice', 'once', 'gone', 'twice']))
})
