import { describe, expect, test } from 'vitest'
import type { OptionsInput } from '../../../devnet/options/options.ts'
import type { Hex } from '../../../devnet/primitives/hex.ts'
import { methodFiles } from '../../../devnet/rpc/methodFiles.ts'
import { EMITTER, EMITTER_CODE, topicOf } from '../stream/emitterChain.ts'
import { createRpcChain, SLOW_CLOCKS } from './methods/rpcChain.ts'

type Node = Awaited<ReturnType<typeof create>>

/** Returns NUMBER, then what slot 0 holds. */
const READER: Hex = `0x${'c1'.repeat(20)}`
const READER_CODE = '0x435f525f5460205260405ff3'
/** Stores its calldata in slot 0. */
const STORER: Hex = `0x${'c2'.repeat(20)}`
const STORER_CODE = '0x5f355f5500'
const FUNDED: Hex = `0x${'d1'.repeat(20)}`

/** One sealed block with the contracts; behind it a log, a payment and a stored word, in ticks. */
async function create(options: OptionsInput = {}) {
  const node = await createRpcChain(options)
  const { call, account } = node
  const from = account(0).address
  await call('hardhat_setCode', EMITTER, EMITTER_CODE)
  await call('hardhat_setCode', READER, READER_CODE)
  await call('hardhat_setCode', STORER, STORER_CODE)
  await call('preconf_seal')
  const send = (fields: object) =>
    call<Hex>('eth_sendTransaction', { from, gas: '0x30d40', gasPrice: '0x12a05f200', ...fields })
  await send({ to: EMITTER, data: topicOf(7) })
  await send({ to: FUNDED, value: '0x5' })
  await send({ to: STORER, data: topicOf(9) })
  return { ...node, from, send }
}

const slot = topicOf(0)

/** A request of each method that reads a state or runs code, with the block at the place given. */
const READS: Readonly<Record<string, (node: Node, block: readonly unknown[]) => unknown[]>> = {
  eth_getBalance: (_, block) => [FUNDED, ...block],
  eth_getTransactionCount: ({ from }, block) => [from, ...block],
  eth_getCode: (_, block) => [FUNDED, ...block],
  eth_getStorageAt: (_, block) => [STORER, slot, ...block],
  eth_getStorageValues: (_, block) => [{ [STORER]: [slot] }, ...block],
  eth_getAccount: (_, block) => [FUNDED, ...block],
  eth_getAccountInfo: (_, block) => [FUNDED, ...block],
  eth_call: (_, block) => [{ to: READER }, ...block],
  eth_estimateGas: (_, block) => [{ from: FUNDED, to: STORER, data: topicOf(9) }, ...block],
  eth_createAccessList: ({ from }, block) => [{ from, to: STORER, data: topicOf(9) }, ...block],
  eth_simulateV1: (_, block) => [{ blockStateCalls: [{ calls: [{ to: READER }] }] }, ...block],
  // The machine may be busy.
  debug_traceCall: (_, [block = null]) => [{ to: READER }, block, { timeout: '60s' }],
  ots_hasCode: (_, block) => [FUNDED, ...block],
}

/** What stays sealed, each with a request. */
const SEALED: readonly (readonly [method: string, ...params: unknown[]])[] = [
  ['eth_blockNumber'],
  ['eth_getBlockByNumber', 'latest', false],
  ['eth_getHeaderByNumber', 'latest'],
  ['eth_getBlockReceipts', 'latest'],
  ['eth_getBlockTransactionCountByNumber', 'latest'],
  ['eth_getTransactionByBlockNumberAndIndex', 'latest', '0x0'],
  ['eth_getLogs', { fromBlock: '0x0', toBlock: 'latest' }],
  ['eth_feeHistory', '0x1', 'latest', []],
  ['eth_getProof', FUNDED, [], 'latest'],
  ['eth_getProof', FUNDED, []],
  ['debug_traceBlockByNumber', 'latest'],
  ['eth_getBalance', FUNDED, 'safe'],
  ['eth_getBalance', FUNDED, 'finalized'],
  ['eth_getBalance', FUNDED, '0x1'],
]

const outcome = (answer: Promise<unknown>): Promise<unknown> =>
  answer.catch(({ code, message }: { code: number; message: string }) => ({ code, message }))

test('the methods are those that say that they read a state', async () => {
  const wrong: string[] = []
  for (const [name, load] of Object.entries(methodFiles)) {
    const { readsState, params } = (await load()).default
    if (readsState !== undefined) expect(params?.blockAt, name).toBeGreaterThanOrEqual(0)
    if ((readsState !== undefined) === Object.hasOwn(READS, name)) continue
    wrong.push(
      readsState === undefined
        ? `devnet/rpc/methods/${name}.ts: write readsState: true`
        : `test/devnet/rpc/latestTicks.test.ts: add to READS the line ${name}: (_, block) => [<its parameters>, ...block],`,
    )
  }
  expect(wrong).toEqual([])
})

describe.each(Object.entries(READS))('%s', (method, paramsOf) => {
  test.each([['latest', 'latest'], ['nothing'], ['an object', { blockNumber: 'latest' }]])(
    'on %s it reads the newest tick, and after the seal the block',
    async (_, ...block) => {
      const node = await create({ ...SLOW_CLOCKS, latest: 'ticks' })
      const plain = await create({ ...SLOW_CLOCKS })
      const ask = ({ call }: Node, named: readonly unknown[]) =>
        outcome(call(method, ...paramsOf(node, named)))
      await node.clocks.advanceTicks(1)
      await plain.clocks.advanceTicks(1)
      expect(await ask(node, block)).toEqual(await ask(node, ['pending']))
      // Without the option it is the sealed block, but that an estimate without a block is of pending.
      const isEstimate = method === 'eth_estimateGas' && block.length === 0
      expect(await ask(plain, block)).toEqual(await ask(plain, [isEstimate ? 'pending' : '0x1']))
    },
  )
})

test('the answers on latest are those of the newest tick', async () => {
  const { call, clocks, from } = await create({ ...SLOW_CLOCKS, latest: 'ticks' })
  expect(await call('eth_getTransactionCount', from)).toBe('0x0')
  await clocks.advanceTicks(1)
  expect(await call('eth_getTransactionCount', from)).toBe('0x3')
  expect(await call('eth_getBalance', FUNDED, 'latest')).toBe('0x5')
  expect(await call('eth_getStorageAt', STORER, slot, 'latest')).toBe(topicOf(9))
  expect(await call('eth_call', { to: READER }, 'latest')).toMatch(topicOf(2))
  expect(await call('eth_blockNumber')).toBe('0x1')
})

const requests = SEALED.map(([method, ...params]) => [method, params] as const)

test.each(requests)('%s of %j stays sealed', async (method, params) => {
  const node = await create({ ...SLOW_CLOCKS, latest: 'ticks' })
  const before = await outcome(node.call(method, ...params))
  await node.clocks.advanceTicks(1)
  expect(await outcome(node.call(method, ...params))).toEqual(before)
})

describe('reads of latest', () => {
  test('run a tick with readOwnWrites, as those of pending do', async () => {
    const options = { ...SLOW_CLOCKS, readOwnWrites: true, latest: 'ticks' } as const
    for (const [method, paramsOf] of Object.entries(READS)) {
      const node = await create(options)
      expect(node.chain.pending.ticks).toBe(0)
      await outcome(node.call(method, ...paramsOf(node, [])))
      expect(node.chain.pending.ticks, method).toBe(1)
    }
    const sealed = await create({ ...options, latest: 'sealed' })
    await sealed.call('eth_getBalance', FUNDED)
    expect(sealed.chain.pending.ticks).toBe(0)
  })

  test('of a sender wait for its tick', async () => {
    const { call, clocks, dispatch, from } = await create({ ...SLOW_CLOCKS, latest: 'ticks' })
    await dispatch.load(['eth_call'])
    const answer = call('eth_call', { from, to: READER })
    await clocks.advanceTicks(1)
    expect(await answer).toBe(`0x${topicOf(2).slice(2)}${topicOf(0).slice(2)}`)
  })
})

test('no effect in instant mode, nor while transactions wait for evm_mine', async () => {
  const { call, from, send } = await create({
    ...SLOW_CLOCKS,
    instant: true,
    latest: 'ticks',
  })
  const blockOf = (named: readonly string[]) => call('eth_call', { to: READER }, ...named)
  expect(await blockOf([])).toBe(await blockOf([String(await call('eth_blockNumber'))]))
  await call('evm_setAutomine', false)
  await send({ to: FUNDED, value: '0x1' })
  expect(await call('eth_getTransactionCount', from)).toBe('0x3')
  expect(await call('eth_getTransactionCount', from, 'pending')).toBe('0x4')
})

test('a trace within a block is of the block', async () => {
  const { call, clocks, send } = await create({ ...SLOW_CLOCKS, latest: 'ticks' })
  await clocks.advanceTicks(1)
  await call('preconf_seal')
  await send({ to: STORER, data: topicOf(1) })
  await clocks.advanceTicks(1)
  const traced = (block: string) =>
    call('debug_traceCall', { to: READER }, block, { txIndex: '0x2', timeout: '60s' })
  expect(await traced('latest')).toEqual(await traced('0x2'))
})

test('the status tells it', async () => {
  const { call } = await createRpcChain({ latest: 'ticks' })
  expect(await call('preconf_status')).toMatchObject({
    modes: { receipts: 'preconfirmed', latest: 'ticks' },
  })
})
