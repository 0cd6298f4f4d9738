import { once } from 'node:events'
import { privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { WebSocket } from 'ws'
import { createDevnet } from '../../../devnet/index.ts'
import type { Hex } from '../../../devnet/primitives/hex.ts'
import type { Devnet } from '../../../devnet/types.ts'
import { Random } from '../../support/random.ts'
import { createRpcChain, hex, SLOW_CLOCKS } from './methods/rpcChain.ts'

const HASH = /^0x[0-9a-f]{64}$/

const INSTANT = { ...SLOW_CLOCKS, instant: true }

/** Signs transfers of nothing. */
function signerOf({ privateKey }: { readonly privateKey: Hex }) {
  const signer = privateKeyToAccount(privateKey)
  return (nonce: number): Promise<Hex> =>
    signer.signTransaction({
      type: 'eip1559',
      chainId: 31_337,
      nonce,
      to: signer.address,
      gas: 21_000n,
      maxFeePerGas: 10n ** 10n,
    })
}

/** Time passes by command. */
function freezeTimers(): void {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
  onTestFinished(() => void vi.useRealTimers())
}

/** Turns of the event loop in which what can go on without a timer does. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve))
}

/** A node in instant mode with a client of another process. */
async function create() {
  freezeTimers()
  const node = await createRpcChain(INSTANT)
  const sign = signerOf(node.account(0))
  const ended = new AbortController()
  const remote = { isRemote: true, signal: ended.signal }
  const answers: string[] = []
  const ask = (method: string, ...params: unknown[]) =>
    node.callAs<Hex>(remote, method, ...params).then(
      (hash) => void answers.push(hash),
      (error: Error) => void answers.push(error.message),
    )
  return {
    ...node,
    ended,
    answers,
    ask,
    send: async (nonce: number) => ask('eth_sendRawTransaction', await sign(nonce)),
    /** Nonces in the order of their blocks. */
    sealed: async () => {
      const nonces: number[] = []
      for (let number = 1; number <= node.chain.head.number; number++) {
        const block = await node.call<{ transactions: { nonce: Hex }[] }>(
          'eth_getBlockByNumber',
          hex(number),
          true,
        )
        nonces.push(...block.transactions.map(({ nonce }) => Number(nonce)))
      }
      return nonces
    },
  }
}

const refusal = (next: number, nonce: number) =>
  `Nonce too high. Expected nonce to be ${next} but got ${nonce}. Note that transactions can't be queued when automining.`

test('default: a gap that the next request closes', async () => {
  const { send, sealed, answers } = await create()
  const sent = [send(1), send(0)]
  await Promise.all(sent)
  expect(answers).toEqual([expect.stringMatching(HASH), expect.stringMatching(HASH)])
  expect(await sealed()).toEqual([0, 1])
})

test('any order of many, each in a block of its own', async () => {
  for (const seed of [1, 2, 3, 4]) {
    const { send, sealed, answers } = await create()
    const nonces = Array.from({ length: 12 }, (_, nonce) => nonce)
    const random = new Random(seed)
    const left = [...nonces]
    const sent = nonces.map(() => send(left.splice(random.below(left.length), 1)[0] ?? 0))
    await Promise.all(sent)
    expect(
      answers.every((answer) => HASH.test(answer)),
      `seed ${seed}`,
    ).toBe(true)
    expect(await sealed()).toEqual(nonces)
    vi.useRealTimers()
  }
})

test('a gap that nothing closes is refused after 20 ms', async () => {
  const { send, answers, chain } = await create()
  const sent = send(2)
  await settle()
  vi.advanceTimersByTime(19)
  await settle()
  expect(answers).toEqual([])
  vi.advanceTimersByTime(1)
  await sent
  expect(answers).toEqual([refusal(0, 2)])
  expect(chain.mempool.size).toBe(0)
})

test('a gap that becomes narrower has 20 ms again; others do not lengthen it', async () => {
  const { send, answers, call, account } = await create()
  const sent = send(3)
  await settle()
  for (const nonce of [0, 1]) {
    vi.advanceTimersByTime(15)
    await send(nonce)
  }
  expect(answers).toHaveLength(2)
  vi.advanceTimersByTime(15)
  const other = account(1).address
  await call('eth_sendTransaction', { from: other, to: other })
  vi.advanceTimersByTime(5)
  await sent
  expect(answers.at(-1)).toBe(refusal(2, 3))
})

test('as long as transactions of the sender come, all wait, but not for ever', async () => {
  const { send, answers } = await create()
  const sent: Promise<void>[] = []
  for (let nonce = 60; nonce > 0; nonce--) {
    sent.push(send(nonce))
    await settle()
    vi.advanceTimersByTime(19)
    await settle()
    // After 1,000 ms the first of them waits no longer.
    expect(answers).toHaveLength(Math.max(0, 60 - nonce - 52))
  }
  const refused = answers.length
  await Promise.all([...sent, send(0)])
  expect(answers.filter((answer) => HASH.test(answer))).toHaveLength(61 - refused)
})

test('a transaction of the node, with gas or without, waits as well', async () => {
  for (const gas of ['0x5208', undefined]) {
    const { ask, account, sealed, answers } = await create()
    const from = account(0).address
    const send = (nonce: Hex) => ask('eth_sendTransaction', { from, to: from, nonce, gas })
    await Promise.all([send('0x2'), send('0x1'), send('0x0')])
    expect(answers.every((answer) => HASH.test(answer))).toBe(true)
    expect(await sealed()).toEqual([0, 1, 2])
    vi.useRealTimers()
  }
})

test('the same nonce twice: the later one is too low', async () => {
  const { send, ask, account, answers, sealed } = await create()
  const from = account(0).address
  const twin = ask('eth_sendTransaction', { from, to: from, nonce: '0x1', gas: '0x5208' })
  await Promise.all([send(1), twin, send(0)])
  expect(answers.filter((answer) => HASH.test(answer))).toHaveLength(2)
  const refused = /^nonce too low: next nonce 2, tx nonce 1|^replacement transaction underpriced/
  expect(answers).toContainEqual(expect.stringMatching(refused))
  expect(await sealed()).toEqual([0, 1])
})

test('a client that hangs up waits no longer', async () => {
  const { send, ended, answers } = await create()
  const sent = send(1)
  await settle()
  // Others of this process may have some, too.
  const timers = vi.getTimerCount()
  ended.abort()
  await sent
  expect(answers).toEqual([refusal(0, 1)])
  expect(vi.getTimerCount()).toBe(timers - 1)
})

test('in this process it is refused at once', async () => {
  freezeTimers()
  const { failure, account } = await createRpcChain(INSTANT)
  const raw = await signerOf(account(0))(1)
  expect(await failure('eth_sendRawTransaction', raw)).toEqual({
    code: -32000,
    message: refusal(0, 1),
  })
})

describe('over', () => {
  let devnet: Devnet
  let sign: ReturnType<typeof signerOf>
  let nonce = 0

  beforeAll(async () => {
    devnet = createDevnet({ port: 0, instant: true })
    await devnet.start()
    const [account] = devnet.accounts
    if (account === undefined) throw new Error('A node has accounts')
    sign = signerOf(account)
  })
  afterAll(() => devnet.stop())

  /** Texts of requests for the next nonces, the last first. */
  async function backwards(count: number): Promise<string[]> {
    const first = nonce
    nonce += count
    const raws = Array.from({ length: count }, (_, index) => sign(first + index))
    return (await Promise.all(raws))
      .map((raw, id) =>
        JSON.stringify({ jsonrpc: '2.0', id, method: 'eth_sendRawTransaction', params: [raw] }),
      )
      .reverse()
  }

  const ANSWER = { result: expect.stringMatching(HASH) }

  test('HTTP: requests at the same time', async () => {
    freezeTimers()
    const headers = { 'content-type': 'application/json' }
    const answers = (await backwards(8)).map(async (body) =>
      (await fetch(devnet.url, { method: 'POST', headers, body })).json(),
    )
    for (const answer of await Promise.all(answers)) expect(answer).toMatchObject(ANSWER)
  })

  test('WebSocket: messages at the same time', async () => {
    freezeTimers()
    const client = new WebSocket(devnet.url)
    await once(client, 'open')
    onTestFinished(() => client.close())
    const texts = await backwards(8)
    const answers: unknown[] = []
    const { promise, resolve } = Promise.withResolvers<void>()
    client.on('message', (data) => {
      answers.push(JSON.parse(String(data)))
      if (answers.length === texts.length) resolve()
    })
    for (const text of texts) client.send(text)
    await promise
    for (const answer of answers) expect(answer).toMatchObject(ANSWER)
  })

  test('in process: refused at once', async () => {
    freezeTimers()
    const params = [await sign(nonce + 1)]
    await expect(
      devnet.provider.request({ method: 'eth_sendRawTransaction', params }),
    ).rejects.toMatchObject({ message: refusal(nonce, nonce + 1) })
  })
})
