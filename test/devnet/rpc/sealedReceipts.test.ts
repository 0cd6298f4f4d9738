import { once } from 'node:events'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createDevnet } from '../../../devnet/index.ts'
import { type OptionsInput, resolveOptions } from '../../../devnet/options/options.ts'
import type { Hex } from '../../../devnet/primitives/hex.ts'
import type { Devnet } from '../../../devnet/types.ts'
import { JSON_HEADERS, openWebSocket, requestText } from '../server/support.ts'
import { createSubscribed } from '../stream/subscribedChain.ts'
import { createRpcChain, SLOW_CLOCKS, ZERO_HASH } from './methods/rpcChain.ts'

type Receipts = 'preconfirmed' | 'sealed'
type Call = (method: string, ...params: readonly unknown[]) => Promise<unknown>

interface Sent {
  readonly hash: Hex
  readonly from: Hex
}

/** A look-up of a transaction, and what it answers before a receipt is shown and from then on. */
interface LookUp {
  readonly name: string
  readonly ask: (call: Call, sent: Sent) => Promise<unknown>
  readonly hidden: unknown
  readonly preconfirmed: unknown
  readonly sealed: unknown
}

const HASH = expect.stringMatching(/^0x(?!0+$)/)
const IN_MEMPOOL = { blockHash: null, blockNumber: null, transactionIndex: null }
const REFUSED = { code: -32000, message: expect.stringContaining('--receipts sealed') }

/** Those that the option governs. */
const GOVERNED: readonly LookUp[] = [
  {
    name: 'eth_getTransactionReceipt',
    ask: (call, { hash }) => call('eth_getTransactionReceipt', hash),
    hidden: null,
    preconfirmed: expect.objectContaining({ blockHash: ZERO_HASH, blockNumber: '0x1' }),
    sealed: expect.objectContaining({ blockHash: HASH, blockNumber: '0x1' }),
  },
  {
    name: 'eth_getTransactionByHash',
    ask: (call, { hash }) => call('eth_getTransactionByHash', hash),
    hidden: expect.objectContaining(IN_MEMPOOL),
    preconfirmed: expect.objectContaining({ blockHash: null, blockNumber: '0x1' }),
    sealed: expect.objectContaining({ blockHash: HASH, blockNumber: '0x1' }),
  },
  {
    name: 'eth_getTransactionBySenderAndNonce',
    ask: (call, { from }) => call('eth_getTransactionBySenderAndNonce', from, '0x0'),
    hidden: expect.objectContaining(IN_MEMPOOL),
    preconfirmed: expect.objectContaining({ blockHash: null, blockNumber: '0x1' }),
    sealed: expect.objectContaining({ blockHash: HASH, blockNumber: '0x1' }),
  },
  {
    name: 'ots_getTransactionBySenderAndNonce',
    ask: (call, { from }) => call('ots_getTransactionBySenderAndNonce', from, '0x0'),
    hidden: null,
    preconfirmed: HASH,
    sealed: HASH,
  },
  {
    name: 'ots_getTransactionError',
    ask: (call, { hash }) => call('ots_getTransactionError', hash),
    hidden: REFUSED,
    preconfirmed: '0x',
    sealed: '0x',
  },
  {
    name: 'ots_traceTransaction',
    ask: (call, { hash }) => call('ots_traceTransaction', hash),
    hidden: REFUSED,
    preconfirmed: [expect.objectContaining({ type: 'CALL' })],
    sealed: [expect.objectContaining({ type: 'CALL' })],
  },
  {
    name: 'ots_getInternalOperations',
    ask: (call, { hash }) => call('ots_getInternalOperations', hash),
    hidden: REFUSED,
    preconfirmed: [],
    sealed: [],
  },
]

/** Those that show what is pre-confirmed in either mode; `undefined`: the answer of the other. */
const FREE: readonly [name: string, ask: (call: Call, sent: Sent) => Promise<unknown>][] = [
  [
    'preconf_getTransactionReceipt',
    (call, { hash }) => call('preconf_getTransactionReceipt', hash),
  ],
  ['eth_getRawTransactionByHash', (call, { hash }) => call('eth_getRawTransactionByHash', hash)],
  ['debug_traceTransaction', (call, { hash }) => call('debug_traceTransaction', hash)],
  ...[
    ['eth_getBlockReceipts'],
    ['eth_getBlockByNumber', true],
    ['eth_getTransactionByBlockNumberAndIndex', '0x0'],
    ['eth_getRawTransactionByBlockNumberAndIndex', '0x0'],
    ['eth_getBlockTransactionCountByNumber'],
    ['ots_getBlockTransactions', 0, 25],
    ['debug_getRawReceipts'],
  ].map(([method, ...rest]): (typeof FREE)[number] => [
    `${method} of pending`,
    (call) => call(String(method), 'pending', ...rest),
  ]),
  [
    'eth_getTransactionByBlockNumberAndIndex of the number',
    (call) => call('eth_getTransactionByBlockNumberAndIndex', '0x1', '0x0'),
  ],
  [
    'eth_getTransactionByBlockHashAndIndex of the zero hash',
    (call) => call('eth_getTransactionByBlockHashAndIndex', ZERO_HASH, '0x0'),
  ],
  ['eth_getBlockByHash of the zero hash', (call) => call('eth_getBlockByHash', ZERO_HASH, false)],
  ['eth_getLogs to pending', (call) => call('eth_getLogs', { toBlock: 'pending' })],
  ['eth_getTransactionCount', (call, { from }) => call('eth_getTransactionCount', from, 'pending')],
  ['txpool_status', (call) => call('txpool_status')],
  ['eth_pendingTransactions', (call) => call('eth_pendingTransactions')],
]

const RULES: OptionsInput = { frozenTicks: true, timestamp: 1_800_000_000 }

/** The result, or the error as data. */
const outcome = (answer: Promise<unknown>): Promise<unknown> =>
  answer.catch(({ code, message }: { code: number; message: string }) => ({ code, message }))

/** A node in each transport, with a transfer that waits for its tick. */
async function create(receipts: Receipts, transport: keyof typeof transports) {
  const readOwnWrites = transport === 'in process'
  const devnet = createDevnet({ ...RULES, port: 0, receipts, readOwnWrites })
  onTestFinished(() => devnet.stop())
  await devnet.start()
  const call = await transports[transport](devnet)
  const [from = '0x'] = devnet.accounts.map(({ address }) => address)
  const fields = { from, to: from, value: '0x1', gas: '0x5208' }
  const hash = (await call('eth_sendTransaction', fields)) as Hex
  return { devnet, call, sent: { hash, from } }
}

/** Sends the text of a request, and answers the text that comes back. */
type Exchange = (text: string) => Promise<string>

/** Asks over a connection that knows nothing but text. */
const overText =
  (exchange: Exchange): Call =>
  async (method, ...params) => {
    const { result, error } = JSON.parse(await exchange(requestText(method, ...params)))
    if (error !== undefined) throw Object.assign(new Error(error.message), error)
    return result
  }

const transports = {
  'in process':
    async ({ provider }: Devnet): Promise<Call> =>
    (method, ...params) =>
      provider.request({ method, params }),
  http: async ({ url }: Devnet): Promise<Call> =>
    overText(async (body) =>
      (await fetch(url, { method: 'POST', headers: JSON_HEADERS, body })).text(),
    ),
  webSocket: async ({ url }: Devnet): Promise<Call> => {
    const client = await openWebSocket(url)
    return overText(async (text) => {
      client.send(text)
      const [answer] = await once(client, 'message')
      return String(answer)
    })
  },
}

describe.each(['in process', 'http', 'webSocket'] as const)('%s', (transport) => {
  describe.each(['preconfirmed', 'sealed'] as const)('receipts: %s', (receipts) => {
    test('look-ups by hash', async () => {
      const { devnet, call, sent } = await create(receipts, transport)
      await devnet.clock.advance({ ticks: 1 })
      for (const { name, ask, hidden, preconfirmed } of GOVERNED) {
        const wanted = receipts === 'sealed' ? hidden : preconfirmed
        expect(await outcome(ask(call, sent)), name).toEqual(wanted)
      }
      await devnet.clock.seal()
      for (const { name, ask, sealed } of GOVERNED) {
        expect(await outcome(ask(call, sent)), name).toEqual(sealed)
      }
    })
  })
})

test('everything else answers the same in both modes', async () => {
  const [one, other] = [await create('preconfirmed', 'http'), await create('sealed', 'http')]
  await one.devnet.clock.advance({ ticks: 1 })
  await other.devnet.clock.advance({ ticks: 1 })
  for (const [name, ask] of FREE) {
    const answer = await ask(one.call, one.sent)
    expect(answer, name).not.toBeNull()
    expect(await ask(other.call, other.sent), name).toEqual(answer)
  }
})

describe('sealed', () => {
  const sealed = { ...SLOW_CLOCKS, receipts: 'sealed' } as const

  async function send(options: OptionsInput) {
    const node = await createRpcChain(options)
    const from = node.account(0).address
    const hash = await node.call<Hex>('eth_sendTransaction', { from, to: from, gas: '0x5208' })
    return { ...node, from, hash }
  }

  test.each([
    ['eth_getTransactionReceipt', null],
    ['eth_getTransactionByHash', expect.objectContaining(IN_MEMPOOL)],
    ['ots_traceTransaction', REFUSED],
  ])('%s waits for no tick, and runs none', async (method, expected) => {
    const waiting = await send(sealed)
    expect(await outcome(waiting.call(method, waiting.hash))).toEqual(expected)
    const own = await send({ ...sealed, readOwnWrites: true })
    expect(await outcome(own.call(method, own.hash))).toEqual(expected)
    expect(own.chain.pending.ticks).toBe(0)
  })

  test('preconf_getTransactionReceipt waits for the tick, or runs it', async () => {
    const { call, clocks, hash } = await send(sealed)
    const receipt = call('preconf_getTransactionReceipt', hash)
    await clocks.advanceTicks(1)
    expect(await receipt).toMatchObject({ blockHash: ZERO_HASH, status: '0x1' })
    const own = await send({ ...sealed, readOwnWrites: true })
    expect(await own.call('preconf_getTransactionReceipt', own.hash)).toMatchObject({
      blockHash: ZERO_HASH,
    })
    expect(await own.call('preconf_getTransactionReceipt', `0x${'99'.repeat(32)}`)).toBeNull()
  })

  test('a synchronous send answers with the tick', async () => {
    const { call, clocks, account, dispatch } = await createRpcChain(sealed)
    const from = account(0).address
    await dispatch.load(['eth_sendTransactionSync'])
    const sending = call('eth_sendTransactionSync', { from, to: from, gas: '0x5208' })
    await clocks.advanceTicks(1)
    expect(await sending).toMatchObject({ blockHash: ZERO_HASH, blockNumber: '0x1' })
  })

  test('subscriptions tell of ticks', async () => {
    const { emit, results, subscribe, tick } = await createSubscribed(sealed)
    const logs = await subscribe('pendingLogs', {})
    const ticks = await subscribe('newFlashblockTransactions', true)
    await emit(7)
    await tick()
    expect(results(logs)).toMatchObject([{ blockNumber: '0x1' }, { blockNumber: '0x1' }])
    expect(results(ticks)).toHaveLength(1)
  })

  test('a replaced and a reverted transaction are gone at once', async () => {
    const { call, clocks, hash } = await send(sealed)
    await clocks.advanceTicks(1)
    await call('hardhat_dropTransaction', hash)
    expect(await call('eth_getTransactionByHash', hash)).toBeNull()
  })

  test('instant mode has each receipt at once', async () => {
    const { call, hash } = await send({ ...sealed, instant: true })
    expect(await call('eth_getTransactionReceipt', hash)).toMatchObject({ blockHash: HASH })
  })

  test('the status tells it', async () => {
    const { call } = await createRpcChain(sealed)
    const modes = { receipts: 'sealed', latest: 'sealed' }
    expect(await call('preconf_status')).toMatchObject({ modes })
  })
})

describe('profiles', () => {
  test.each([
    ['base-flashblocks', 'receipts', 'sealed', 'preconfirmed'],
    ['xlayer', 'latest', 'ticks', 'sealed'],
    ['base', 'receipts', 'preconfirmed', 'sealed'],
  ] as const)('%s refuses --%s %s', (profile, name, value, own) => {
    expect(() => resolveOptions({ profile, [name]: value })).toThrow(
      `${name} cannot be ${value} with profile ${profile}, on which it is ${own}: leave it out, or use the profile plain.`,
    )
    expect(resolveOptions({ profile })[name]).toBe(own)
    expect(resolveOptions({ profile, [name]: own })[name]).toBe(own)
  })
})
