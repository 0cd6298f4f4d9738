import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createDevnet } from '../../../devnet/index.ts'
import { chainOf, DAPP, openSocket, startWallet } from './support.ts'

const ADD = 'wallet_addEthereumChain'
const SWITCH = 'wallet_switchEthereumChain'
const CHAIN = '0x53a'
/** Offline, and every RPC URL is of the chain. */
const probe = async () => CHAIN

describe('request', () => {
  test('default: the chain is added once, and stays inactive', async () => {
    const { ask, wallet } = await startWallet({ probe })
    expect(await ask(ADD, [chainOf(CHAIN)])).toEqual({ result: null })
    expect(await ask(ADD, [chainOf(CHAIN, { chainName: 'Renamed' })])).toEqual({ result: null })
    const { chains, activeChain } = await wallet.state()
    expect(chains.map(({ chainId, chainName }) => [chainId, chainName])).toEqual([
      ['0x7a69', 'Devnet'],
      [CHAIN, 'Renamed'],
    ])
    expect(activeChain).toBe('0x7a69')
  })

  test.each([
    [{ chainId: 1338 }, 'chainId', 'type', 1338],
    [{ chainId: '0x053a' }, 'chainId', 'format', '0x053a'],
    [{ chainId: '0x10000000000000' }, 'chainId', 'range', '0x10000000000000'],
    [{ chainName: '' }, 'chainName', 'length', ''],
    [{ chainName: 'x'.repeat(101) }, 'chainName', 'length', `${'x'.repeat(100)}…`],
    [{ nativeCurrency: undefined }, 'nativeCurrency', 'missing', undefined],
    [{ nativeCurrency: null }, 'nativeCurrency', 'type', null],
    [
      { nativeCurrency: { name: 'A', symbol: 'TWELVELETTER', decimals: 18 } },
      'nativeCurrency.symbol',
      'length',
      'TWELVELETTER',
    ],
    [
      { nativeCurrency: { name: 'A', symbol: 'A', decimals: 256 } },
      'nativeCurrency.decimals',
      'range',
      256,
    ],
    [{ rpcUrls: [] }, 'rpcUrls', 'range', '[]'],
    [{ rpcUrls: ['https://a.test', 7] }, 'rpcUrls[1]', 'type', 7],
    [{ rpcUrls: ['ftp://a.test'] }, 'rpcUrls[0]', 'scheme', 'ftp://a.test'],
    [{ rpcUrls: ['javascript:alert(1)'] }, 'rpcUrls[0]', 'scheme', 'javascript:alert(1)'],
    [{ rpcUrls: ['http://10.0.0.1/'] }, 'rpcUrls[0]', 'scheme', 'http://10.0.0.1/'],
    [{ rpcUrls: ['https://u:p@a.test'] }, 'rpcUrls[0]', 'format', 'https://u:p@a.test'],
    [{ rpcUrls: Array(21).fill('https://a.test') }, 'rpcUrls', 'range', expect.any(String)],
    [{ iconUrls: ['http://a.test/i.png'] }, 'iconUrls[0]', 'scheme', 'http://a.test/i.png'],
  ])('%o is refused before anybody is asked', async (fields, field, reason, received) => {
    const { ask, wallet } = await startWallet({ probe, policy: 'hold' })
    const { error } = await ask(ADD, [chainOf(CHAIN, fields)])
    expect(error).toEqual({
      code: -32602,
      message: expect.stringMatching(/^Invalid params: .+ must be .+\.$/),
      data: received === undefined ? { field, reason } : { field, reason, received },
    })
    expect(error?.message).toContain(field)
    expect(await wallet.pending()).toEqual([])
    expect(await wallet.history()).toMatchObject([{ decision: 'invalid', answer: { error } }])
  })

  test.each([[], ['0x1'], [null], {}, null])('params %o are refused', async (...params) => {
    const { ask } = await startWallet({ probe })
    expect(await ask(ADD, params)).toMatchObject({ error: { code: -32602 } })
  })

  test.each([
    [{ nativeCurrency: { name: 'A', symbol: 'A', decimals: '18' } }, 'an integer, not a string'],
    [{ nativeCurrency: { name: 'A', symbol: 5, decimals: 18 } }, ', not a number'],
    [{ nativeCurrency: [] }, ', not a list'],
    [{ rpcUrls: {} }, ', not an object'],
    [{ rpcUrls: [null] }, ', not null'],
  ])('%j: the message says the type that was given', async (fields, words) => {
    const { ask } = await startWallet({ probe })
    const { error } = await ask(ADD, [chainOf(CHAIN, fields)])
    expect(error).toMatchObject({ code: -32602, data: { reason: 'type' } })
    expect(error?.message).toContain(`${words}.`)
  })

  test('the first problem is reported, in the order of the fields', async () => {
    const { ask } = await startWallet({ probe })
    const { error } = await ask(ADD, [{ rpcUrls: [], chainName: '', chainId: 5 }])
    expect(error).toMatchObject({ data: { field: 'chainId' } })
  })

  test('what a person declines has the asked code and message', async () => {
    const { ask } = await startWallet({ probe, policy: 'reject' })
    expect(await ask(ADD, [chainOf(CHAIN)])).toEqual({
      error: { code: 4001, message: 'User rejected the request' },
    })
  })

  test('unknown and unsupported have the asked codes and messages', async () => {
    const { ask } = await startWallet({ probe, addableChains: ['0x5'] })
    const unknown = { code: 4902, message: 'Unrecognized chain ID' }
    expect(await ask(ADD, [chainOf(CHAIN)])).toMatchObject({ error: unknown })
    expect(await ask(SWITCH, [{ chainId: CHAIN }])).toMatchObject({ error: unknown })
    expect(await ask('wallet_scanQRCode')).toEqual({
      error: {
        code: 4100,
        message: 'Requested method not supported',
        data: { kind: 'unsupported', method: 'wallet_scanQRCode' },
      },
    })
  })

  test('args: unsupportedMethodCode', async () => {
    const { ask } = await startWallet({ unsupportedMethodCode: 4200 })
    expect(await ask('wallet_scanQRCode')).toMatchObject({ error: { code: 4200 } })
  })

  test('the node endpoint says where the wallet is', async () => {
    const { devnet, wallet } = await startWallet()
    await expect(
      devnet.provider.request({ method: ADD, params: [chainOf(CHAIN)] }),
    ).rejects.toMatchObject({ code: -32601, message: expect.stringContaining(wallet.url) })
  })
})

describe('profile', () => {
  const local = { rpcUrls: ['http://127.0.0.1:8546'] }

  test('args: devnet takes http of this machine, any decimals and unknown fields', async () => {
    const { ask } = await startWallet({ probe })
    const currency = { nativeCurrency: { name: 'A', symbol: 'A', decimals: 6 } }
    const chain = chainOf(CHAIN, { ...local, ...currency, extra: 1 })
    expect(await ask(ADD, [chain])).toEqual({ result: null })
  })

  test('args: eip3085 takes no http, needs no name, and asks about the active chain too', async () => {
    const { ask, wallet } = await startWallet({
      profile: 'eip3085',
      probe: async (url) => (url.includes('devnet') ? '0x7a69' : CHAIN),
    })
    expect(await ask(ADD, [chainOf(CHAIN, local)])).toMatchObject({
      error: { code: -32602, data: { field: 'rpcUrls[0]', reason: 'scheme' } },
    })
    expect(await ask(ADD, [{ chainId: CHAIN, rpcUrls: ['https://a.test'] }])).toEqual({
      result: null,
    })
    await wallet.policy({ default: 'reject' })
    const active = { chainId: '0x7a69', rpcUrls: ['https://devnet.test'] }
    expect(await ask(ADD, [active])).toMatchObject({ error: { code: 4001 } })
  })

  test('args: metamask takes 18 decimals, short symbols, no unknown field, one good URL', async () => {
    const { ask } = await startWallet({ profile: 'metamask', probe })
    const refused = async (fields: object, field: string) => {
      const answer = await ask(ADD, [chainOf(CHAIN, { ...fields })])
      expect(answer).toMatchObject({ error: { code: -32602, data: { field } } })
    }
    await refused(
      { nativeCurrency: { name: 'A', symbol: 'A', decimals: 6 } },
      'nativeCurrency.decimals',
    )
    await refused(
      { nativeCurrency: { name: 'A', symbol: 'SEVENLT', decimals: 18 } },
      'nativeCurrency.symbol',
    )
    await refused({ extra: 1 }, 'params[0]')
    await refused({ rpcUrls: ['http://a.test'] }, 'rpcUrls')
    await refused({ blockExplorerUrls: [] }, 'blockExplorerUrls')
    const mixed = { rpcUrls: ['invalid', 'https://a.test'], nativeCurrency: null }
    expect(await ask(ADD, [chainOf(CHAIN, mixed)])).toEqual({ result: null })
  })

  test('args: metamask shows one such prompt at a time for each page', async () => {
    const { ask, wallet } = await startWallet({ profile: 'metamask', policy: 'hold', probe })
    const first = ask(ADD, [chainOf(CHAIN)], DAPP)
    const { id } = await wallet.waitFor()
    expect(await ask(ADD, [chainOf(CHAIN)], DAPP)).toMatchObject({ error: { code: -32002 } })
    await wallet.approve(id)
    expect(await first).toEqual({ result: null })
  })
})

describe('probe', () => {
  test('default: a real node is asked', async () => {
    const { ask } = await startWallet()
    const other = createDevnet({ port: 0, chainId: 0x53a, frozenTicks: true })
    await other.start()
    onTestFinished(() => other.stop())
    const rpcUrls = [other.url]
    expect(await ask(ADD, [chainOf('0x53b', { rpcUrls })])).toEqual({
      error: expect.objectContaining({
        code: -32602,
        data: { field: 'rpcUrls[0]', reason: 'mismatch', received: other.url },
      }),
    })
    expect(await ask(ADD, [chainOf(CHAIN, { rpcUrls })])).toEqual({ result: null })
    // Through a name that only means this machine.
    const named = [other.url.replace('127.0.0.1', 'chain.localhost')]
    expect(await ask(ADD, [chainOf(CHAIN, { rpcUrls: named })])).toEqual({ result: null })
    await other.stop()
    expect(await ask(ADD, [chainOf(CHAIN, { rpcUrls })])).toMatchObject({
      error: { code: -32602, data: { field: 'rpcUrls', reason: 'unreachable' } },
    })
  })

  test('one that answers is enough, one that differs is too much', async () => {
    const { ask, wallet } = await startWallet({
      policy: 'hold',
      async probe(url) {
        if (url.includes('down')) throw new Error('down')
        return url.includes('wrong') ? '0x1' : CHAIN
      },
    })
    const urls = ['https://down.test', 'https://good.test']
    expect(
      await ask(ADD, [chainOf(CHAIN, { rpcUrls: [...urls, 'https://wrong.test'] })]),
    ).toMatchObject({ error: { code: -32602, data: { field: 'rpcUrls[2]', reason: 'mismatch' } } })
    const asked = ask(ADD, [chainOf(CHAIN, { rpcUrls: urls })])
    const { id, summary } = await wallet.waitFor()
    expect(summary.warnings).toContain('https://down.test does not answer.')
    await wallet.approve(id)
    expect(await asked).toEqual({ result: null })
  })

  test('a chain unknown to the wallet is warned of, unless all its RPCs are on this machine', async () => {
    const { ask, wallet } = await startWallet({ policy: 'reject', probe: async () => CHAIN })
    const here = ['http://127.0.0.1:8546', 'http://localhost:8547', 'http://[::1]:8548']
    for (const rpcUrls of [here, [...here, 'https://rpc.test']]) {
      expect(await ask(ADD, [chainOf(CHAIN, { rpcUrls })])).toMatchObject({ error: { code: 4001 } })
    }
    expect((await wallet.history()).map(({ summary }) => summary.warnings)).toEqual([
      [],
      [expect.stringContaining('The wallet does not know chain')],
    ])
  })

  test('args: false asks nobody, and says so', async () => {
    const { ask, wallet } = await startWallet({ probe: false, policy: 'hold' })
    const asked = ask(ADD, [chainOf(CHAIN)])
    const { id, summary } = await wallet.waitFor()
    expect(summary.warnings).toContain('https://rpc.test was not asked for its chain ID.')
    await wallet.approve(id)
    expect(await asked).toEqual({ result: null })
  })

  test('in CI, public hosts are left alone and this machine is asked', async () => {
    const { createProbe } = await import('../../../devnet/wallet/core/probe.ts')
    const probeInCi = createProbe(undefined, true)
    expect(await probeInCi('https://rpc.test', CHAIN)).toBe('not asked')
    const server = createServer((_request, response) => response.end('{"result":"0x53a"}'))
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => void server.close())
    // It listens at a port, so that this is no path.
    const { port } = server.address() as AddressInfo
    expect(await probeInCi(`http://127.0.0.1:${port}`, CHAIN)).toBe('match')
    expect(await probeInCi(`http://127.0.0.1:${port}`, '0x53b')).toBe('mismatch')
  })
})

describe('switchAfterAdd', () => {
  test.each([
    ['stay', '0x7a69'],
    ['switch', CHAIN],
    ['decline', '0x7a69'],
  ] as const)('args: %s, and the flow of MetaMask’s clients', async (switchAfterAdd, active) => {
    const { wallet } = await startWallet({ switchAfterAdd, probe })
    const socket = await openSocket(wallet.url, DAPP)
    // As wagmi and web3-onboard do: switch, on 4902 add, then switch again.
    expect(await socket.ask(SWITCH, [{ chainId: CHAIN }])).toMatchObject({ error: { code: 4902 } })
    expect(await socket.ask(ADD, [chainOf(CHAIN)])).toEqual({ result: null })
    expect(await socket.ask('eth_chainId')).toEqual({ result: active })
    expect(await socket.ask(SWITCH, [{ chainId: CHAIN }])).toEqual({ result: null })
    expect(await socket.ask('eth_chainId')).toEqual({ result: CHAIN })
    expect(socket.events).toEqual([{ name: 'chainChanged', data: CHAIN }])
  })

  test('default: switch where the page has the provider script', async () => {
    const { wallet, ask } = await startWallet({ probe })
    await ask('wallet_getProviderState', [], DAPP)
    await ask(ADD, [chainOf(CHAIN)], 'http://localhost:4000')
    expect((await wallet.state()).activeChain).toBe('0x7a69')
    await ask(ADD, [chainOf(CHAIN)], DAPP)
    expect((await wallet.state()).activeChain).toBe(CHAIN)
  })

  test('the result comes before the events that it causes', async () => {
    const { wallet } = await startWallet({ switchAfterAdd: 'switch', policy: 'hold', probe })
    const socket = await openSocket(wallet.url, DAPP)
    const added = socket.ask(ADD, [chainOf(CHAIN)])
    const { id } = await wallet.waitFor()
    await wallet.approve(id)
    await added
    await socket.ask('eth_chainId')
    expect(socket.order).toEqual(['#1', 'chainChanged', '#2'])
  })
})

test('whether a chain is known cannot be told from a refusal', async () => {
  const { ask } = await startWallet({
    probe: false,
    policy: 'reject',
    knownChains: [
      { chainId: '0x2105', symbol: 'ETH' },
      { chainId: CHAIN, symbol: 'TEST' },
    ],
  })
  const known = await ask(ADD, [chainOf(CHAIN)])
  expect(known).toEqual({ error: { code: 4001, message: 'User rejected the request' } })
  expect(await ask(ADD, [chainOf('0x53b')])).toEqual(known)
})
