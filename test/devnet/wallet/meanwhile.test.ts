import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { WebSocket } from 'ws'
import { createDevnet } from '../../../devnet/index.ts'
import { resolveWalletOptions } from '../../../devnet/options/walletOptions.ts'
import { withDefaults } from '../../../devnet/server/limits.ts'
import { WalletHandle } from '../../../devnet/wallet/core/walletHandle.ts'
import { createControlApi } from '../../../devnet/wallet/http/controlApi.ts'
import { ALICE, askAt, BOB, chainOf, DAPP, NO_NODE, openSocket, startWallet } from './support.ts'

describe('one after the other', () => {
  test('a reset leaves no history, and withdraws what it answers', async () => {
    const { wallet, ask } = await startWallet({ policy: 'hold' })
    const asked = ask('eth_requestAccounts', [], DAPP)
    await wallet.waitFor()
    await wallet.reset()
    expect(await asked).toMatchObject({ error: { code: 4001, data: { reason: 'reset' } } })
    expect(await wallet.history()).toEqual([])
  })

  test('a request that is probing during a reset is not asked about after it', async () => {
    const gate = Promise.withResolvers<string>()
    const probe = vi.fn(() => gate.promise)
    const { wallet, ask } = await startWallet({ probe })
    const asked = ask('wallet_addEthereumChain', [chainOf('0x53a')])
    await expect.poll(() => probe.mock.calls.length).toBe(1)
    await wallet.reset()
    gate.resolve('0x53a')
    expect(await asked).toMatchObject({ error: { code: 4001, data: { reason: 'reset' } } })
    expect((await wallet.state()).chains).toHaveLength(1)
  })

  test('two batches with one id, approved together, are sent once', async () => {
    const { wallet, ask } = await startWallet({ policy: 'hold', autoConnect: true })
    const calls = {
      version: '2.0.0',
      chainId: '0x7a69',
      atomicRequired: false,
      id: 'same',
      calls: [{ to: BOB }],
    }
    const answers = [1, 2].map(() => ask('wallet_sendCalls', [calls], DAPP))
    await expect.poll(async () => (await wallet.pending()).length).toBe(2)
    await Promise.all((await wallet.pending()).map(({ id }) => wallet.approve(id)))
    expect(await Promise.all(answers)).toEqual(
      expect.arrayContaining([
        { result: { id: 'same' } },
        { error: expect.objectContaining({ code: 5720 }) },
      ]),
    )
  })

  test('a second approval, and one after the end, are told so', async () => {
    const { wallet, ask } = await startWallet({ policy: 'hold' })
    const asked = ask('eth_requestAccounts', [], DAPP)
    const { id } = await wallet.waitFor()
    const both = await Promise.allSettled([wallet.approve(id), wallet.approve(id)])
    expect(both.map(({ status }) => status)).toEqual(['fulfilled', 'rejected'])
    expect(await asked).toEqual({ result: [ALICE] })
    await expect(wallet.reject(id)).rejects.toMatchObject({ code: -32602 })
  })

  test('pages that are connected from the start can be disconnected', async () => {
    const { wallet, ask } = await startWallet({ autoConnect: true })
    const socket = await openSocket(wallet.url, DAPP)
    expect(await ask('eth_accounts', [], DAPP)).toEqual({ result: [ALICE] })
    expect((await wallet.state()).connections).toMatchObject([{ origin: DAPP }])
    await wallet.disconnect()
    expect(await ask('eth_accounts', [], DAPP)).toEqual({ result: [] })
    await expect.poll(() => socket.events).toEqual([{ name: 'accountsChanged', data: [] }])
  })

  test('an error that is no JSON is refused, and the request still waits', async () => {
    const { wallet, ask } = await startWallet({ policy: 'hold' })
    const asked = ask('eth_requestAccounts', [], DAPP)
    const { id } = await wallet.waitFor()
    await expect(wallet.reject(id, { data: 1n })).rejects.toMatchObject({ code: -32602 })
    await wallet.approve(id)
    expect(await asked).toEqual({ result: [ALICE] })
  })
})

/** The control API of a wallet without a node. */
async function startControl(): Promise<{ handle: WalletHandle; url: string }> {
  const fail = (error: unknown) => {
    throw error
  }
  const handle = new WalletHandle({
    settings: resolveWalletOptions({ policy: 'hold' }),
    createNode: () => NO_NODE,
    onInternalError: fail,
  })
  const api = createControlApi(handle, withDefaults({}), fail)
  const server = createServer((request, response) => api.handle(request, response))
  server.on('upgrade', (request, socket, head) => api.upgrade(request, socket, head))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    api.close()
    server.closeAllConnections()
    server.close()
  })
  // It listens at a port, so that this is no path.
  return { handle, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
}

describe('who waits', () => {
  test('waitFor ends when its client hangs up', async () => {
    const { handle, url } = await startControl()
    const session = (await handle.wallet()).session('waited')
    const question = {
      jsonrpc: '2.0',
      id: 1,
      method: 'control_waitFor',
      params: [{ session: 'waited', timeout: 2_000_000_000 }],
    }
    const controller = new AbortController()
    const waiting = fetch(url, {
      method: 'POST',
      signal: controller.signal,
      headers: {
        'Content-Type': 'application/json',
        Authorization: `Bearer ${handle.accessToken.text}`,
      },
      body: JSON.stringify(question),
    }).catch((error: unknown) => error)
    const socket = new WebSocket(url.replace('http', 'ws'))
    await new Promise((resolve) => socket.once('open', resolve))
    socket.send(JSON.stringify({ token: handle.accessToken.text }))
    socket.send(JSON.stringify(question))
    await expect.poll(() => session.isIdle(3) && !session.isIdle(2)).toBe(true)
    controller.abort()
    expect(await waiting).toBeInstanceOf(Error)
    await expect.poll(() => session.isIdle(2) && !session.isIdle(1)).toBe(true)
    socket.terminate()
    await expect.poll(() => session.isIdle(1)).toBe(true)
  })

  test('stop() ends what waits in this process, and answers what is held', async () => {
    const devnet = createDevnet({ port: 0, wallet: { policy: 'hold' } })
    await devnet.start()
    const held = askAt(devnet.wallet.url, 'eth_requestAccounts')
    await devnet.wallet.waitFor()
    const waited = devnet.wallet.waitFor({ method: 'personal_sign', timeout: 600_000 })
    waited.catch(() => undefined)
    // The command is under way when the first answer of another is here.
    await devnet.wallet.state()
    await devnet.stop()
    await expect(waited).rejects.toThrow('the node is stopping')
    expect(await held).toMatchObject({ error: { code: -32000 } })
  })
})

describe('nonces are those of the chain', () => {
  test.each(['evm_revert', 'hardhat_reset'])('after %s', async (method) => {
    const { devnet, ask } = await startWallet({ autoConnect: true }, { instant: true })
    const request = (name: string, params: unknown[] = []) =>
      devnet.provider.request({ method: name, params })
    const snapshot = await request('evm_snapshot')
    const send = async () => {
      const { result } = await ask('eth_sendTransaction', [{ to: BOB, value: '0x1' }], DAPP)
      return request('eth_getTransactionByHash', [result])
    }
    expect(await send()).toMatchObject({ nonce: '0x0' })
    expect(await send()).toMatchObject({ nonce: '0x1' })
    await request(method, method === 'evm_revert' ? [snapshot] : [])
    expect(await send()).toMatchObject({ nonce: '0x0' })
  })
})
