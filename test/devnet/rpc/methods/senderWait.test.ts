import { describe, expect, onTestFinished, test, vi } from 'vitest'
import type { OptionsInput } from '../../../../devnet/options/options.ts'
import type { Hex } from '../../../../devnet/primitives/hex.ts'
import { createRpcChain, hex, SLOW_CLOCKS } from './rpcChain.ts'

/** Answers the balance of its caller. */
const BALANCE_OF_CALLER = '0x33315f5260205ff3'
const CODE: Hex = `0x${'c0'.repeat(20)}`
const ETHER = 10n ** 18n

/** Ticks run, and a transaction waits that leaves the first account less than 1,001 of 10,000 ether. */
async function createWithQueued(options: OptionsInput = {}) {
  const node = await createRpcChain({ ...SLOW_CLOCKS, ...options })
  const { call, account } = node
  const [from, to] = [account(0).address, account(1).address]
  await call('hardhat_setCode', CODE, BALANCE_OF_CALLER)
  // Loads the method, so that a request of the test begins at once.
  await call('eth_call', { from: to, to: CODE }, 'pending')
  const hash = await call<Hex>('eth_sendTransaction', { from, to, value: hex(9_000n * ETHER) })
  return {
    ...node,
    from,
    to,
    hash,
    balance: (sender: Hex, block = 'pending') =>
      call<Hex>('eth_call', { from: sender, to: CODE }, block),
  }
}

/** Whether `promise` has an answer once all that is ready has run. */
async function isAnswered(promise: Promise<unknown>): Promise<boolean> {
  let answered = false
  promise.then(
    () => {
      answered = true
    },
    () => undefined,
  )
  await new Promise((resolve) => setImmediate(resolve))
  return answered
}

test('eth_call: on the state after the tick', async () => {
  const { clocks, balance, from } = await createWithQueued()
  const calling = balance(from)
  expect(await isAnswered(calling)).toBe(false)
  await clocks.advanceTicks(1)
  expect(BigInt(await calling)).toBeLessThan(1_001n * ETHER)
})

test.each(['eth_estimateGas', 'eth_createAccessList', 'eth_fillTransaction'])(
  '%s',
  async (method) => {
    const { call, clocks, from, to } = await createWithQueued()
    // More than is left after the transaction that waits.
    const request = { from, to, value: hex(5_000n * ETHER) }
    const block = method === 'eth_createAccessList' ? ['pending'] : []
    await call(method, { from: to, to }, ...block)
    const asking = call(method, request, ...block).catch((error: Error) => error.message)
    expect(await isAnswered(asking)).toBe(false)
    await clocks.advanceTicks(1)
    expect(JSON.stringify(await asking)).toMatch(/insufficient/)
  },
)

describe('does not wait', () => {
  test.each<
    [
      string,
      (node: Awaited<ReturnType<typeof createWithQueued>>) => Promise<unknown>,
      OptionsInput?,
    ]
  >([
    ['another sender', ({ balance, to }) => balance(to)],
    ['no sender', ({ call }) => call('eth_call', { to: CODE }, 'pending')],
    ['latest', ({ balance, from }) => balance(from, 'latest')],
    ['state', ({ call, from }) => call('eth_getBalance', from, 'pending')],
    ['frozen ticks', ({ balance, from }) => balance(from), { frozenTicks: true }],
    ['revealMempool', ({ balance, from }) => balance(from), { revealMempool: true }],
  ])('%s', async (_, ask, options) => {
    const node = await createWithQueued(options)
    await node.call('eth_getBalance', node.to)
    await ask(node)
    expect(node.chain.findTransaction(node.hash)?.at).toBe('mempool')
  })

  test('what is behind a nonce gap', async () => {
    const { call, balance, to } = await createWithQueued()
    await call('eth_sendTransaction', { from: to, to, nonce: '0x1' })
    expect(BigInt(await balance(to))).toBe(10_000n * ETHER)
  })
})

test('waits for the last of several', async () => {
  const { call, clocks, chain, balance, from, to } = await createWithQueued()
  await call('eth_sendTransaction', { from, to, value: hex(900n * ETHER) })
  const calling = balance(from)
  await clocks.advanceTicks(1)
  expect(BigInt(await calling)).toBeLessThan(101n * ETHER)
  expect(chain.pending.executed.length).toBe(2)
})

test('waits no longer than one tick interval', async () => {
  const { balance, chain, from } = await createWithQueued({ tickInterval: 3_000_000 })
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  const calling = balance(from)
  vi.advanceTimersByTime(2_999_999)
  expect(await isAnswered(calling)).toBe(false)
  vi.advanceTimersByTime(1)
  expect(BigInt(await calling)).toBe(10_000n * ETHER)
  expect(chain.pending.executed.length).toBe(0)
})
