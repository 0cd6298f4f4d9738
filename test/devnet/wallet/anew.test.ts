import { describe, expect, test, vi } from 'vitest'
import { createDevnet, type Hex } from '../../../devnet/index.ts'
import { openPage } from './provider/fakePage.ts'
import { ALICE, BOB, openSocket, startWallet } from './support.ts'

const FROZEN = { frozen: true, frozenTicks: true }
const CALLS = {
  version: '2.0.0',
  chainId: '0x7a69',
  from: ALICE,
  atomicRequired: false,
  calls: [{ to: BOB, value: '0x1' }],
}

describe('the chain begins anew', () => {
  test.each(['hardhat_reset', 'hardhat_loadState'])('by %s: pages hear of it', async (method) => {
    const { devnet, wallet } = await startWallet({}, FROZEN)
    using page = openPage(wallet.url)
    const provider = page.listen()
    await provider.request({ method: 'eth_requestAccounts' })
    const before = (await devnet.clock.status()).instanceId
    const dump = await devnet.provider.request({ method: 'hardhat_dumpState' })
    const params = method === 'hardhat_reset' ? [] : [dump]
    await devnet.provider.request({ method, params })
    await vi.waitFor(() => expect(page.events.at(-1)).toEqual(['chainChanged', '0x7a69']))
    expect(page.events).toEqual([
      ['connect', { chainId: '0x7a69' }],
      ['accountsChanged', [ALICE]],
      ['disconnect', expect.objectContaining({ code: 1013, message: 'The chain has begun anew.' })],
      ['connect', { chainId: '0x7a69' }],
      ['chainChanged', '0x7a69'],
    ])
    expect(provider.isConnected()).toBe(true)
    // It stays connected.
    expect(await provider.request({ method: 'eth_accounts' })).toEqual([ALICE])
    expect((await devnet.clock.status()).instanceId).not.toBe(before)
  })

  test('by a restart at the same port: pages hear of it', async () => {
    const { devnet, wallet } = await startWallet({}, FROZEN)
    using page = openPage(wallet.url)
    const provider = page.listen()
    await provider.request({ method: 'eth_chainId' })
    const port = Number(new URL(devnet.url).port)
    await devnet.stop()
    await using again = createDevnet({ port, wallet: {}, ...FROZEN })
    await again.start()
    await vi.waitFor(() => expect(page.events.at(-1)).toEqual(['chainChanged', '0x7a69']), 15_000)
    expect(page.events.map(([name]) => name)).toEqual([
      'connect',
      'disconnect',
      'connect',
      'chainChanged',
    ])
  })

  test('a page on another chain hears nothing, and a revert is no new beginning', async () => {
    const { devnet, wallet } = await startWallet(
      {
        knownChains: [
          { chainId: '0x7a69', symbol: 'ETH' },
          { chainId: '0x5', symbol: 'ETH', rpcUrls: ['http://127.0.0.1:1'] },
        ],
      },
      FROZEN,
    )
    const socket = await openSocket(wallet.url)
    await socket.ask('eth_requestAccounts')
    const id = await devnet.provider.request({ method: 'evm_snapshot' })
    const { instanceId } = await devnet.clock.status()
    await devnet.provider.request({ method: 'evm_revert', params: [id] })
    expect((await devnet.clock.status()).instanceId).toBe(instanceId)
    await wallet.switchChain('0x5')
    await devnet.provider.request({ method: 'hardhat_reset' })
    await socket.ask('eth_accounts')
    expect(socket.events.map(({ name }) => name)).toEqual(['accountsChanged', 'chainChanged'])
  })

  test('batches on it are unknown then', async () => {
    const { ask, devnet } = await startWallet({}, FROZEN)
    await ask('eth_requestAccounts')
    await ask('wallet_sendCalls', [{ ...CALLS, id: 'one' }])
    expect(await ask('wallet_getCallsStatus', ['one'])).toMatchObject({ result: { status: 100 } })
    await devnet.provider.request({ method: 'hardhat_reset' })
    expect(await ask('wallet_getCallsStatus', ['one'])).toMatchObject({ error: { code: 5730 } })
    expect(await ask('wallet_sendCalls', [{ ...CALLS, id: 'one' }])).toEqual({
      result: { id: 'one' },
    })
  })
})

test('history and nonces follow a revert', async () => {
  const { ask, devnet, wallet } = await startWallet({}, FROZEN)
  await ask('eth_requestAccounts')
  const send = (value: string) => ask('eth_sendTransaction', [{ from: ALICE, to: BOB, value }])
  await send('0x1')
  await devnet.clock.advance({ blocks: 1 })
  const id = await devnet.provider.request({ method: 'evm_snapshot' })
  await send('0x2')
  const sent = () => wallet.history({ method: 'eth_sendTransaction' })
  expect((await sent()).map(({ isTakenBack }) => isTakenBack)).toEqual([undefined, undefined])
  await devnet.provider.request({ method: 'evm_revert', params: [id] })
  expect((await sent()).map(({ isTakenBack }) => isTakenBack)).toEqual([undefined, true])
  const { result } = await send('0x3')
  await devnet.clock.advance({ blocks: 1 })
  const hash = String(result)
  const again = await devnet.provider.request({
    method: 'eth_getTransactionByHash',
    params: [hash],
  })
  expect(again).toMatchObject({ nonce: '0x1' satisfies Hex, blockNumber: '0x2' })
})
