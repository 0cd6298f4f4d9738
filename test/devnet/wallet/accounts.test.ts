import { describe, expect, test } from 'vitest'
import { ALICE, BOB, DAPP, openSocket, startWallet } from './support.ts'

const OTHER = 'http://localhost:4000'

describe('connecting', () => {
  test('default', async () => {
    const { ask } = await startWallet()
    expect(await ask('eth_accounts', [], DAPP)).toEqual({ result: [] })
    expect(await ask('eth_requestAccounts', [], DAPP)).toEqual({ result: [ALICE] })
    expect(await ask('eth_accounts', [], DAPP)).toEqual({ result: [ALICE] })
    // Each origin is connected by itself.
    expect(await ask('eth_accounts', [], OTHER)).toEqual({ result: [] })
    expect(await ask('eth_accounts')).toEqual({ result: [] })
  })

  test('one that is connected is not asked again', async () => {
    const { ask, wallet } = await startWallet()
    await ask('eth_requestAccounts', [], DAPP)
    await wallet.policy({ default: 'reject' })
    expect(await ask('eth_requestAccounts', [], DAPP)).toEqual({ result: [ALICE] })
    expect(await wallet.history({ origin: DAPP })).toMatchObject([
      { decision: 'approved' },
      { decision: 'automatic' },
    ])
  })

  test('a person chooses the account', async () => {
    const { ask, wallet } = await startWallet({ policy: 'hold' })
    const asked = ask('eth_requestAccounts', [], DAPP)
    const { id } = await wallet.waitFor({ method: 'eth_requestAccounts' })
    await wallet.approve(id, { account: BOB })
    expect(await asked).toEqual({ result: [BOB] })
  })

  test('args: autoConnect', async () => {
    const { ask } = await startWallet({ autoConnect: true })
    expect(await ask('eth_accounts', [], DAPP)).toEqual({ result: [ALICE] })
    await ask('wallet_revokePermissions', [{ eth_accounts: {} }], DAPP)
    expect(await ask('eth_accounts', [], DAPP)).toEqual({ result: [] })
  })

  test('a wallet without accounts says what to do', async () => {
    const { ask } = await startWallet({}, { accounts: 0 })
    expect(await ask('eth_requestAccounts')).toMatchObject({
      error: { code: -32000, message: expect.stringContaining('--accounts') },
    })
  })
})

describe('permissions', () => {
  test('default', async () => {
    const { ask } = await startWallet()
    expect(await ask('wallet_getPermissions', [], DAPP)).toEqual({ result: [] })
    const granted = await ask('wallet_requestPermissions', [{ eth_accounts: {} }], DAPP)
    expect(granted).toEqual({
      result: [
        {
          invoker: DAPP,
          parentCapability: 'eth_accounts',
          date: expect.any(Number),
          caveats: [{ type: 'restrictReturnedAccounts', value: [ALICE] }],
        },
      ],
    })
    expect(await ask('wallet_getPermissions', [], DAPP)).toEqual(granted)
    const revoke = [{ eth_accounts: {} }]
    expect(await ask('wallet_revokePermissions', revoke, DAPP)).toEqual({ result: null })
    expect(await ask('wallet_getPermissions', [], DAPP)).toEqual({ result: [] })
  })

  test('permissions that there are not are refused', async () => {
    const { ask } = await startWallet()
    for (const params of [[], [{}], [{ eth_sign: {} }], [{ eth_accounts: {}, other: {} }]]) {
      expect(await ask('wallet_requestPermissions', params)).toMatchObject({
        error: { code: -32602 },
      })
    }
  })
})

describe('events', () => {
  test('default: each page hears of its own accounts, after the result', async () => {
    const { wallet } = await startWallet()
    const page = await openSocket(wallet.url, DAPP)
    const other = await openSocket(wallet.url, OTHER)
    await page.ask('eth_requestAccounts')
    await other.ask('eth_requestAccounts')
    await page.ask('wallet_revokePermissions', [{ eth_accounts: {} }])
    await page.ask('eth_accounts')
    expect(page.order).toEqual(['#1', 'accountsChanged', '#2', 'accountsChanged', '#3'])
    expect(page.events.map(({ data }) => data)).toEqual([[ALICE], []])
    expect(other.events.map(({ data }) => data)).toEqual([[ALICE]])
  })

  test('another selected account', async () => {
    const { wallet } = await startWallet()
    const page = await openSocket(wallet.url, DAPP)
    const other = await openSocket(wallet.url, OTHER)
    await page.ask('eth_requestAccounts')
    await wallet.switchAccount(BOB)
    expect(await page.ask('eth_accounts')).toEqual({ result: [BOB] })
    expect(page.events.map(({ data }) => data)).toEqual([[ALICE], [BOB]])
    expect(await other.ask('eth_accounts')).toEqual({ result: [] })
    expect(other.events).toEqual([])
    expect((await wallet.state()).accounts[0]).toBe(BOB)
  })

  test('disconnect and reset', async () => {
    const { wallet } = await startWallet()
    const page = await openSocket(wallet.url, DAPP)
    await page.ask('eth_requestAccounts')
    await wallet.disconnect({ origin: OTHER })
    await wallet.disconnect({ origin: DAPP })
    await page.ask('eth_requestAccounts')
    await wallet.disconnect()
    await page.ask('eth_requestAccounts')
    await wallet.switchAccount(BOB)
    await wallet.reset()
    expect(await page.ask('eth_accounts')).toEqual({ result: [] })
    expect(page.events.map(({ data }) => data)).toEqual([
      [ALICE],
      [],
      [ALICE],
      [],
      [ALICE],
      [BOB],
      [],
    ])
    expect((await wallet.state()).accounts[0]).toBe(ALICE)
  })

  test('what a page subscribes to comes as message', async () => {
    const { wallet, devnet } = await startWallet()
    const page = await openSocket(wallet.url, DAPP)
    const { result: subscription } = await page.ask('eth_subscribe', ['newHeads'])
    await devnet.clock.advance({ blocks: 1 })
    await page.ask('eth_chainId')
    expect(page.events).toEqual([
      {
        name: 'message',
        data: {
          type: 'eth_subscription',
          data: { subscription, result: expect.objectContaining({ number: '0x1' }) },
        },
      },
    ])
    expect(await page.ask('eth_unsubscribe', [subscription])).toEqual({ result: true })
    expect(await page.ask('eth_unsubscribe', [subscription])).toEqual({ result: false })
  })
})

describe('sessions', () => {
  test('they do not see each other', async () => {
    const { wallet, ask } = await startWallet({
      knownChains: [
        { chainId: '0x7a69', symbol: 'ETH' },
        { chainId: '0x1', symbol: 'ETH' },
      ],
    })
    const other = wallet.session('worker-1')
    expect(other.url).toBe(`${wallet.url}/s/worker-1`)
    const socket = await openSocket(other.url, DAPP)
    await other.policy({ default: 'hold' })
    const asked = socket.ask('eth_requestAccounts')
    const { id, session } = await other.waitFor()
    expect(session).toBe('worker-1')
    expect(await wallet.pending()).toEqual([])
    await expect(wallet.approve(id)).rejects.toMatchObject({ code: -32602 })
    await other.approve(id)
    await asked
    await ask('wallet_switchEthereumChain', [{ chainId: '0x1' }], DAPP)
    expect(await socket.ask('eth_chainId')).toEqual({ result: '0x7a69' })
    expect(await ask('eth_accounts', [], DAPP)).toEqual({ result: [] })
    expect(await wallet.history()).toMatchObject([{ method: 'wallet_switchEthereumChain' }])
    expect(await other.history()).toMatchObject([{ method: 'eth_requestAccounts' }])
    expect(socket.events.map(({ name }) => name)).toEqual(['accountsChanged'])
  })
})
