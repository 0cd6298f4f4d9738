import { describe, expect, test } from 'vitest'
import { resolveWalletOptions } from '../../../devnet/options/walletOptions.ts'
import { LimitError } from '../../../devnet/primitives/errors.ts'
import { Wallet } from '../../../devnet/wallet/core/wallet.ts'
import {
  ALICE,
  askAt,
  chainOf,
  DAPP,
  NO_NODE,
  openSocket,
  post,
  startWallet,
  testClock,
} from './support.ts'

const QUESTION = { jsonrpc: '2.0', id: 1, method: 'eth_chainId' }

const EVIL = 'http://localhost:6666'

describe('floods', () => {
  test('10,000 requests that wait are bounded, and others are served', async () => {
    const { wallet, ask } = await startWallet({ policy: 'hold', probe: false })
    const socket = await openSocket(wallet.url, DAPP)
    const answers = Array.from({ length: 10_000 }, () => socket.ask('eth_requestAccounts'))
    let refused = 0
    for (const answer of answers) {
      answer.then(({ error }) => {
        if (error?.code === -32005) refused++
      })
    }
    await expect.poll(() => refused, { timeout: 20_000 }).toBe(9_900)
    expect(await wallet.pending()).toHaveLength(100)
    const other = ask('eth_requestAccounts', [], 'http://localhost:4000')
    const { id } = await wallet.waitFor({ origin: 'http://localhost:4000' })
    await wallet.approve(id)
    expect(await other).toHaveProperty('result')
    // The client hangs up, and takes all with it.
    socket.close()
    await expect.poll(() => wallet.pending()).toEqual([])
    expect((await wallet.history()).length).toBeLessThanOrEqual(1000)
  })

  test('10 MiB of body, in one piece and in drops', async () => {
    const { wallet, ask, devnet } = await startWallet()
    const body = `"${'x'.repeat(10 * 1024 * 1024)}"`
    expect((await post(wallet.url, body)).status).toBe(413)
    const headers = { Authorization: `Bearer ${wallet.token}` }
    const control = await post(`${devnet.url}/wallet/control`, body, undefined, headers)
    expect(control.status).toBe(413)
    const socket = await openSocket(wallet.url)
    void socket.ask('eth_chainId', [body])
    expect(await ask('eth_chainId')).toEqual({ result: '0x7a69' })
  })

  test('batches and malformed messages', async () => {
    const { wallet } = await startWallet()
    const answer = async (body: unknown) => (await post(wallet.url, body)).json()
    expect(await answer(Array(101).fill(QUESTION))).toMatchObject({ error: { code: -32005 } })
    expect(await answer([])).toMatchObject({ error: { code: -32600 } })
    expect(await answer('{')).toMatchObject({ error: { code: -32700 } })
    expect(await answer([1, QUESTION])).toEqual([
      expect.objectContaining({ error: expect.objectContaining({ code: -32600 }) }),
      { jsonrpc: '2.0', id: 1, result: '0x7a69' },
    ])
    expect(await answer({ ...QUESTION, id: {} })).toMatchObject({ error: { code: -32600 } })
    expect((await post(wallet.url, { ...QUESTION, id: undefined })).status).toBe(204)
  })

  test('large requests do not add up in the history', async () => {
    const { ask, wallet } = await startWallet({}, { maxHeldSize: 32 * 1024 * 1024 })
    const large = 'x'.repeat(4_000_000)
    for (let index = 0; index < 12; index++) await ask('wallet_addEthereumChain', [{ large }])
    expect((await wallet.history()).length).toBeLessThanOrEqual(8)
  })

  test('nesting is refused before anything walks it', async () => {
    const { wallet, ask } = await startWallet()
    const bodyOf = (depth: number) =>
      `{"jsonrpc":"2.0","id":1,"method":"wallet_watchAsset","params":${'['.repeat(depth)}${']'.repeat(depth)}}`
    expect(await (await post(wallet.url, bodyOf(999), DAPP)).json()).toMatchObject({
      error: { code: -32602, data: { field: 'params', reason: 'range' } },
    })
    // Not even parsed.
    expect(await (await post(wallet.url, bodyOf(100_000), DAPP)).json()).toMatchObject({
      error: { code: -32700 },
    })
    expect(await ask('eth_chainId')).toEqual({ result: '0x7a69' })
  })

  test('icons of many chains do not add up', async () => {
    const { wallet, ask } = await startWallet({ probe: false })
    const iconUrls = Array(20).fill(`data:image/png;base64,${'A'.repeat(60_000)}`)
    const codes: unknown[] = []
    for (let index = 1; index <= 5; index++) {
      const chain = chainOf(`0x53${index}`, { iconUrls })
      const { error } = await ask('wallet_addEthereumChain', [chain], EVIL)
      codes.push(error?.code)
    }
    expect(codes).toEqual([undefined, undefined, undefined, -32005, -32005])
    expect((await wallet.state()).chains).toHaveLength(4)
  })

  test('typed data grows little when it is shown', async () => {
    const { wallet, ask } = await startWallet({ policy: 'hold', autoConnect: true })
    let message: unknown = Array(12_000).fill(100_000)
    for (let level = 0; level < 55; level++) message = [message]
    const data = { types: { A: [] }, primaryType: 'A', domain: {}, message: { message } }
    void ask('eth_signTypedData_v4', [ALICE, data], DAPP)
    const { summary, params } = await wallet.waitFor()
    expect(JSON.stringify(summary).length).toBeLessThan(2 * JSON.stringify(params).length)
  })

  test.each(['approve', 'hold'] as const)(
    'typed data as text nests as deep as other parameters may: %s',
    async (policy) => {
      const { wallet, ask } = await startWallet({ policy, autoConnect: true })
      const text = deepText(900, 6_000)
      expect(text.length).toBeLessThan(64 * 1024)
      expect(await ask('eth_signTypedData_v4', [ALICE, text], DAPP)).toMatchObject({
        error: { code: -32602, data: { field: 'params[1]', reason: 'range' } },
      })
      expect(await wallet.pending()).toEqual([])
      expect(JSON.stringify(await wallet.history()).length).toBeLessThan(3 * text.length)
    },
  )

  test.each(['object', 'text'])(
    'the deepest typed data is shown without its depth: %s',
    async (form) => {
      const { wallet, ask } = await startWallet({ policy: 'hold', autoConnect: true })
      const text = deepText(55, 6_000)
      const data = form === 'text' ? text : JSON.parse(text)
      void ask('eth_signTypedData_v4', [ALICE, data], DAPP)
      const { summary } = await wallet.waitFor()
      expect(JSON.stringify(summary).length).toBeLessThan(2 * text.length)
    },
  )

  test('250 sessions that are in use leave no room', () => {
    const wallet = new Wallet({
      settings: resolveWalletOptions(),
      node: NO_NODE,
      clock: testClock(),
      onInternalError(error) {
        throw error
      },
    })
    const hangUps: (() => void)[] = []
    for (let index = 0; index < 250; index++) {
      const connection = {
        notify: () => undefined,
        onClose: (hangUp: () => void) => void hangUps.push(hangUp),
      }
      wallet.session(`s${index}`).attach(connection, null)
    }
    expect(() => wallet.session('more')).toThrow(LimitError)
    hangUps[7]?.()
    expect(wallet.session('more')).toBe(wallet.session('more'))
  })

  test('sessions that nobody uses make room for new ones', async () => {
    const { devnet, wallet } = await startWallet({ policy: 'hold' })
    const used = await openSocket(wallet.session('used').url, DAPP)
    void askAt(wallet.session('asking').url, 'eth_requestAccounts')
    const { id } = await wallet.session('asking').waitFor()
    for (let index = 0; index < 400; index++) {
      const { result } = await askAt(`${devnet.url}/wallet/s/s${index}`, 'eth_chainId')
      expect(result).toBe('0x7a69')
    }
    expect(await wallet.session('asking').pending()).toMatchObject([{ id }])
    await wallet.session('used').policy({ default: 'approve' })
    expect(await used.ask('eth_requestAccounts')).toEqual({ result: [ALICE] })
  })
})

/** Typed data as JSON whose message has its leaves `depth` levels deep. */
function deepText(depth: number, leaves: number): string {
  const message = `${'{"a":'.repeat(depth)}[${Array(leaves).fill('1000000').join()}]${'}'.repeat(depth)}`
  return `{"types":{"A":[]},"primaryType":"A","domain":{},"message":${message}}`
}
