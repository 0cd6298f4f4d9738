import { pad } from 'viem'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import type { OptionsInput } from '../../../devnet/options/options.ts'
import type { Hex } from '../../../devnet/primitives/hex.ts'
import { START } from '../../support/chain.ts'
import { EMITTER, EMITTER_CODE, topicOf } from '../stream/emitterChain.ts'
import { createRpcChain, hex, SLOW_CLOCKS, ZERO_HASH } from './methods/rpcChain.ts'

const ETHER = 10n ** 18n
const FRIEND: Hex = `0x${'33'.repeat(20)}`
/** Answers the timestamp of its block. */
const CLOCK: Hex = `0x${'c1'.repeat(20)}`
const CLOCK_CODE = '0x425f5260205ff3'

/** A network that started instant, on which automine is off. */
async function create(options: OptionsInput = {}) {
  const node = await createRpcChain({ instant: true, frozenTicks: false, ...options })
  const { call, account } = node
  const from = account(0).address
  await call('hardhat_setCode', EMITTER, EMITTER_CODE)
  await call('hardhat_setCode', CLOCK, CLOCK_CODE)
  await call('evm_setAutomine', false)
  const send = (fields: object = {}) =>
    call<Hex>('eth_sendTransaction', { from, to: FRIEND, value: '0x1', gas: '0x5208', ...fields })
  return {
    ...node,
    from,
    send,
    emit: (number: number) =>
      send({ to: EMITTER, data: topicOf(number), gas: '0x186a0', value: '0x0' }),
    nonce: (block = 'pending') => call<Hex>('eth_getTransactionCount', from, block),
    balance: (block = 'pending') => call<Hex>('eth_getBalance', FRIEND, block),
    block: (name: string) =>
      call<{ timestamp: Hex; gasUsed: Hex; transactions: Hex[] }>(
        'eth_getBlockByNumber',
        name,
        false,
      ),
  }
}

type Node = Awaited<ReturnType<typeof create>>

test('default: what is sent waits for the block of a command', async () => {
  const { send, call, nonce, balance, chain } = await create()
  const hashes = [await send(), await send()]
  expect(await call('hardhat_getAutomine')).toBe(false)
  for (const hash of hashes) {
    expect(await call('eth_getTransactionReceipt', hash)).toBeNull()
    expect(await call('eth_getTransactionByHash', hash)).toMatchObject({
      hash,
      blockNumber: null,
      transactionIndex: null,
    })
  }
  expect([await nonce('latest'), await balance('latest')]).toEqual(['0x0', '0x0'])
  expect([await nonce(), await balance()]).toEqual(['0x2', '0x2'])
  expect(chain.head.number).toBe(0)
  await call('evm_mine')
  expect([await nonce('latest'), await balance('latest')]).toEqual(['0x2', '0x2'])
  expect(chain.head.executed.map(({ transaction }) => transaction.hash)).toEqual(hashes)
  expect(await call('eth_getTransactionReceipt', hashes[1])).toMatchObject({
    blockNumber: '0x1',
    transactionIndex: '0x1',
  })
})

describe('pending: a preview of the block', () => {
  test.each<[string, (node: Node) => Promise<unknown>, unknown]>([
    ['eth_getBalance', ({ balance }) => balance(), '0x1'],
    [
      'eth_call',
      ({ call }) => call('eth_call', { from: FRIEND, to: FRIEND, value: '0x1' }, 'pending'),
      '0x',
    ],
    [
      'eth_estimateGas',
      ({ call }) =>
        call('eth_estimateGas', { from: FRIEND, to: FRIEND, value: '0x1', gasPrice: '0x0' }),
      '0x5208',
    ],
    [
      'eth_getBlockByNumber',
      ({ block }) => block('pending'),
      expect.objectContaining({
        number: '0x1',
        hash: ZERO_HASH,
        transactions: [expect.any(String), expect.any(String)],
      }),
    ],
    [
      'eth_getBlockTransactionCountByNumber',
      ({ call }) => call('eth_getBlockTransactionCountByNumber', 'pending'),
      '0x2',
    ],
    [
      'eth_getBlockReceipts',
      ({ call }) => call('eth_getBlockReceipts', 'pending'),
      [expect.objectContaining({ status: '0x1' }), expect.anything()],
    ],
    [
      'eth_getLogs',
      ({ call }) =>
        call('eth_getLogs', { fromBlock: 'pending', toBlock: 'pending', topics: [topicOf(7)] }),
      [expect.objectContaining({ address: EMITTER, blockNumber: '0x1' })],
    ],
    ['eth_getLogs without an end', ({ call }) => call('eth_getLogs', {}), []],
    [
      'eth_fillTransaction',
      ({ call }) =>
        call('eth_fillTransaction', {
          from: FRIEND,
          to: FRIEND,
          value: '0x1',
          gasPrice: '0x0',
        }),
      expect.objectContaining({ tx: expect.objectContaining({ gas: '0x5208' }) }),
    ],
    [
      'eth_simulateV1',
      ({ call }) =>
        call(
          'eth_simulateV1',
          { blockStateCalls: [{ calls: [{ from: FRIEND, to: FRIEND, value: '0x1' }] }] },
          'pending',
        ),
      [expect.objectContaining({ calls: [expect.objectContaining({ status: '0x1' })] })],
    ],
    [
      'eth_feeHistory',
      ({ call }) => call('eth_feeHistory', '0x1', 'pending', [50]),
      expect.objectContaining({ reward: [[expect.not.stringMatching(/^0x0$/)]] }),
    ],
    [
      'eth_getProof',
      ({ call }) => call('eth_getProof', FRIEND, [], 'pending'),
      expect.objectContaining({ balance: '0x1' }),
    ],
    [
      'debug_traceBlockByNumber',
      ({ call }) => call('debug_traceBlockByNumber', 'pending', { tracer: 'callTracer' }),
      [
        expect.anything(),
        expect.objectContaining({ result: expect.objectContaining({ to: EMITTER }) }),
      ],
    ],
    [
      'debug_traceCall',
      ({ call }) =>
        call('debug_traceCall', { from: FRIEND, to: FRIEND, value: '0x1' }, 'pending', {
          tracer: 'callTracer',
        }),
      expect.not.objectContaining({ error: expect.anything() }),
    ],
  ])('%s', async (_, ask, answer) => {
    const node = await create()
    const { send, emit, chain, call } = node
    const hashes = [await send(), await emit(7)]
    expect(await ask(node)).toEqual(answer)
    // Nothing has changed.
    expect(chain.pending.executed).toEqual([])
    expect(chain.mempool.runnableCount).toBe(2)
    expect(chain.dropped).toEqual([])
    await call('evm_mine')
    expect(chain.head.executed.map(({ transaction }) => transaction.hash)).toEqual(hashes)
  })

  test('is made again only if something has changed', async () => {
    const { send, balance, block, chain, call } = await create()
    await send()
    const { newest } = chain.store
    expect(await balance()).toBe('0x1')
    const once = chain.store.newest
    expect(once).toBeGreaterThan(newest)
    expect(
      await Promise.all([balance(), balance(), call('eth_getBalance', FRIEND, 'pending')]),
    ).toEqual(['0x1', '0x1', '0x1'])
    expect(chain.store.newest).toBe(once)
    await send()
    expect(await balance()).toBe('0x2')
    expect((await block('pending')).transactions.length).toBe(2)
    expect(chain.store.newest).toBeGreaterThan(once)
  })

  test('leaves nothing behind', async () => {
    const valuesAfter = async (reads: boolean) => {
      const { send, balance, chain, call } = await create()
      for (let count = 1; count <= 5; count++) {
        await send()
        if (reads) expect(await balance()).toBe(hex(count))
      }
      await call('evm_mine')
      return chain.store.countValues()
    }
    expect(await valuesAfter(true)).toBe(await valuesAfter(false))
  })

  test('keeps what cannot run, and drops nothing', async () => {
    const { send, call, nonce, balance, chain, from } = await create()
    await send()
    const waiting = await send({ value: hex(9_000n * ETHER) })
    await call('hardhat_setBalance', from, hex(ETHER))
    expect(await balance()).toBe('0x1')
    expect(await nonce()).toBe('0x2')
    expect(chain.findTransaction(waiting)?.at).toBe('mempool')
    expect(chain.dropped).toEqual([])
  })

  test('holds what fits into one block', async () => {
    const { send, nonce, balance, block, call } = await create({ gasLimit: 50_000 })
    for (let sent = 0; sent < 3; sent++) await send()
    expect((await block('pending')).transactions.length).toBe(2)
    expect([await nonce(), await balance()]).toEqual(['0x3', '0x2'])
    await call('evm_mine')
    expect([await nonce('latest'), await nonce(), await balance()]).toEqual(['0x2', '0x3', '0x3'])
  })

  test('survives commands and sends while a call is at work on it', async () => {
    const { send, call, chain } = await create()
    await send()
    await call('eth_call', { to: FRIEND }, 'pending')
    const calls = Array.from({ length: 30 }, () =>
      call('eth_call', { from: FRIEND, to: FRIEND, value: '0x1' }, 'pending'),
    )
    const others = [
      send(),
      call('hardhat_setBalance', `0x${'44'.repeat(20)}`, '0x1'),
      call('evm_mine'),
      call('hardhat_setBalance', FRIEND, '0x7'),
    ]
    expect(new Set(await Promise.all(calls))).toEqual(new Set(['0x']))
    await Promise.all(others)
    await send()
    expect([chain.head.number, chain.head.executed.length]).toEqual([1, 2])
    expect(await call('eth_getBalance', FRIEND, 'pending')).toBe('0x8')
  })

  test('in a listener: the present view', async () => {
    const { send, call, chain } = await create()
    await send()
    await call('eth_getBalance', FRIEND, 'pending')
    const answers: Promise<unknown>[] = []
    onTestFinished(
      chain.events.written.add(() => answers.push(call('eth_getBalance', FRIEND, 'pending'))),
    )
    await call('hardhat_setBalance', `0x${'44'.repeat(20)}`, '0x1')
    expect(await answers[0]).toBe('0x0')
    expect(await call('eth_getBalance', FRIEND, 'pending')).toBe('0x1')
  })
})

describe('what waits runs under what is set by then', () => {
  test('timestamp, base fee, coinbase, prevRandao, gas limit', async () => {
    const { send, call, block, chain } = await create()
    const hash = await send({ to: CLOCK, gas: '0x186a0', value: '0x0' })
    await call('evm_setNextBlockTimestamp', START + 5000)
    await call('hardhat_setNextBlockBaseFeePerGas', '0x7')
    await call('hardhat_setCoinbase', FRIEND)
    await call('hardhat_setPrevRandao', '0x9')
    await call('evm_setBlockGasLimit', '0x1e8480')
    expect(chain.head.number).toBe(0)
    expect(await call('eth_call', { to: CLOCK }, 'pending')).toBe(pad(hex(START + 5000)))
    const preview = await block('pending')
    await call('evm_mine')
    const sealed = await block('latest')
    expect(sealed).toMatchObject({
      number: '0x1',
      timestamp: hex(START + 5000),
      baseFeePerGas: '0x7',
      miner: FRIEND,
      mixHash: pad('0x9'),
      gasLimit: '0x1e8480',
      transactions: [hash],
    })
    expect(preview).toMatchObject({
      timestamp: sealed.timestamp,
      transactions: [hash],
      gasUsed: sealed.gasUsed,
    })
  })

  test('state', async () => {
    const { send, call, balance } = await create()
    await send()
    await call('hardhat_setBalance', FRIEND, '0x10')
    expect([await balance('latest'), await balance()]).toEqual(['0x10', '0x11'])
    await call('evm_mine')
    expect(await balance('latest')).toBe('0x11')
  })

  test('time, which runs on', async () => {
    vi.useFakeTimers({ toFake: ['Date'] })
    onTestFinished(() => void vi.useRealTimers())
    const { send, call, block } = await create()
    await send()
    vi.setSystemTime(Date.now() + 10_000)
    expect(Number((await block('pending')).timestamp)).toBe(START + 10)
    await call('evm_increaseTime', 100)
    await call('evm_mine')
    const { timestamp, transactions } = await block('latest')
    expect(Number(timestamp)).toBe(START + 110)
    expect(transactions.length).toBe(1)
  })
})

test('hardhat_mine: in the first block', async () => {
  const { send, call, chain, nonce } = await create()
  await send()
  await send()
  await call('hardhat_mine', '0x3')
  expect(chain.history.byNumber(1)?.executed.length).toBe(2)
  expect([chain.head.number, await nonce('latest')]).toEqual([3, '0x2'])
})

test('evm_setIntervalMining: in the next block', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] })
  onTestFinished(() => void vi.useRealTimers())
  const { send, call, chain, nonce, clocks } = await create()
  const sealed = () =>
    new Promise<void>((resolve) => onTestFinished(chain.events.sealed.add(() => resolve())))
  const first = sealed()
  await send()
  await call('evm_setIntervalMining', 1000)
  const second = await send()
  expect(await call('eth_getTransactionReceipt', second)).toBeNull()
  expect(await nonce()).toBe('0x2')
  vi.advanceTimersByTime(1000)
  await first
  await chain.write(() => undefined)
  expect([chain.head.number, await nonce('latest')]).toEqual([1, '0x2'])
  // Blocks come without transactions, too.
  const next = sealed()
  await call('evm_setNextBlockTimestamp', Math.floor(clocks.now / 1000) + 50)
  vi.advanceTimersByTime(1000)
  await next
  await chain.write(() => undefined)
  expect(chain.head.number).toBe(2)
  await call('evm_setIntervalMining', 0)
  await send()
  vi.advanceTimersByTime(10_000)
  await chain.write(() => undefined)
  expect([chain.head.number, await nonce('latest'), await nonce()]).toEqual([2, '0x2', '0x3'])
})

describe('evm_setAutomine(true)', () => {
  test('with nothing waiting: seals each at once', async () => {
    const { send, call, clocks } = await create()
    await call('evm_setAutomine', true)
    expect([clocks.ticks.running, clocks.collecting]).toEqual([true, false])
    const receipt = await call('eth_getTransactionReceipt', await send())
    expect(receipt).toMatchObject({ blockNumber: '0x1' })
  })

  test('what waits is sealed with the next one that is sent', async () => {
    const { send, call, chain, nonce, balance, clocks } = await create()
    await send()
    await send()
    await call('evm_setAutomine', true)
    await call('hardhat_setBalance', `0x${'44'.repeat(20)}`, '0x1')
    expect(await call('hardhat_getAutomine')).toBe(true)
    expect([chain.head.number, await nonce(), await balance()]).toEqual([0, '0x2', '0x2'])
    const third = await send({ gas: undefined })
    expect([chain.head.number, chain.head.executed.length]).toEqual([1, 3])
    expect(await call('eth_getTransactionReceipt', third)).toMatchObject({ blockNumber: '0x1' })
    expect([clocks.ticks.running, clocks.collecting]).toEqual([true, false])
    await send()
    expect([chain.head.number, await balance('latest')]).toEqual([2, '0x4'])
  })

  test('or by evm_mine', async () => {
    const { send, call, chain, clocks } = await create()
    await send()
    await call('evm_setAutomine', true)
    await call('evm_mine')
    expect([chain.head.number, chain.head.executed.length]).toEqual([1, 1])
    expect([clocks.ticks.running, clocks.collecting]).toEqual([true, false])
  })

  test('sends that are not awaited: all are sealed when they are answered', async () => {
    const { send, call, chain } = await create()
    await send()
    await call('evm_setAutomine', true)
    const hashes = await Promise.all([send(), send(), send({ gas: undefined })])
    for (const hash of hashes) expect(chain.findTransaction(hash)?.at).toBe('sealed')
    expect(chain.mempool.size).toBe(0)
  })
})

test('preconf_resume: starts both clocks', async () => {
  const { send, call, chain, clocks } = await create({ ...SLOW_CLOCKS })
  const hash = await send()
  await call('preconf_resume')
  expect([clocks.ticks.running, clocks.seals.running, clocks.collecting]).toEqual([
    true,
    true,
    false,
  ])
  await call('preconf_advance', { ticks: 1 })
  expect(chain.findTransaction(hash)?.at).toBe('pending')
})

test('preconf_resume: with ticks: false, transactions wait for a block as before a freeze', async () => {
  const { call, clocks } = await create({ ...SLOW_CLOCKS })
  await call('evm_setIntervalMining', 600_000)
  await call('preconf_freeze')
  await call('preconf_resume', { ticks: false })
  expect([clocks.ticks.running, clocks.seals.running, clocks.collecting]).toEqual([
    false,
    true,
    true,
  ])
})

test('snapshots hold it, and reverts end it', async () => {
  const { send, call, nonce, clocks } = await create()
  await call('evm_setAutomine', true)
  const snapshot = await call('evm_snapshot')
  await call('evm_setAutomine', false)
  await send()
  expect(await nonce()).toBe('0x1')
  await call('evm_revert', snapshot)
  expect([await nonce(), clocks.collecting, clocks.ticks.running]).toEqual(['0x0', false, true])
})

test('a gap is accepted, and does not count', async () => {
  const { send, nonce, balance } = await create()
  await send({ nonce: '0x5' })
  expect([await nonce(), await balance()]).toEqual(['0x0', '0x0'])
})

test('sends that are not awaited count', async () => {
  const { send, nonce, balance } = await create()
  const sends = [send(), send(), send()]
  expect([await nonce(), await balance()]).toEqual(['0x3', '0x3'])
  await Promise.all(sends)
})

test('on a chain that did not start instant, ticks run', async () => {
  const node = await create({ instant: false, tickInterval: 3_600_000, readOwnWrites: true })
  await node.send()
  expect(await node.balance()).toBe('0x1')
  expect(node.chain.pending.executed.length).toBe(1)
})
