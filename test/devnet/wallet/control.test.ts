import { once } from 'node:events'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { WebSocket } from 'ws'
import { createDevnet } from '../../../devnet/index.ts'
import {
  ALICE,
  type Answer,
  BOB,
  chainOf,
  DAPP,
  post,
  startWallet,
  type TestWallet,
} from './support.ts'

/** A command over HTTP, with the token. */
async function command(
  { wallet }: Pick<TestWallet, 'wallet'>,
  method: string,
  params: unknown = {},
  origin?: string,
): Promise<Answer> {
  const body = { jsonrpc: '2.0', id: 1, method, params: [params] }
  const response = await post(`${new URL(wallet.url).origin}/wallet/control`, body, origin, {
    Authorization: `Bearer ${wallet.token}`,
  })
  expect(response.status).toBe(200)
  expect(response.headers.has('access-control-allow-origin')).toBe(false)
  // The control API answers so.
  const { result, error } = (await response.json()) as Answer
  return error === undefined ? { result } : { error }
}

describe('over HTTP', () => {
  test('default: a held request is approved', async () => {
    const test = await startWallet({ policy: 'hold', probe: false })
    const asked = test.ask('wallet_addEthereumChain', [chainOf('0x53a')], DAPP)
    const { result } = await command(test, 'control_waitFor', { method: 'wallet_addEthereumChain' })
    expect(result).toEqual({
      id: '1',
      session: 'default',
      method: 'wallet_addEthereumChain',
      params: [chainOf('0x53a')],
      origin: DAPP,
      received: expect.any(Number),
      deadline: expect.any(Number),
      summary: {
        title: 'Add a network',
        detail: 'Test Chain',
        fields: expect.arrayContaining([{ label: 'Chain ID', value: '1338 (0x53a)' }]),
        warnings: expect.any(Array),
      },
    })
    expect(await command(test, 'control_pending')).toEqual({ result: [result] })
    expect(await command(test, 'control_approve', { id: '1' })).toEqual({ result: null })
    expect(await asked).toEqual({ result: null })
    expect(await command(test, 'control_history', { decision: 'approved' })).toMatchObject({
      result: [{ id: '1', decision: 'approved', decidedBy: 'control', answer: { result: null } }],
    })
    expect(await command(test, 'control_approve', { id: '1' })).toMatchObject({
      error: { code: -32602 },
    })
  })

  test('args: code and message of a rejection', async () => {
    const test = await startWallet({ policy: 'hold' })
    const asked = test.ask('eth_requestAccounts')
    await command(test, 'control_waitFor')
    await command(test, 'control_reject', { id: '1', code: -32603, message: 'broken' })
    expect(await asked).toEqual({ error: { code: -32603, message: 'broken' } })
  })

  test('default: the other commands', async () => {
    const test = await startWallet()
    await test.ask('eth_requestAccounts', [], DAPP)
    expect(await command(test, 'control_switchAccount', { account: BOB })).toEqual({ result: null })
    expect(await command(test, 'control_policy', { default: 'reject' })).toEqual({
      result: { default: 'reject', rules: [] },
    })
    expect(await command(test, 'control_state')).toMatchObject({
      result: {
        activeChain: '0x7a69',
        accounts: expect.arrayContaining([ALICE]),
        connections: [{ origin: DAPP, accounts: [BOB] }],
        policy: { default: 'reject' },
        pending: [],
        profile: 'devnet',
      },
    })
    expect(await command(test, 'control_disconnect', { origin: DAPP })).toEqual({ result: null })
    expect(await command(test, 'control_reset')).toEqual({ result: null })
    expect(await command(test, 'control_state', { session: 'a' })).toMatchObject({
      result: { connections: [] },
    })
  })

  test.each([
    ['control_approve', {}, 'id'],
    ['control_approve', { id: 1 }, 'id'],
    ['control_policy', { default: 'maybe' }, 'default'],
    ['control_policy', { add: { decision: 'reject', metod: 'x' } }, 'add'],
    ['control_switchAccount', { account: 'Bob' }, 'account'],
    ['control_history', { limit: 0 }, 'limit'],
    ['control_state', { session: '../x' }, 'session'],
    ['control_waitFor', { timeout: -1 }, 'timeout'],
  ])('%s %o is refused', async (method, params, field) => {
    const { error } = await command(await startWallet(), method, params)
    expect(error).toMatchObject({ code: -32602, message: expect.stringContaining(field) })
  })

  test('what there is not', async () => {
    const test = await startWallet()
    for (const method of ['control_steal', 'eth_accounts', 'constructor']) {
      expect(await command(test, method)).toMatchObject({ error: { code: -32601 } })
    }
  })

  test('the approval page is told apart', async () => {
    const test = await startWallet({ policy: 'hold' })
    const asked = test.ask('eth_requestAccounts')
    await test.wallet.waitFor()
    await command(test, 'control_approve', { id: '1' }, new URL(test.wallet.url).origin)
    await asked
    expect(await test.wallet.history()).toMatchObject([{ decidedBy: 'page' }])
  })
})

test('a client over HTTP that hangs up takes its request back', async () => {
  const { wallet } = await startWallet({ policy: 'hold' })
  const controller = new AbortController()
  const asked = fetch(wallet.url, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_requestAccounts' }),
    signal: controller.signal,
  })
  await wallet.waitFor()
  controller.abort()
  await expect(asked).rejects.toThrow()
  const { decision } = await wallet.waitFor({ state: 'decided' })
  expect([decision, await wallet.pending()]).toEqual(['withdrawn', []])
})

describe('over WebSocket', () => {
  test('default: changes are pushed after the token', async () => {
    const { wallet, ask } = await startWallet({ policy: 'hold' })
    const socket = new WebSocket(
      `${new URL(wallet.url).origin.replace('http', 'ws')}/wallet/control`,
    )
    onTestFinished(() => socket.terminate())
    await once(socket, 'open')
    socket.send(JSON.stringify({ token: wallet.token }))
    socket.send(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'control_pending' }))
    const [first] = await once(socket, 'message')
    expect(JSON.parse(String(first))).toEqual({ jsonrpc: '2.0', id: 1, result: [] })
    void ask('eth_requestAccounts')
    const [second] = await once(socket, 'message')
    expect(JSON.parse(String(second))).toEqual({
      jsonrpc: '2.0',
      method: 'control_changed',
      params: { session: 'default' },
    })
  })

  test.each(['{"token":"wrong"}', '{}', 'x', '{"jsonrpc":"2.0","id":1,"method":"control_state"}'])(
    '%s is refused',
    async (text) => {
      const { wallet } = await startWallet()
      const url = `${new URL(wallet.url).origin.replace('http', 'ws')}/wallet/control`
      const socket = new WebSocket(url)
      onTestFinished(() => socket.terminate())
      const messages = vi.fn()
      socket.on('message', messages)
      await once(socket, 'open')
      socket.send(text)
      const [code] = await once(socket, 'close')
      expect(code).toBe(1008)
      expect(messages).not.toHaveBeenCalled()
    },
  )
})

describe('in process', () => {
  test('before the start and without a wallet', async () => {
    const devnet = createDevnet({ port: 0 })
    expect(() => devnet.wallet.url).toThrow('await start()')
    await expect(devnet.wallet.state()).rejects.toThrow('await start()')
    expect(() => createDevnet({ wallet: false }).wallet).toThrow('without its mock wallet')
    expect(() => createDevnet({ noWallet: true }).wallet).toThrow('without its mock wallet')
  })

  test('what it answers is the caller’s', async () => {
    const { wallet, ask } = await startWallet({ probe: false })
    await ask('wallet_addEthereumChain', [chainOf('0x53a')])
    const [entry] = await wallet.history()
    // Readonly for good reason; a test may be careless.
    ;(entry?.params as unknown[]).length = 0
    expect(await wallet.history()).toMatchObject([{ params: [chainOf('0x53a')] }])
  })

  test('stopping the node ends what waits', async () => {
    const { devnet, wallet, ask } = await startWallet({ policy: 'hold' })
    const asked = ask('eth_requestAccounts')
    await wallet.waitFor()
    await devnet.stop()
    expect(await asked).toMatchObject({
      error: { code: -32000, message: expect.stringMatching(/stopping/) },
    })
  })

  test('args: a token of the environment', async () => {
    vi.stubEnv('PENDING_NODE_WALLET_TOKEN', 'a-token-for-this-test')
    onTestFinished(() => void vi.unstubAllEnvs())
    const { wallet } = await startWallet()
    expect(wallet.pageUrl).toBe(`${new URL(wallet.url).origin}/wallet/#a-token-for-this-test`)
    vi.stubEnv('PENDING_NODE_WALLET_TOKEN', 'short')
    // Before anybody can be let in by it, or not.
    await expect(createDevnet({ port: 0 }).start()).rejects.toThrow('at least 16 characters')
  })

  test('args: port of its own', async () => {
    const { wallet, devnet, ask } = await startWallet({ port: 0 })
    expect(new URL(wallet.url).port).not.toBe(new URL(devnet.url).port)
    expect(await ask('eth_chainId')).toEqual({ result: '0x7a69' })
    const body = { jsonrpc: '2.0', id: 1, method: 'eth_chainId' }
    const elsewhere = await post(new URL(wallet.url).origin, body)
    expect(await elsewhere.json()).toMatchObject({
      error: { code: -32601, message: expect.stringContaining('/wallet') },
    })
    const other = createDevnet({ port: 0, wallet: { port: Number(new URL(wallet.url).port) } })
    await expect(other.start()).rejects.toMatchObject({ code: 'EADDRINUSE' })
    await other.stop()
  })
})
