import { encodeFunctionData, keccak256, pad } from 'viem'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import type { OptionsInput } from '../../../devnet/options/options.ts'
import { fromHex, type Hex } from '../../../devnet/primitives/hex.ts'
import { artifact } from '../../support/solidity.ts'
import { createEmitterChain, EMITTER, topicOf } from '../stream/emitterChain.ts'
import { createRpcChain, hex, SLOW_CLOCKS, ZERO_HASH } from './methods/rpcChain.ts'

/** The clocks run, but move only by command; reads of `pending` tick. */
async function create(options: OptionsInput = {}) {
  const node = await createRpcChain({ ...SLOW_CLOCKS, readOwnWrites: true, ...options })
  const [from, to] = [node.account(0).address, node.account(1).address]
  return {
    ...node,
    from,
    to,
    send: (fields: object = {}) =>
      node.call<Hex>('eth_sendTransaction', { from, to, value: '0x1', gas: '0x5208', ...fields }),
    nonce: (block = 'pending') => node.call('eth_getTransactionCount', from, block),
    /** How many ticks the pending block has had. */
    ticks: () => node.chain.pending.ticks,
  }
}

type Node = Awaited<ReturnType<typeof create>>

/** A request, by a chain on which the transaction `hash` waits. */
type Ask = (node: Node, hash: Hex) => Promise<unknown>

const HEX = expect.stringMatching(/^0x/)

describe('runs a tick first', () => {
  test.each<[string, Ask, unknown]>([
    ['eth_getTransactionCount', ({ nonce }) => nonce(), '0x1'],
    [
      'eth_getBalance',
      ({ call, to }) => call('eth_getBalance', to, 'pending'),
      hex(10_000n * 10n ** 18n + 1n),
    ],
    ['eth_getCode', ({ call, to }) => call('eth_getCode', to, 'pending'), '0x'],
    [
      'eth_getBlockByNumber',
      ({ call }) => call('eth_getBlockByNumber', 'pending', false),
      expect.objectContaining({ number: '0x1', transactions: [HEX] }),
    ],
    [
      'eth_getBlockTransactionCountByNumber',
      ({ call }) => call('eth_getBlockTransactionCountByNumber', 'pending'),
      '0x1',
    ],
    [
      'eth_getTransactionByBlockNumberAndIndex',
      ({ call }) => call('eth_getTransactionByBlockNumberAndIndex', 'pending', '0x0'),
      expect.objectContaining({ blockNumber: '0x1' }),
    ],
    [
      'eth_getBlockReceipts',
      ({ call }) => call('eth_getBlockReceipts', 'pending'),
      [expect.anything()],
    ],
    [
      'eth_getTransactionByHash',
      ({ call }, hash) => call('eth_getTransactionByHash', hash),
      expect.objectContaining({ blockNumber: '0x1', transactionIndex: '0x0' }),
    ],
    [
      'eth_getTransactionReceipt',
      ({ call }, hash) => call('eth_getTransactionReceipt', hash),
      expect.objectContaining({ blockHash: ZERO_HASH, status: '0x1' }),
    ],
    ['eth_call', ({ call, to }) => call('eth_call', { to }, 'pending'), '0x'],
    ['eth_estimateGas', ({ call, from, to }) => call('eth_estimateGas', { from, to }), '0x5208'],
    [
      'eth_createAccessList',
      ({ call, to }) => call('eth_createAccessList', { to }, 'pending'),
      expect.objectContaining({ accessList: [] }),
    ],
    [
      'eth_fillTransaction',
      ({ call, from, to }) => call('eth_fillTransaction', { from, to }),
      { raw: HEX, tx: expect.objectContaining({ nonce: '0x1' }) },
    ],
    [
      'eth_simulateV1',
      ({ call, from, to }) =>
        call('eth_simulateV1', { blockStateCalls: [{ calls: [{ from, to }] }] }, 'pending'),
      [expect.objectContaining({ number: '0x1' })],
    ],
    [
      'eth_feeHistory',
      ({ call }) => call('eth_feeHistory', '0x1', 'pending', [50]),
      expect.objectContaining({ oldestBlock: '0x1', reward: [['0x3b9aca00']] }),
    ],
    ['eth_getLogs', ({ call }) => call('eth_getLogs', {}), []],
    [
      'eth_getLogs to pending',
      ({ call }) => call('eth_getLogs', { fromBlock: 'earliest', toBlock: 'pending' }),
      [],
    ],
    ['eth_newFilter', ({ call }) => call('eth_newFilter', {}), '0x1'],
    [
      'debug_traceTransaction',
      ({ call }, hash) => call('debug_traceTransaction', hash, { tracer: 'callTracer' }),
      expect.objectContaining({ type: 'CALL' }),
    ],
    [
      'debug_traceBlockByNumber',
      ({ call }) => call('debug_traceBlockByNumber', 'pending', { tracer: 'callTracer' }),
      [expect.objectContaining({ txHash: HEX })],
    ],
    [
      'debug_traceCall',
      ({ call, to }) => call('debug_traceCall', { to }, 'pending', { tracer: 'callTracer' }),
      expect.objectContaining({ type: 'CALL' }),
    ],
  ])('%s', async (_, ask, answer) => {
    const node = await create()
    const hash = await node.send()
    expect(await ask(node, hash)).toEqual(answer)
    expect(node.chain.pending.executed.length).toBe(1)
    expect(node.ticks()).toBe(1)
  })

  test.each(['eth_getFilterChanges', 'eth_getFilterLogs'])(
    '%s of a filter that ends at pending',
    async (method) => {
      const { call, emit } = await createEmitterChain({ ...SLOW_CLOCKS, readOwnWrites: true })
      const id = await call('eth_newFilter', { address: EMITTER })
      await emit(7)
      expect(await call(method, id)).toEqual([
        expect.objectContaining({ topics: [topicOf(7)], blockHash: ZERO_HASH }),
        expect.objectContaining({ topics: [] }),
      ])
    },
  )
})

describe('leaves what waits alone', () => {
  test.each<[string, Ask]>([
    ['latest', ({ nonce }) => nonce('latest')],
    ['no block', ({ call, to }) => call('eth_getBalance', to)],
    ['a number', ({ nonce }) => nonce('0x0')],
    ['safe', ({ nonce }) => nonce('safe')],
    ['eth_call of latest', ({ call, to }) => call('eth_call', { to })],
    ['eth_blockNumber', ({ call }) => call('eth_blockNumber')],
    ['eth_gasPrice', ({ call }) => call('eth_gasPrice')],
    ['eth_getLogs to latest', ({ call }) => call('eth_getLogs', { toBlock: 'latest' })],
    ['txpool_status', ({ call }) => call('txpool_status')],
    ['txpool_content', ({ call }) => call('txpool_content')],
    ['eth_pendingTransactions', ({ call }) => call('eth_pendingTransactions')],
    ['preconf_status', ({ call }) => call('preconf_status')],
    ['eth_newBlockFilter', ({ call }) => call('eth_newBlockFilter')],
    [
      'eth_getFilterChanges of blocks',
      async ({ call }) => call('eth_getFilterChanges', await call('eth_newBlockFilter')),
    ],
  ])('%s', async (_, ask) => {
    const node = await create()
    const hash = await node.send()
    await ask(node, hash)
    expect(node.chain.findTransaction(hash)?.at).toBe('mempool')
    expect(node.ticks()).toBe(0)
  })

  test('a look-up by hash of what is pre-confirmed', async () => {
    const { send, call, chain } = await create()
    const first = await send()
    await call('eth_getTransactionReceipt', first)
    await send()
    expect(await call('eth_getTransactionReceipt', first)).not.toBeNull()
    expect(chain.mempool.runnableCount).toBe(1)
  })

  test('the option is off, as it is by default', async () => {
    const { send, nonce, chain } = await create({ readOwnWrites: undefined })
    await send()
    expect(await nonce()).toBe('0x0')
    expect(chain.mempool.runnableCount).toBe(1)
  })

  test.each([{ frozenTicks: true }, { frozenTicks: true, frozen: true }])(
    'ticks are frozen: %o',
    async (options) => {
      const { send, nonce, call, ticks } = await create(options)
      const hash = await send()
      expect(await nonce()).toBe('0x0')
      expect(await call('eth_getTransactionReceipt', hash)).toBeNull()
      expect(ticks()).toBe(0)
    },
  )

  test('it is behind a nonce gap', async () => {
    const { send, nonce, call, ticks } = await create()
    const hash = await send({ nonce: '0x1' })
    expect(await nonce()).toBe('0x0')
    expect(await call('eth_getTransactionReceipt', hash)).toBeNull()
    expect(ticks()).toBe(0)
  })

  test('a tick has found that it cannot run', async () => {
    const { send, nonce, call, ticks, from, account } = await create()
    await call('preconf_freeze', { ticks: true })
    const hash = await send()
    // It can no longer pay for its gas.
    await call('hardhat_setBalance', from, '0x1')
    await call('preconf_resume')
    expect(await nonce()).toBe('0x0')
    const after = ticks()
    expect(await nonce()).toBe('0x0')
    expect(await call('eth_getTransactionReceipt', hash)).toBeNull()
    expect(ticks()).toBe(after)
    // Whatever arrives is tried again.
    await send({ from: account(2).address })
    expect(await nonce()).toBe('0x0')
    expect(ticks()).toBe(after + 1)
  })
})

test('it does not matter who sent', async () => {
  const { send, nonce, call, account } = await create()
  await send({ from: account(2).address })
  expect(await nonce()).toBe('0x0')
  expect(await call('eth_getTransactionCount', account(2).address, 'pending')).toBe('0x1')
})

test('a tick of the clock that found nothing is no reason to wait', async () => {
  const { send, nonce, clocks } = await create()
  await clocks.advanceTicks(1)
  await send()
  expect(await nonce()).toBe('0x1')
})

test('frozen sealing leaves ticks to the reads', async () => {
  const { send, nonce, chain } = await create({ frozen: true })
  await send()
  expect(await nonce()).toBe('0x1')
  expect(chain.head.number).toBe(0)
})

test('a contract is used with the line after the one that creates it', async () => {
  const { call, from, to } = await create()
  const token = artifact('Token')
  const data = `${token.bytecode}${pad('0x3e8').slice(2)}`
  const hash = await call('eth_sendTransaction', { from, data })
  const { contractAddress } = await call<{ contractAddress: Hex }>(
    'eth_getTransactionReceipt',
    hash,
  )
  const transfer = (sender: Hex, recipient: Hex) => ({
    from: sender,
    to: contractAddress,
    data: encodeFunctionData({
      abi: token.abi,
      functionName: 'transfer',
      args: [recipient, 1000n],
    }),
  })
  await call('eth_sendTransaction', transfer(from, to))
  // Reverts but after the first transfer.
  expect(await call('eth_estimateGas', transfer(to, from))).toMatch(/^0x/)
})

describe('a send that is paid from one before it', () => {
  const poor: Hex = `0x${'77'.repeat(20)}`
  const cost = hex(10n ** 18n)

  /** A chain on which a payment to an account without funds waits. */
  async function createPaid(options: OptionsInput = {}) {
    const node = await create(options)
    await node.call('hardhat_impersonateAccount', poor)
    return { ...node, paid: await node.send({ to: poor, value: cost }) }
  }

  test.each(['eth_sendTransaction', 'eth_sendTransactionSync'])('%s', async (method) => {
    const { call, clocks, chain, paid, from } = await createPaid()
    const request = { from: poor, to: from, value: '0x1', gas: '0x5208' }
    const admitted = new Promise((resolve) => {
      chain.events.admitted.add(resolve)
    })
    const sent = call<Hex | { transactionHash: Hex }>(method, request)
    await admitted
    // The tick that a wait for the receipt ends with comes by command here.
    await clocks.advanceTicks(1)
    const answer = await sent
    const hash = typeof answer === 'string' ? answer : answer.transactionHash
    expect(await call('eth_getTransactionReceipt', hash)).toMatchObject({
      transactionIndex: '0x1',
      status: '0x1',
    })
    expect(await call('eth_getTransactionReceipt', paid)).toMatchObject({ transactionIndex: '0x0' })
  })

  test('a hundred of them share one tick, and keep their order', async () => {
    const { call, ticks, from } = await createPaid()
    const before = ticks()
    const sends = Array.from({ length: 100 }, () =>
      call<Hex>('eth_sendTransaction', { from: poor, to: from, gas: '0x5208' }),
    )
    const hashes = await Promise.all(sends)
    expect(ticks()).toBe(before + 1)
    const { transactions } = await call<{ transactions: Hex[] }>('eth_getBlockByNumber', 'pending')
    expect(transactions.slice(1)).toEqual(hashes)
  })

  test.each<[string, OptionsInput]>([
    ['what waits does not pay enough', {}],
    ['ticks are frozen', { frozenTicks: true }],
    ['the option is off', { readOwnWrites: false }],
  ])('is refused if %s', async (_, options) => {
    const { call, failure, chain } = await createPaid(options)
    const isTaken = options.frozenTicks !== true && options.readOwnWrites !== false
    const value = hex(10n ** 19n)
    const want = await failure('eth_sendTransaction', {
      from: poor,
      to: poor,
      value,
      gas: '0x5208',
    })
    expect(want).toEqual({
      code: -32000,
      message: expect.stringMatching(
        new RegExp(
          `^insufficient funds for gas \\* price \\+ value: have ${isTaken ? BigInt(cost) : 0} want `,
        ),
      ),
    })
    expect(chain.pending.executed.length).toBe(isTaken ? 1 : 0)
    expect(await call('eth_getTransactionCount', poor, 'latest')).toBe('0x0')
  })
})

describe('at the same time', () => {
  test('a hundred reads share one tick', async () => {
    const { send, nonce, ticks, call, from } = await create()
    await nonce('latest')
    const hash = await send()
    const reads = Array.from({ length: 100 }, (_, index) =>
      index % 2 === 0 ? nonce() : call('eth_getBlockTransactionCountByNumber', 'pending'),
    )
    expect(new Set(await Promise.all(reads))).toEqual(new Set(['0x1']))
    expect(ticks()).toBe(1)
    expect(await call('eth_getTransactionReceipt', hash)).toMatchObject({ from })
    expect(ticks()).toBe(1)
  })

  test('reads during the tick share it, but not with what arrives during it', async () => {
    const { send, nonce, call, chain, from, ticks } = await create()
    const raw = await call<Hex>('eth_signTransaction', { from, to: from, nonce: '0x1' })
    await nonce()
    await send()
    const during: Promise<unknown>[] = []
    const runnable = chain.mempool.runnable.bind(chain.mempool)
    vi.spyOn(chain.mempool, 'runnable').mockImplementationOnce((baseFee) => {
      const candidates = runnable(baseFee)
      during.push(nonce(), nonce())
      chain.submit(fromHex(raw))
      during.push(nonce(), nonce())
      return candidates
    })
    expect(await nonce()).toBe('0x1')
    // The first two may see more than was there when they began, as another tick follows at once.
    expect(await Promise.all(during)).toEqual([expect.anything(), expect.anything(), '0x2', '0x2'])
    expect(ticks()).toBe(2)
    expect(await call('eth_getTransactionReceipt', keccak256(raw))).toMatchObject({
      transactionIndex: '0x1',
    })
  })

  test('sends that are not awaited come before the read after them', async () => {
    const { send, nonce, ticks } = await create()
    const sends = [send(), send(), send()]
    expect(await nonce()).toBe('0x3')
    expect(ticks()).toBe(1)
    await Promise.all(sends)
  })

  test('under load, where senders are recovered on another thread', async () => {
    const { call, nonce, from } = await create()
    const raws = await Promise.all(
      Array.from({ length: 40 }, (_, index) =>
        call<Hex>('eth_signTransaction', { from, to: from, nonce: hex(index) }),
      ),
    )
    await nonce()
    const sends = raws.map((raw) => call('eth_sendRawTransaction', raw))
    expect(await nonce()).toBe(hex(40))
    await Promise.all(sends)
  })

  test('in instant mode', async () => {
    const { send, nonce, call, chain } = await create({ instant: true, frozenTicks: false })
    // Without gas, each is first estimated.
    const sends = [send({ gas: undefined }), send(), send({ gas: undefined })]
    expect(await nonce()).toBe('0x3')
    expect(chain.head.number).toBe(3)
    const hashes = await Promise.all(sends)
    expect(await call('eth_getTransactionReceipt', hashes[2])).toMatchObject({ blockNumber: '0x3' })
  })

  test('a command after the read does not change its answer', async () => {
    const { send, call, to } = await create()
    // Loads the methods, so that all three begin at once.
    await call('eth_getBalance', to, 'pending')
    await call('hardhat_setBalance', to, '0x10')
    await send()
    const read = call('eth_getBalance', to, 'pending')
    const command = call('hardhat_setBalance', to, '0x5')
    expect(await read).toBe('0x11')
    await command
  })
})

describe('inside a listener', () => {
  test.each(['ticked', 'sealed', 'written', 'admitted'] as const)(
    '%s: the present view',
    async (name) => {
      const { chain, clocks, call, from, account } = await create()
      const raw = (index: number) =>
        call<Hex>('eth_signTransaction', { from: account(index).address, to: from })
      const [first, second] = [await raw(1), await raw(2)]
      await call('eth_getTransactionByHash', ZERO_HASH)
      await call('eth_getBlockTransactionCountByNumber', 'pending')
      const answers: Promise<unknown>[] = []
      let isFirst = true
      const stop = chain.events[name].add(() => {
        if (!isFirst) return
        isFirst = false
        chain.submit(fromHex(second))
        answers.push(
          call('eth_getBlockTransactionCountByNumber', 'pending'),
          call('eth_getTransactionByHash', keccak256(second)),
        )
      })
      onTestFinished(stop)
      chain.submit(fromHex(first))
      await clocks.advanceBlocks(1)
      const [count, found] = await Promise.all(answers)
      expect(count).toBe({ ticked: '0x1', sealed: '0x0', written: '0x0', admitted: '0x0' }[name])
      expect(found).toMatchObject({ blockNumber: null })
      // The next read does not.
      expect(await call('eth_getTransactionByHash', keccak256(second))).toMatchObject({
        blockNumber: expect.stringMatching(/0x[12]/),
      })
    },
  )
})

test('inside a listener of an undo, too, the present view', async () => {
  const { chain, call, from, account } = await create()
  const raw = await call<Hex>('eth_signTransaction', { from: account(1).address, to: from })
  await call('eth_getBlockTransactionCountByNumber', 'pending')
  const id = await call('evm_snapshot')
  const answers: Promise<unknown>[] = []
  const stop = chain.events.undone.add(() => {
    chain.submit(fromHex(raw))
    answers.push(call('eth_getBlockTransactionCountByNumber', 'pending'))
  })
  onTestFinished(stop)
  await call('evm_revert', id)
  expect(await Promise.all(answers)).toEqual(['0x0'])
})

describe('a block that is full', () => {
  // Room for one in each block.
  const options = { gasLimit: 40_000 }

  test('is sealed early, until all is in', async () => {
    const { send, nonce, chain, call } = await create(options)
    const hashes = [await send(), await send(), await send()]
    expect(await nonce()).toBe('0x3')
    expect(chain.head.number).toBe(2)
    expect(chain.pending.executed.length).toBe(1)
    const receipts = await Promise.all(
      hashes.map((hash) => call<{ blockNumber: Hex }>('eth_getTransactionReceipt', hash)),
    )
    expect(receipts.map(({ blockNumber }) => blockNumber)).toEqual(['0x1', '0x2', '0x3'])
    // Nothing waits, so nothing is sealed.
    expect(await nonce()).toBe('0x3')
    expect(chain.head.number).toBe(2)
  })

  test('stays open while sealing is frozen', async () => {
    const { send, nonce, chain, clocks } = await create({ ...options, frozen: true })
    await send()
    const waiting = await send()
    expect(await nonce()).toBe('0x1')
    expect(await nonce()).toBe('0x1')
    expect(chain.findTransaction(waiting)?.at).toBe('mempool')
    await clocks.resume()
    expect(await nonce()).toBe('0x2')
    expect(chain.head.number).toBe(1)
  })

  test('stays open for what would not run in the next one either', async () => {
    const { send, nonce, chain, call, account } = await create(options)
    await send()
    // Offers too little once the base fee has risen.
    await call('preconf_freeze', { ticks: true })
    await send({
      from: account(2).address,
      maxFeePerGas: hex(1_100_000_000),
      maxPriorityFeePerGas: '0x0',
    })
    await call('hardhat_setNextBlockBaseFeePerGas', hex(2_000_000_000))
    await call('preconf_resume')
    expect(await nonce()).toBe('0x1')
    expect(chain.head.number).toBe(0)
  })
})

describe('args: syncTimeout', () => {
  /** The write queue is held up, and a read waits for its tick. */
  async function createHeldUp() {
    const node = await create({ syncTimeout: 3000 })
    await node.nonce()
    await node.send()
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    onTestFinished(() => void vi.useRealTimers())
    const { promise, resolve } = Promise.withResolvers<void>()
    const job = node.chain.write(() => promise)
    return {
      ...node,
      release: () => {
        resolve()
        return job
      },
    }
  }

  test('a held up queue is awaited', async () => {
    const { nonce, release } = await createHeldUp()
    const reading = nonce()
    vi.advanceTimersByTime(2999)
    await release()
    expect(await reading).toBe('0x1')
  })

  test('the present view after it', async () => {
    const { nonce, release } = await createHeldUp()
    const reading = nonce()
    vi.advanceTimersByTime(3000)
    expect(await reading).toBe('0x0')
    await release()
    expect(await nonce()).toBe('0x1')
  })

  test('a client that hangs up waits no longer', async () => {
    const { callAs, from } = await createHeldUp()
    const client = new AbortController()
    const reading = callAs({ signal: client.signal }, 'eth_getTransactionCount', from, 'pending')
    client.abort()
    expect(await reading).toBe('0x0')
  })
})
