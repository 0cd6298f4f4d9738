import { keccak256 } from 'viem'
import { describe, expect, test, vi } from 'vitest'
import type { OptionsInput } from '../../../../devnet/options/options.ts'
import type { Hex } from '../../../../devnet/primitives/hex.ts'
import { createRpcChain, hex, SLOW_CLOCKS, ZERO_HASH } from './rpcChain.ts'

const PRECONFIRMED = { status: '0x1', blockNumber: '0x1', blockHash: ZERO_HASH }

/** What a failed request says, with code and data. */
interface Failure {
  readonly code: number
  readonly message: string
  readonly data?: unknown
}

/** Ticks run, but come only by command; account 0 signs. */
async function createSender(options: OptionsInput = {}) {
  const node = await createRpcChain({ ...SLOW_CLOCKS, ...options })
  const from = node.account(0).address
  const sign = (fields: object = {}) =>
    node.call<Hex>('eth_signTransaction', { from, to: from, gas: '0x5208', ...fields })
  const send = (...params: unknown[]) => node.call('eth_sendRawTransactionSync', ...params)
  const refuse = (...params: unknown[]) =>
    // What `failure` answers, as its own comment says.
    node.failure('eth_sendRawTransactionSync', ...params) as Promise<Failure>
  // Loads the method, so that what follows begins at once.
  await refuse('0x')
  return { ...node, from, sign, send, refuse }
}

/** Whether `promise` has an answer once all that is ready has run. */
async function isAnswered(promise: Promise<unknown>): Promise<boolean> {
  let answered = false
  const note = () => {
    answered = true
  }
  promise.then(note, note)
  await new Promise((resolve) => setImmediate(resolve))
  return answered
}

/** Runs `work` while timers only move by command. */
async function withTimers(work: () => Promise<void>): Promise<void> {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  try {
    await work()
  } finally {
    vi.useRealTimers()
  }
}

test('default: answers the receipt when a tick pre-confirms the transaction', async () => {
  const { call, clocks, sign, send } = await createSender()
  const raw = await sign()
  const sending = send(raw)
  expect(await isAnswered(sending)).toBe(false)
  await clocks.advanceTicks(1)
  const receipt = await sending
  expect(receipt).toMatchObject({ ...PRECONFIRMED, transactionHash: keccak256(raw) })
  expect(receipt).toEqual(await call('eth_getTransactionReceipt', keccak256(raw)))
})

test('default: eth_sendTransactionSync signs first', async () => {
  const { call, clocks, from } = await createSender()
  const sending = call('eth_sendTransactionSync', { from, to: from }, '0x1388')
  await call('eth_blockNumber')
  await clocks.advanceTicks(1)
  expect(await sending).toMatchObject({ ...PRECONFIRMED, from, to: from })
})

test('default: eth_sendTransactionSync without gas is estimated as eth_sendTransaction is', async () => {
  const { call, from } = await createSender()
  const to = `0x${'c2'.repeat(20)}`
  // Stores the call's value in slot 0: CALLVALUE, PUSH0, SSTORE.
  await call('hardhat_setCode', to, '0x345f55')
  const needed = Number(await call<Hex>('eth_estimateGas', { from, to, value: '0x1' }))
  const requests = [
    { to: from, gas: 21_000 },
    { to, value: '0x1', gas: needed + Math.floor((needed - 21_000) / 2) },
  ]
  // Both at once: the second's nonce follows the first's.
  const sending = requests.map(({ gas: _, ...request }) =>
    call<{ transactionHash: Hex }>('eth_sendTransactionSync', { from, ...request }),
  )
  await call('evm_mine')
  for (const [index, { transactionHash }] of (await Promise.all(sending)).entries()) {
    expect(await call('eth_getTransactionByHash', transactionHash)).toMatchObject({
      gas: hex(requests[index]?.gas ?? 0),
      nonce: hex(index),
    })
  }
})

test('one that is estimated comes before what is sent after it', async () => {
  const { call, clocks, from, sign, send } = await createSender()
  const raw = await sign({ nonce: '0x1' })
  // The signed one has the nonce after, so that before the other it would be refused.
  const sending = [call('eth_sendTransaction', { from, to: from }), send(raw)]
  await expect.poll(() => call('txpool_status')).toMatchObject({ pending: '0x2' })
  await clocks.advanceTicks(1)
  expect(await sending[1]).toMatchObject({ ...PRECONFIRMED, transactionIndex: '0x1' })
})

test('eth_sendTransactionSync in instant mode refuses what would fail', async () => {
  const { call, failure, from } = await createSender({ instant: true, frozenTicks: false })
  const to = `0x${'c2'.repeat(20)}`
  await call('hardhat_setCode', to, '0x5f5ffd')
  const refused = { code: 3, message: 'execution reverted', data: '0x' }
  expect(await failure('eth_sendTransactionSync', { from, to })).toEqual(refused)
  expect(await failure('eth_sendTransactionSync', { from: to })).toMatchObject({ code: -32000 })
  expect(await call('eth_blockNumber')).toBe('0x0')
})

test('a transaction that reverts has a receipt, and no error', async () => {
  const { clocks, sign, send } = await createSender()
  // PUSH1 0, PUSH1 0, REVERT.
  const sending = send(await sign({ to: undefined, gas: '0x186a0', data: '0x60006000fd' }))
  await clocks.advanceTicks(1)
  expect(await sending).toMatchObject({ ...PRECONFIRMED, status: '0x0' })
})

test('waits while ticks are frozen, until one is commanded', async () => {
  const { clocks, sign, send } = await createSender({ frozenTicks: true })
  const sending = send(await sign())
  expect(await isAnswered(sending)).toBe(false)
  await clocks.advanceTicks(1)
  expect(await sending).toMatchObject(PRECONFIRMED)
})

test('a tick in the midst of a long command is enough', async () => {
  const { chain, clocks, sign, send } = await createSender({ frozenTicks: true })
  const sending = send(await sign())
  let headAtAnswer: number | undefined
  sending.then(() => {
    headAtAnswer = chain.head.number
  })
  await clocks.advanceBlocks(50)
  await sending
  expect(headAtAnswer).toBeLessThan(50)
})

test('args: tickInterval 0 answers at once', async () => {
  const { sign, send } = await createSender({ tickInterval: 0 })
  expect(await send(await sign())).toMatchObject(PRECONFIRMED)
})

test('args: instant answers the sealed receipt', async () => {
  const { chain, sign, send } = await createSender({ instant: true, frozenTicks: false })
  const sealed = () => ({ status: '0x1', blockHash: chain.head.hash })
  expect(await send(await sign())).toMatchObject({ ...sealed(), blockNumber: '0x1' })
  const both = await Promise.all([
    send(await sign({ nonce: '0x1' })),
    send(await sign({ nonce: '0x2' })),
  ])
  expect(both).toMatchObject([{ blockNumber: '0x2' }, { ...sealed(), blockNumber: '0x3' }])
})

test('args: timeout', async () => {
  const { chain, sign, refuse } = await createSender()
  const raw = await sign()
  await withTimers(async () => {
    const refused = refuse(raw, 250)
    expect(await isAnswered(refused)).toBe(false)
    vi.advanceTimersByTime(249)
    expect(await isAnswered(refused)).toBe(false)
    vi.advanceTimersByTime(1)
    expect(await refused).toEqual({
      code: 4,
      message: "The transaction was added to the mempool but wasn't processed in 250 ms",
      data: keccak256(raw),
    })
  })
  expect(chain.mempool.get(keccak256(raw))).toBeDefined()
})

test.each<[string, unknown[], number]>([
  ['none', [], 700],
  ['0, which the EIP calls none', [0], 700],
  ['hexadecimal', ['0x12c'], 300],
  ['longer than allowed', [5000], 900],
])('args: timeout, %s', async (_name, timeout, expected) => {
  const { sign, refuse } = await createSender({ syncTimeout: 700, maxSyncTimeout: 900 })
  const raw = await sign()
  await withTimers(async () => {
    const refused = refuse(raw, ...timeout)
    expect(await isAnswered(refused)).toBe(false)
    vi.advanceTimersByTime(expected - 1)
    expect(await isAnswered(refused)).toBe(false)
    vi.advanceTimersByTime(1)
    expect(await refused).toMatchObject({ code: 4, data: keccak256(raw) })
  })
})

test('a timeout under frozen ticks says how to go on', async () => {
  const { sign, refuse } = await createSender({ frozenTicks: true })
  const raw = await sign()
  await withTimers(async () => {
    const refused = refuse(raw, 10)
    expect(await isAnswered(refused)).toBe(false)
    vi.advanceTimersByTime(10)
    expect((await refused).message).toMatch(/ticks are frozen: call preconf_advance/)
  })
})

test('what cannot be decoded or accepted is refused as eth_sendRawTransaction does', async () => {
  const { failure, sign, refuse, call, clocks } = await createSender()
  const raw = await sign()
  await call('eth_sendRawTransaction', raw)
  const poor = await sign({ nonce: '0x1', value: `0x${(10n ** 30n).toString(16)}` })
  for (const bad of [raw, poor, '0x02c0']) {
    expect(await refuse(bad)).toEqual(await failure('eth_sendRawTransaction', bad))
  }
  await clocks.advanceTicks(1)
  expect(await refuse(raw)).toEqual({
    code: -32000,
    message:
      'already known; it is pre-confirmed in block 1, which is not sealed: read pending, or start the node with --latest ticks or --receipts sealed',
  })
})

test('a nonce gap is refused with the next nonce, and not accepted', async () => {
  const { call, chain, from, sign, refuse, failure } = await createSender()
  await call('eth_sendTransaction', { from, to: from })
  const gap = {
    code: 6,
    message:
      'The transaction was rejected due to a nonce gap. Please resubmit with the next nonce, 1',
    data: '0x1',
  }
  expect(await refuse(await sign({ nonce: '0x3' }))).toEqual(gap)
  expect(await failure('eth_sendTransactionSync', { from, to: from, nonce: '0x2' })).toEqual(gap)
  expect(chain.mempool.size).toBe(1)
  // Others may leave a gap.
  await call('eth_sendRawTransaction', await sign({ nonce: '0x3' }))
  expect(chain.mempool.size).toBe(2)
})

test('several in a row wait for one tick', async () => {
  const { clocks, sign, send } = await createSender()
  const raws = await Promise.all([0, 1, 2].map((nonce) => sign({ nonce: `0x${nonce}` })))
  const sending = raws.map((raw) => send(raw))
  await clocks.advanceTicks(1)
  const receipts = await Promise.all(sending)
  expect(receipts).toMatchObject([0, 1, 2].map((index) => ({ transactionIndex: `0x${index}` })))
})

test('dropped by a revert', async () => {
  // While ticks run, the revert would take the transaction first.
  const { call, sign, refuse } = await createSender({ frozenTicks: true })
  const raw = await sign()
  const snapshot = await call('evm_snapshot')
  const refused = refuse(raw)
  expect(await isAnswered(refused)).toBe(false)
  await call('evm_revert', snapshot)
  expect(await refused).toEqual({
    code: 4,
    message:
      'The transaction was added to the mempool and dropped from it, by a revert or a replacement',
    data: keccak256(raw),
  })
})

test('while ticks run, a command takes it first', async () => {
  const { call, clocks, from, sign, send } = await createSender()
  const snapshot = await call('evm_snapshot')
  const sending = send(await sign())
  expect(await isAnswered(sending)).toBe(false)
  await call('hardhat_setNonce', from, '0x5')
  expect(await sending).toMatchObject(PRECONFIRMED)
  const next = send(await sign({ nonce: '0x5' }))
  expect(await isAnswered(next)).toBe(false)
  await call('evm_revert', snapshot)
  expect(await next).toMatchObject({ ...PRECONFIRMED, transactionIndex: '0x1' })
  await clocks.advanceTicks(1)
  expect(await call('eth_getTransactionCount', from, 'pending')).toBe('0x0')
})

test('a revert that keeps it does not disturb', async () => {
  const { call, clocks, sign, send } = await createSender({ frozenTicks: true })
  const sending = send(await sign())
  const snapshot = await call('evm_snapshot')
  await call('evm_revert', snapshot)
  expect(await isAnswered(sending)).toBe(false)
  await clocks.advanceTicks(1)
  expect(await sending).toMatchObject(PRECONFIRMED)
})

test('replaced by another with its nonce', async () => {
  const { call, clocks, from, sign, refuse } = await createSender()
  const raw = await sign()
  const refused = refuse(raw)
  const fees = { maxFeePerGas: '0x2540be400', maxPriorityFeePerGas: '0x2540be400' }
  await call('eth_sendTransaction', { from, to: from, nonce: '0x0', ...fees })
  await clocks.advanceTicks(1)
  expect(await refused).toMatchObject({ code: 4, data: keccak256(raw) })
})

test('dropped because it can never run', async () => {
  // While ticks run, the cheat would take the transaction first.
  const { call, from, sign, refuse } = await createSender({ frozenTicks: true })
  const raw = await sign()
  const refused = refuse(raw)
  expect(await isAnswered(refused)).toBe(false)
  await call('hardhat_setNonce', from, '0x5')
  expect(await refused).toEqual({
    code: 5,
    message: 'The transaction was rejected: nonce too low: next nonce 5, tx nonce 0',
    data: keccak256(raw),
  })
})

test('a drop that puts the one before it back does not end who waits', async () => {
  const { call, clocks, sign, send } = await createSender()
  const first = await sign()
  await call('eth_sendRawTransaction', first)
  await call('eth_sendRawTransaction', await sign({ nonce: '0x1' }))
  await clocks.advanceTicks(1)
  const sending = send(await sign({ nonce: '0x2' }))
  await call('hardhat_dropTransaction', keccak256(first))
  expect(await call('preconf_status')).toMatchObject({
    pending: { transactions: [] },
    mempool: { runnable: 0, waiting: 2 },
  })
  expect(await isAnswered(sending)).toBe(false)
  await call('eth_sendRawTransaction', first)
  await clocks.advanceTicks(1)
  expect(await sending).toMatchObject({ ...PRECONFIRMED, transactionIndex: '0x2' })
})

test('a base fee above what it offers does not end who waits', async () => {
  const { call, clocks, sign, send } = await createSender({ frozenTicks: true })
  await call('eth_sendRawTransaction', await sign())
  await clocks.advanceTicks(1)
  const sending = send(await sign({ nonce: '0x1' }))
  // Seals the first.
  await call('hardhat_setNextBlockBaseFeePerGas', '0x174876e800')
  await clocks.advanceTicks(1)
  expect(await isAnswered(sending)).toBe(false)
  await call('hardhat_setNextBlockBaseFeePerGas', '0x1')
  await clocks.advanceTicks(1)
  expect(await sending).toMatchObject({
    ...PRECONFIRMED,
    blockNumber: '0x2',
    transactionIndex: '0x0',
  })
})

test('ends when the client hangs up', async () => {
  const { callAs, sign } = await createSender()
  const client = new AbortController()
  const raw = await sign()
  const sending = callAs({ signal: client.signal }, 'eth_sendRawTransactionSync', raw)
  expect(await isAnswered(sending)).toBe(false)
  client.abort()
  await expect(sending).rejects.toMatchObject({ message: 'the request was given up' })
})

describe('profiles', () => {
  test('base: the maximum is the default, and more is refused', async () => {
    const { sign, refuse } = await createSender({ profile: 'base-flashblocks' })
    expect(await refuse(await sign(), 6001)).toEqual({
      code: -32602,
      message: 'time out too long, timeout: 6001 ms, max: 6000 ms',
    })
  })

  test.each(['base-flashblocks', 'unichain', 'base'] as const)(
    '%s: 0 is no time',
    async (profile) => {
      const { call, sign, refuse } = await createSender({ profile })
      const raw = await sign()
      expect(await refuse(raw, 0)).toEqual({
        code: 4,
        message: `Transaction ${keccak256(raw)} was added to the mempool but wasn't confirmed within 0ns.`,
      })
      expect(await call('txpool_status')).toEqual({ pending: '0x1', queued: '0x0' })
    },
  )

  test.each(['base-flashblocks', 'op-subblocks', 'unichain', 'xlayer'] as const)(
    "%s: reth's words and no data; a nonce gap waits",
    async (profile) => {
      const { sign, refuse } = await createSender({ profile })
      const raw = await sign({ nonce: '0x1' })
      await withTimers(async () => {
        const refused = refuse(raw, 1500)
        await isAnswered(refused)
        await vi.advanceTimersByTimeAsync(1500)
        expect(await refused).toEqual({
          code: 4,
          message: `Transaction ${keccak256(raw)} was added to the mempool but wasn't confirmed within 1.5s.`,
        })
      })
    },
  )

  test('base: the receipt comes with the seal', async () => {
    const { call, clocks, sign, send } = await createSender({ profile: 'base' })
    const sending = send(await sign())
    expect(await isAnswered(sending)).toBe(false)
    await clocks.advanceTicks(1)
    expect(await isAnswered(sending)).toBe(false)
    await clocks.seal()
    const { hash: blockHash } = await call<{ hash: Hex }>('eth_getBlockByNumber', '0x1', false)
    expect(await sending).toMatchObject({ blockHash, status: '0x1' })
  })
})
