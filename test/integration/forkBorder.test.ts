import { once } from 'node:events'
import { createHardhatRuntimeEnvironment } from 'hardhat/hre'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { createDevnet, type Devnet } from '../../devnet/index.ts'
import type { OptionsInput } from '../../devnet/options/options.ts'
import { type Hex, quantity } from '../../devnet/primitives/hex.ts'
import { EMITTER, EMITTER_CODE, topicOf } from '../devnet/stream/emitterChain.ts'
import { anvilProgram, startAnvil } from '../support/anvil.ts'
import { temporaryFile } from '../support/genesisFile.ts'
import { askNode } from '../support/peerNode.ts'
import { UpstreamProxy } from '../support/upstreamProxy.ts'

/** The fork block. The upstream goes on for two more blocks, and has a pre-confirmed transaction. */
const FORK = 6

/** An account that nobody funds. */
const NOBODY: Hex = `0x${'0e'.repeat(20)}`

/** Returns its slot 0, which is 0x77 upstream. */
const STORE: Hex = `0x${'57'.repeat(20)}`

/** A block of the upstream whose transactions no rules of Ethereum know, and one of them. */
const FOREIGN = 4
const DEPOSIT = {
  type: '0x7e',
  hash: `0x${'7e'.repeat(32)}`,
  blockNumber: quantity(FOREIGN),
  sourceHash: `0x${'50'.repeat(32)}`,
  mint: null,
  isSystemTx: true,
  depositReceiptVersion: '0x1',
}
const ARBITRUM = { type: '0x6a', hash: `0x${'6a'.repeat(32)}`, l1BlockNumber: '0x1' }

/** Transactions of types 3 (EIP-4844) and 4 (EIP-7702), and what only their receipts have. */
const BLOB = {
  ...{ type: '0x3', hash: `0x${'03'.repeat(32)}`, blockNumber: quantity(FOREIGN) },
  ...{ maxFeePerBlobGas: '0x7', blobVersionedHashes: [`0x01${'b1'.repeat(31)}`], accessList: [] },
}
const BLOB_RECEIPT = { blobGasUsed: '0x20000', blobGasPrice: '0x1' }
const SET_CODE = {
  ...{ type: '0x4', hash: `0x${'04'.repeat(32)}`, blockNumber: quantity(FOREIGN), accessList: [] },
  authorizationList: [
    {
      ...{ chainId: '0x0', address: EMITTER, nonce: '0x1' },
      ...{ yParity: '0x1', r: `0x${'aa'.repeat(32)}`, s: '0x1' },
    },
  ],
}

type Ask = <Result = unknown>(method: string, ...params: readonly unknown[]) => Promise<Result>

function askerOf({ provider }: Pick<Devnet, 'provider'>): Ask {
  // Each test knows what the method that it asks answers.
  return async (method, ...params) => (await provider.request({ method, params })) as never
}

const askerAt =
  (url: string): Ask =>
  (method, ...params) =>
    askNode(url, method, ...params)

async function startDevnet(options: OptionsInput): Promise<Devnet> {
  const node = createDevnet({ port: 0, frozenTicks: true, noWallet: true, ...options })
  await node.start()
  return node
}

let upstream: Devnet
let proxy: UpstreamProxy
let ask: Ask
/** Hashes of the upstream's transactions, one or two a block. */
const hashes: Hex[] = []

beforeAll(async () => {
  upstream = await startDevnet({ timestamp: 1_800_000_000 })
  ask = askerOf(upstream)
  const [from, to] = upstream.accounts.map(({ address }) => address)
  const send = async (transaction: object) =>
    hashes.push(await ask<Hex>('eth_sendTransaction', { from, gas: '0x186a0', ...transaction }))
  await ask('hardhat_setCode', EMITTER, EMITTER_CODE)
  await ask('hardhat_setCode', STORE, '0x5f545f5260205ff3')
  await ask('hardhat_setStorageAt', STORE, topicOf(0), topicOf(0x77))
  for (let number = 1; number <= FORK + 2; number++) {
    await send({ to: EMITTER, data: topicOf(number) })
    await send({
      to: NOBODY,
      value: quantity(number),
      accessList: [{ address: to, storageKeys: [] }],
    })
    await ask('preconf_advance', { blocks: 1 })
  }
  await send({ to: NOBODY, value: '0x99' })
  await ask('preconf_advance', { ticks: 1 })
  proxy = await UpstreamProxy.start(async ({ method, params = [] }) => {
    const canned = cannedAnswer(method, params)
    if (canned !== undefined) return { result: canned }
    try {
      return { result: await ask(method, ...params) }
    } catch (error) {
      const { code, message, data } = error as { code: number; message: string; data?: unknown }
      return { error: { code, message, data } }
    }
  })
})

afterAll(async () => {
  await proxy.stop()
  await upstream.stop()
})

/** What the upstream says of its foreign block. */
function cannedAnswer(method: string, [first]: readonly unknown[]): unknown {
  const isForeign = first === quantity(FOREIGN)
  if (method === 'eth_getBlockByNumber' && isForeign) {
    return { number: first, l1: { list: [1.5] }, transactions: [DEPOSIT, ARBITRUM] }
  }
  if (method === 'eth_getBlockReceipts' && isForeign) {
    return [{ type: '0x7e', blockNumber: first, depositNonce: '0x1', l1Fee: null }]
  }
  for (const transaction of [DEPOSIT, BLOB, SET_CODE]) {
    if (method === 'eth_getTransactionByHash' && first === transaction.hash) return transaction
  }
  for (const { type, hash, blockNumber } of [BLOB, SET_CODE]) {
    if (method !== 'eth_getTransactionReceipt' || first !== hash) continue
    return { type, blockNumber, status: '0x1', ...(hash === BLOB.hash ? BLOB_RECEIPT : {}) }
  }
  if (method === 'eth_getTransactionReceipt' && first === DEPOSIT.hash) {
    return { type: '0x7e', blockNumber: quantity(FOREIGN), l1FeeScalar: '0.5' }
  }
  return undefined
}

/** A node that stands on the fork block. */
async function fork(options: OptionsInput = {}) {
  const node = await startDevnet({
    fork: proxy.url,
    forkBlockNumber: FORK,
    noForkCache: true,
    ...options,
  })
  onTestFinished(() => node.stop())
  proxy.reset()
  const ask = askerOf(node)
  return {
    node,
    ask,
    /** Seals a block with a log of topic `number`. */
    async emit(number: number): Promise<Hex> {
      const [from] = node.accounts.map(({ address }) => address)
      const request = { from, to: EMITTER, data: topicOf(number), gas: '0x186a0' }
      const hash = await ask<Hex>('eth_sendTransaction', request)
      await ask('preconf_advance', { blocks: 1 })
      return hash
    },
  }
}

/** Each question that names a block, with the parameters before and behind it. */
const QUESTIONS: readonly (readonly [string, readonly unknown[], readonly unknown[]])[] = [
  ['debug_getRawBlock', [], []],
  ['debug_getRawHeader', [], []],
  ['debug_getRawReceipts', [], []],
  ['debug_traceBlockByNumber', [], [{ tracer: 'callTracer' }]],
  ['debug_traceCall', [{ to: EMITTER, data: topicOf(9) }], [{ tracer: 'callTracer' }]],
  ['eth_call', [{ to: EMITTER, data: topicOf(9) }], []],
  ['eth_createAccessList', [{ to: EMITTER, data: topicOf(9) }], []],
  ['eth_estimateGas', [{ to: EMITTER, data: topicOf(9) }], []],
  ['eth_feeHistory', ['0x2'], [[10, 90]]],
  ['eth_getAccount', [NOBODY], []],
  ['eth_getAccountInfo', [NOBODY], []],
  ['eth_getBalance', [NOBODY], []],
  ['eth_getBlockByNumber', [], [false]],
  ['eth_getBlockByNumber', [], [true]],
  ['eth_getBlockReceipts', [], []],
  ['eth_getBlockTransactionCountByNumber', [], []],
  ['eth_getCode', [EMITTER], []],
  ['eth_getHeaderByNumber', [], []],
  ['eth_getProof', [NOBODY, ['0x0']], []],
  ['eth_getRawTransactionByBlockNumberAndIndex', [], ['0x1']],
  ['eth_getStorageAt', [STORE, '0x0'], []],
  ['eth_getStorageValues', [{ [STORE]: ['0x0'] }], []],
  ['eth_getTransactionByBlockNumberAndIndex', [], ['0x1']],
  ['eth_getTransactionCount', [NOBODY], []],
  ['eth_getUncleByBlockNumberAndIndex', [], ['0x0']],
  ['eth_getUncleCountByBlockNumber', [], []],
  ['eth_simulateV1', [{ blockStateCalls: [{ calls: [{ to: EMITTER }] }] }], []],
]

/** Questions of which the fork block's answers have an own part: the base fee that comes next. */
const OWN_AT_FORK = ['eth_feeHistory']

describe('blocks of the upstream', () => {
  test.for(QUESTIONS)('default: %s', async ([method, before, behind]) => {
    const forked = await fork()
    await forked.emit(0x70)
    for (const block of ['0x1', quantity(FORK - 1), quantity(FORK), 'earliest']) {
      // The genesis block has nothing to trace.
      if (method === 'debug_traceBlockByNumber' && block === 'earliest') continue
      if (block === quantity(FORK) && OWN_AT_FORK.includes(method)) continue
      const answer = await forked.ask(method, ...before, block, ...behind)
      expect(answer).toEqual(await ask(method, ...before, block, ...behind))
    }
  })

  test('by hash', async () => {
    const forked = await fork()
    await forked.emit(0x70)
    const at = await ask<{ hash: Hex }>('eth_getBlockByNumber', quantity(2), false)
    const transaction = hashes[2]
    for (const question of [
      ['eth_getBlockByHash', at.hash, true],
      ['eth_getHeaderByHash', at.hash],
      ['eth_getBlockReceipts', { blockHash: at.hash }],
      ['eth_getBalance', NOBODY, { blockHash: at.hash, requireCanonical: true }],
      ['eth_getUncleCountByBlockHash', at.hash],
      ['debug_traceBlockByHash', at.hash],
      ['eth_getLogs', { blockHash: at.hash }],
      ['eth_getTransactionByHash', transaction],
      ['eth_getTransactionReceipt', transaction],
      ['eth_getRawTransactionByHash', transaction],
      ['debug_getRawTransaction', transaction],
      ['debug_traceTransaction', transaction, { tracer: 'callTracer' }],
    ] as const) {
      const [method, ...params] = question
      expect(await forked.ask(method, ...params)).toEqual(await ask(method, ...params))
    }
  })

  test('foreign transactions are shown as the upstream shows them', async () => {
    const forked = await fork()
    const number = quantity(FOREIGN)
    const block = { number, l1: { list: [1.5] }, transactions: [DEPOSIT, ARBITRUM] }
    expect(await forked.ask('eth_getBlockByNumber', number, true)).toEqual(block)
    expect(await forked.ask('eth_getBlockReceipts', number)).toEqual([
      { type: '0x7e', blockNumber: number, depositNonce: '0x1', l1Fee: null },
    ])
    expect(await forked.ask('eth_getTransactionByHash', DEPOSIT.hash)).toEqual(DEPOSIT)
    expect(await forked.ask('eth_getTransactionReceipt', DEPOSIT.hash)).toEqual({
      type: '0x7e',
      blockNumber: number,
      l1FeeScalar: '0.5',
    })
  })

  test.each([
    ['blobs', BLOB, BLOB_RECEIPT],
    ['authorizations', SET_CODE, {}],
  ])('a transaction with %s has all its fields', async (_, transaction, receipt) => {
    const forked = await fork()
    const { hash, type, blockNumber } = transaction
    expect(await forked.ask('eth_getTransactionByHash', hash)).toEqual(transaction)
    expect(await forked.ask('eth_getTransactionReceipt', hash)).toEqual({
      ...{ type, blockNumber, status: '0x1' },
      ...receipt,
    })
  })

  test('later ones do not exist', async () => {
    const forked = await fork()
    const next = await ask<{ hash: Hex }>('eth_getBlockByNumber', quantity(FORK + 1), false)
    const [later, preconfirmed] = [hashes.at(-2), hashes.at(-1)]
    const questions = [
      ['eth_getBlockByNumber', quantity(FORK + 1), false],
      ['eth_getBlockByNumber', '0xffff', false],
      ['eth_getBlockByHash', next.hash, true],
      ['eth_getBlockReceipts', { blockHash: next.hash }],
      ['eth_getUncleCountByBlockHash', next.hash],
      ['eth_getTransactionByHash', later],
      ['eth_getTransactionReceipt', later],
      ['eth_getRawTransactionByHash', later],
      ['eth_getTransactionByHash', preconfirmed],
      ['eth_getTransactionReceipt', preconfirmed],
    ] as const
    expect(await forked.ask('eth_blockNumber')).toBe(quantity(FORK))
    const answers = questions.map(([method, ...params]) => forked.ask(method, ...params))
    expect(await Promise.all(answers)).toEqual(questions.map(() => null))
    await expect(forked.ask('eth_getBalance', NOBODY, next.hash)).rejects.toMatchObject({
      code: -32001,
    })
    await expect(forked.ask('eth_getLogs', { blockHash: next.hash })).rejects.toMatchObject({
      code: -32001,
    })
    // The number is this node's once it has sealed a block.
    await forked.emit(0x70)
    expect(
      await forked.ask<{ hash: Hex }>('eth_getBlockByNumber', quantity(FORK + 1), false),
    ).not.toMatchObject({ hash: next.hash })
  })

  test('a trace for a bundler reads their code and slots', async () => {
    const forked = await fork()
    await forked.emit(0x70)
    // EXTCODESIZE of the one, a call of the other
    const code = `0x73${EMITTER.slice(2)}3b505f5f5f5f73${STORE.slice(2)}5afa`
    const config = { tracer: 'erc7562Tracer', stateOverrides: { [NOBODY]: { code } } }
    const call = { to: NOBODY, gas: '0x186a0' }
    const trace = await forked.ask('debug_traceCall', call, 'latest', config)
    expect(trace).toEqual(await ask('debug_traceCall', call, quantity(FORK), config))
    expect(trace).toMatchObject({
      contractSize: {
        [EMITTER]: { contractSize: EMITTER_CODE.length / 2 - 1, opcode: 0x3b },
        [STORE]: { contractSize: 8, opcode: 0xfa },
      },
      calls: [{ accessedSlots: { reads: { [topicOf(0)]: [topicOf(0x77)] } } }],
    })
  })

  test('the fork block itself costs no request', async () => {
    const forked = await fork()
    const block = await forked.ask<{ hash: Hex }>('eth_getBlockByNumber', 'latest', false)
    expect(block).toEqual(await ask('eth_getBlockByNumber', quantity(FORK), false))
    expect(await forked.ask('eth_getBlockByHash', block.hash, false)).toEqual(block)
    expect(proxy.items()).toBe(0)
  })

  test('questions of one turn share a request', async () => {
    const forked = await fork()
    const numbers = [1, 2, 3].map((number) => quantity(number))
    await Promise.all(numbers.map((number) => forked.ask('eth_getBlockReceipts', number)))
    expect([proxy.requests.length, proxy.items('eth_getBlockReceipts')]).toEqual([1, 3])
  })

  test('error: the upstream’s own', async () => {
    const forked = await fork()
    const code = { [EMITTER]: { code: '0x5f5ffd' } }
    await expect(forked.ask('eth_call', { to: EMITTER }, '0x1', code)).rejects.toMatchObject({
      code: 3,
      message: 'execution reverted',
      data: '0x',
    })
    await expect(forked.ask('debug_traceBlockByNumber', 'earliest', {})).rejects.toMatchObject({
      code: -32000,
      message: 'genesis is not traceable',
    })
  })

  test('error: the upstream does not answer', async () => {
    const forked = await fork({ forkTimeout: 1000 })
    proxy.play(() => ({ kind: 'http', status: 500 }))
    onTestFinished(() => proxy.play())
    await expect(forked.ask('eth_getBlockReceipts', '0x1')).rejects.toMatchObject({
      code: -32000,
      message: expect.stringMatching(/^upstream did not answer eth_getBlockReceipts: HTTP 500, /),
    })
    // What is known goes on answering.
    expect(await forked.ask('eth_getBlockByNumber', 'latest', false)).toMatchObject({
      number: quantity(FORK),
    })
  })
})

test('Hardhat’s own network as upstream takes hashes in objects only', async () => {
  const hre = await createHardhatRuntimeEnvironment({ networks: {} })
  const server = await hre.network.createServer('default', '127.0.0.1', 0)
  const { port } = await server.listen()
  onTestFinished(() => server.close())
  const url = `http://127.0.0.1:${port}`
  const edr = askerAt(url)
  await edr('hardhat_mine', '0x5')
  const forked = await fork({ fork: url, forkBlockNumber: 5 })
  const call = { to: NOBODY, value: '0x0' }
  for (const [method, ...params] of [
    ['eth_getProof', NOBODY, [topicOf(0)], '0x5'],
    ['eth_getProof', NOBODY, [topicOf(0)], '0x4'],
    ['eth_getBlockByNumber', '0x5', true],
    ['eth_getBlockByNumber', '0x3', false],
    ['eth_getBlockTransactionCountByNumber', '0x5'],
    ['debug_traceCall', call, '0x4', {}],
    ['eth_feeHistory', '0x3', '0x4', [50]],
    ['eth_getLogs', { fromBlock: '0x0', toBlock: '0x5' }],
  ] as const) {
    expect(await forked.ask(method, ...params)).toEqual(await edr(method, ...params))
  }
})

test('a state file without an upstream names what it does not hold', async () => {
  const file = temporaryFile('fork.json', '{}')
  const before = await startDevnet({
    fork: proxy.url,
    forkBlockNumber: FORK,
    noForkCache: true,
    dumpState: file,
  })
  const latest = await askerOf(before)('eth_getBlockByNumber', 'latest', false)
  await before.stop()
  const node = await startDevnet({ loadState: file })
  onTestFinished(() => node.stop())
  const alone = askerOf(node)
  expect(await alone('eth_getBlockByNumber', 'latest', false)).toEqual(latest)
  const missing = (method: string) => ({
    code: -32001,
    message: `the state file does not hold what ${method} asks for, and there is no upstream: start the node with --fork, or call anvil_setRpcUrl`,
  })
  for (const [method, ...params] of [
    ['eth_getBlockByNumber', '0x2', false],
    ['eth_getBlockReceipts', 'latest'],
    ['eth_getLogs', { fromBlock: '0x2' }],
    ['eth_getProof', NOBODY, [], 'latest'],
    ['eth_getTransactionReceipt', hashes[0]],
  ] as const) {
    await expect(alone(method, ...params)).rejects.toMatchObject(missing(method))
  }
  expect(await alone('eth_getBlockByNumber', quantity(FORK + 1), false)).toBeNull()
})

describe('the state of the fork block is this node’s', () => {
  test('default: funds and cheats are in it', async () => {
    const forked = await fork({ balance: 77 })
    const [address] = forked.node.accounts.map((account) => account.address)
    const fork77 = quantity(77n * 10n ** 18n)
    for (const block of [quantity(FORK), 'latest', 'pending']) {
      expect(await forked.ask('eth_getBalance', address, block)).toBe(fork77)
    }
    expect(await forked.ask('eth_getBalance', address, '0x5')).not.toBe(fork77)
    await forked.ask('hardhat_setBalance', NOBODY, '0x1234')
    expect(await forked.ask('eth_getBalance', NOBODY, quantity(FORK))).toBe('0x1234')
    await forked.ask('hardhat_setCode', EMITTER, '0x602a5f5260205ff3')
    const answer = await forked.ask('eth_call', { to: EMITTER }, quantity(FORK))
    expect(answer).toBe(`0x${'2a'.padStart(64, '0')}`)
    expect(await forked.ask('eth_call', { to: EMITTER }, '0x5')).toBe('0x')
  })

  test('a slot that was set to zero holds, known or not', async () => {
    const slot = topicOf(0)
    const word = (value: number) => topicOf(value)
    for (const isKnown of [true, false]) {
      const forked = await fork()
      const read = (block: string) => forked.ask('eth_getStorageAt', STORE, slot, block)
      if (isKnown) expect(await read('latest')).toBe(word(0x77))
      await forked.ask('hardhat_setStorageAt', STORE, slot, word(0))
      expect(await read(quantity(FORK))).toBe(word(0))
      expect(await forked.ask('eth_call', { to: STORE }, 'latest')).toBe(word(0))
      await forked.emit(0x70)
      expect(await read('latest')).toBe(word(0))
      expect(await read(quantity(FORK - 1))).toBe(word(0x77))
    }
  })

  test('nonces go on from the upstream’s, and its mempool is not asked', async () => {
    const forked = await fork()
    const [address] = forked.node.accounts.map((account) => account.address)
    const nonce = (block: string) => forked.ask('eth_getTransactionCount', address, block)
    expect(await nonce('pending')).toBe(quantity(2 * FORK))
    await forked.ask('eth_sendTransaction', { from: address, to: NOBODY, gas: '0x5208' })
    await forked.ask('preconf_advance', { ticks: 1 })
    expect([await nonce('latest'), await nonce('pending'), await nonce('0x5')]).toEqual(
      [2 * FORK, 2 * FORK + 1, 10].map((count) => quantity(count)),
    )
    const blocks = proxy.requests.flatMap(({ items }) => items.flatMap(({ params }) => params))
    expect(blocks).not.toContain('pending')
    expect(blocks).not.toContain('latest')
  })

  test('an account of the upstream is impersonated', async () => {
    const forked = await fork()
    await forked.ask('hardhat_impersonateAccount', NOBODY)
    await forked.ask('hardhat_setBalance', NOBODY, quantity(10n ** 18n))
    const request = { from: NOBODY, to: EMITTER, data: topicOf(5), gas: '0x186a0' }
    const hash = await forked.ask<Hex>('eth_sendTransaction', request)
    await forked.ask('preconf_advance', { blocks: 1 })
    expect(await forked.ask('eth_getTransactionReceipt', hash)).toMatchObject({
      from: NOBODY,
      status: '0x1',
      logs: [{ topics: [topicOf(5)] }, { topics: [] }],
    })
  })

  test('proofs are the upstream’s, and there are none of own blocks', async () => {
    const forked = await fork()
    const number = quantity(FORK)
    expect(await forked.ask('eth_getProof', NOBODY, [], 'latest')).toEqual(
      await ask('eth_getProof', NOBODY, [], number),
    )
    await forked.emit(0x70)
    for (const block of ['latest', 'pending', quantity(FORK + 1)]) {
      await expect(forked.ask('eth_getProof', NOBODY, [], block)).rejects.toMatchObject({
        code: -32000,
        message: expect.stringMatching(/^eth_getProof needs a state root that commits /),
      })
    }
    expect(await forked.ask('eth_getAccount', NOBODY, number)).toEqual(
      await ask('eth_getAccount', NOBODY, number),
    )
  })
})

describe('across the border', () => {
  interface Log {
    readonly blockNumber: Hex
    readonly topics: readonly Hex[]
    readonly blockHash: Hex
  }

  const topicsOf = (logs: readonly Log[]) =>
    logs.flatMap(({ topics }) => (topics[0] === undefined ? [] : [Number(topics[0])]))

  test('default: logs', async () => {
    const forked = await fork()
    await forked.emit(0x70)
    await forked.emit(0x80)
    const filter = { address: EMITTER, fromBlock: '0x3' }
    const logs = await forked.ask<Log[]>('eth_getLogs', filter)
    expect(topicsOf(logs)).toEqual([3, 4, 5, 6, 0x70, 0x80])
    const older = { ...filter, toBlock: quantity(FORK) }
    expect(await forked.ask('eth_getLogs', older)).toEqual(await ask('eth_getLogs', older))
    expect(logs.slice(0, 8)).toEqual(await ask('eth_getLogs', older))
    const topics = [[topicOf(5), topicOf(0x80)]]
    const chosen = await forked.ask<Log[]>('eth_getLogs', { fromBlock: 'earliest', topics })
    expect(topicsOf(chosen)).toEqual([5, 0x80])
  })

  test('an upstream that answers few blocks at once', async () => {
    const forked = await fork()
    await forked.emit(0x70)
    proxy.reset()
    proxy.play(({ items }) => ({
      kind: 'answers',
      change: (answers) => {
        const changed = answers.map((answer, index) => {
          const { method, params, id } = items[index] ?? { method: '', params: [], id: 0 }
          const [range] = params as [{ fromBlock: Hex; toBlock: Hex }]
          if (method !== 'eth_getLogs' || Number(range.toBlock) - Number(range.fromBlock) < 2) {
            return answer
          }
          const error = { code: -32005, message: 'up to a 2 block range' }
          return { jsonrpc: '2.0', id, error }
        })
        return items.length === 1 ? changed[0] : changed
      },
    }))
    onTestFinished(() => proxy.play())
    const logs = await forked.ask<Log[]>('eth_getLogs', { fromBlock: '0x1' })
    expect(topicsOf(logs)).toEqual([1, 2, 3, 4, 5, 6, 0x70])
    // 1 to 6 and 1 to 3 are refused; 1 and 2 answer, and what is left goes out at once.
    expect([proxy.requests.length, proxy.items('eth_getLogs')]).toEqual([4, 5])
  })

  test('filters, before and after a reset', async () => {
    const forked = await fork()
    const all = await forked.ask<Hex>('eth_newFilter', { fromBlock: '0x5' })
    const later = await forked.ask<Hex>('eth_newFilter', {})
    const blocks = await forked.ask<Hex>('eth_newBlockFilter')
    await forked.emit(0x70)
    expect(topicsOf(await forked.ask<Log[]>('eth_getFilterChanges', all))).toEqual([5, 6, 0x70])
    expect(topicsOf(await forked.ask<Log[]>('eth_getFilterChanges', later))).toEqual([0x70])
    expect(await forked.ask('eth_getFilterChanges', blocks)).toHaveLength(1)
    expect(topicsOf(await forked.ask<Log[]>('eth_getFilterLogs', all))).toEqual([5, 6, 0x70])
    const forking = { jsonRpcUrl: proxy.url, blockNumber: FORK + 2 }
    await forked.ask('hardhat_reset', { forking })
    for (const id of [later, blocks]) {
      expect(await forked.ask('eth_getFilterChanges', id)).toEqual([])
    }
    const hash = await forked.emit(0x90)
    const receipt = await forked.ask<Log>('eth_getTransactionReceipt', hash)
    expect(topicsOf(await forked.ask<Log[]>('eth_getFilterChanges', later))).toEqual([0x90])
    expect(await forked.ask('eth_getFilterChanges', blocks)).toEqual([receipt.blockHash])
  })

  test('eth_feeHistory', async () => {
    const forked = await fork()
    await forked.emit(0x70)
    interface Fees {
      readonly oldestBlock: Hex
      readonly baseFeePerGas: readonly Hex[]
      readonly gasUsedRatio: readonly number[]
      readonly reward: readonly (readonly Hex[])[]
    }
    const fees = await forked.ask<Fees>('eth_feeHistory', '0x3', 'latest', [50])
    const older = await ask<Fees>('eth_feeHistory', '0x2', quantity(FORK), [50])
    expect(fees.oldestBlock).toBe(older.oldestBlock)
    expect(fees.reward).toHaveLength(3)
    expect(fees.reward.slice(0, 2)).toEqual(older.reward)
    expect(fees.gasUsedRatio.slice(0, 2)).toEqual(older.gasUsedRatio)
    const shown = [FORK - 1, FORK, FORK + 1].map((number) =>
      forked.ask<{ baseFeePerGas: Hex }>('eth_getBlockByNumber', quantity(number), false),
    )
    expect(fees.baseFeePerGas.slice(0, 3)).toEqual(
      (await Promise.all(shown)).map(({ baseFeePerGas }) => baseFeePerGas),
    )
  })

  test('subscriptions tell of own blocks only', async () => {
    const forked = await fork()
    const told: unknown[] = []
    forked.node.provider.on('message', ({ data }) => told.push(data))
    const [heads, logs] = [
      await forked.ask<Hex>('eth_subscribe', 'newHeads'),
      await forked.ask<Hex>('eth_subscribe', 'logs', { address: EMITTER, topics: [topicOf(0x70)] }),
    ]
    await ask('preconf_advance', { blocks: 1 })
    await forked.emit(0x70)
    const number = quantity(FORK + 1)
    expect(told).toMatchObject([
      { subscription: heads, result: { number } },
      { subscription: logs, result: { blockNumber: number, topics: [topicOf(0x70)] } },
    ])
  })

  test('eth_getTransactionBySenderAndNonce', async () => {
    const forked = await fork()
    const [address] = upstream.accounts.map((account) => account.address)
    const method = 'eth_getTransactionBySenderAndNonce'
    expect(await forked.ask(method, address, '0x1')).toEqual(await ask(method, address, '0x1'))
    const hash = await forked.emit(0x70)
    expect(await forked.ask(method, address, quantity(2 * FORK))).toMatchObject({ hash })
    expect(await forked.ask(method, address, quantity(2 * FORK + 1))).toBeNull()
  })
})

/** What anvil, forked as this node is, must answer alike. */
const ALIKE: readonly (readonly [string, ...unknown[]])[] = [
  ...['0x0', '0x1', '0x5', '0x6'].flatMap((block) => [
    ['eth_getBalance', NOBODY, block] as const,
    ['eth_getCode', EMITTER, block] as const,
    ['eth_getStorageAt', STORE, '0x0', block] as const,
    ['eth_call', { to: STORE }, block] as const,
    ['eth_call', { to: EMITTER, data: topicOf(9) }, block] as const,
    ['eth_getBlockTransactionCountByNumber', block] as const,
    ['eth_getUncleCountByBlockNumber', block] as const,
    ['eth_estimateGas', { to: EMITTER, data: topicOf(9) }, block] as const,
    ['eth_createAccessList', { to: NOBODY, data: topicOf(9) }, block] as const,
  ]),
  // anvil has none in the fork block.
  ...['0x0', '0x1', '0x5'].map(
    (block) => ['eth_getTransactionByBlockNumberAndIndex', block, '0x0'] as const,
  ),
  ['eth_getBlockByNumber', '0x5', true],
  ['eth_getBlockByNumber', '0x6', false],
  ['eth_getBlockReceipts', '0x5'],
  ['eth_feeHistory', '0x2', '0x5', [50]],
  ['eth_blockNumber'],
  ['eth_getTransactionCount', NOBODY, 'latest'],
  ['eth_getBlockByNumber', '0x8', false],
  ['eth_getLogs', { address: EMITTER, fromBlock: '0x2', toBlock: '0x5' }],
  ['eth_getLogs', { fromBlock: '0x1', toBlock: '0x6', topics: [[topicOf(2), topicOf(6)]] }],
  ['eth_getProof', NOBODY, [topicOf(0)], '0x5'],
]

const program = anvilProgram()
test.skipIf(program === undefined)('answers as a forked anvil does', async () => {
  const place = ['--fork-url', proxy.url, '--fork-block-number', String(FORK)]
  const { child, url } = await startAnvil(program ?? '', ...place, '--no-storage-caching')
  onTestFinished(async () => {
    const exited = once(child, 'exit')
    child.kill('SIGKILL')
    await exited
  })
  const anvil = askerAt(url)
  const forked = await fork()
  const receipts = hashes.slice(0, 4).map((hash) => ['eth_getTransactionReceipt', hash] as const)
  const transactions = hashes.slice(0, 4).map((hash) => ['eth_getTransactionByHash', hash] as const)
  const questions = [...ALIKE, ...receipts, ...transactions]
  expect(await differences(questions, forked.ask, anvil)).toEqual([])
  // The upstream's part stays as it was when there are own blocks.
  await forked.emit(0x70)
  const [from] = forked.node.accounts.map(({ address }) => address)
  const request = { from, to: EMITTER, data: topicOf(0x70), gas: '0x186a0' }
  await anvil('eth_sendTransactionSync', request)
  const own = [
    ['eth_getTransactionCount', from, 'latest'],
    ['eth_call', { to: STORE }, 'latest'],
    ['eth_getBalance', NOBODY, 'latest'],
  ] as const
  expect(await differences([...questions, ...own], forked.ask, anvil)).toEqual([])
  const filter = { address: EMITTER, fromBlock: '0x5', toBlock: 'latest' }
  const [ours, theirs] = [
    await forked.ask<{ topics: Hex[] }[]>('eth_getLogs', filter),
    await anvil<{ topics: Hex[] }[]>('eth_getLogs', filter),
  ]
  expect(ours.map(({ topics }) => topics)).toEqual(theirs.map(({ topics }) => topics))
  expect(ours).toHaveLength(6)
})

/** The questions to which two nodes have different answers, with these. */
async function differences(
  questions: readonly (readonly [string, ...unknown[]])[],
  ask: Ask,
  askOther: Ask,
): Promise<unknown[]> {
  const found: unknown[] = []
  for (const [method, ...params] of questions) {
    const answers = await Promise.all(
      [ask, askOther].map((one) => one(method, ...params).catch((error: unknown) => error)),
    )
    const [ours, theirs] = answers.map((answer) => JSON.stringify(sorted(answer)))
    const isFailed = answers.some((answer) => answer instanceof Error)
    if (isFailed || ours !== theirs) found.push({ question: [method, ...params], answers })
  }
  return found
}

/** With the fields of objects in alphabetical order. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, each]) => [name, sorted(each)]),
  )
}
