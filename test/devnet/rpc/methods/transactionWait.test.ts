import { keccak256 } from 'viem'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { createDevnet } from '../../../../devnet/index.ts'
import type { OptionsInput } from '../../../../devnet/options/options.ts'
import { fromHex, type Hex } from '../../../../devnet/primitives/hex.ts'
import { createRpcChain, type RpcChain, SLOW_CLOCKS, ZERO_HASH } from './rpcChain.ts'

const POOL_FORM = { blockHash: null, blockNumber: null, transactionIndex: null }
const PRECONFIRMED = { blockHash: null, blockNumber: '0x1', transactionIndex: '0x0' }

/** Ticks run, and one transaction waits for the next; `nonce` 1 leaves a gap. */
async function createWithQueued(options: OptionsInput = {}, nonce = '0x0') {
  const node = await createRpcChain({ ...SLOW_CLOCKS, ...options })
  const from = node.account(0).address
  const hash = await node.call<string>('eth_sendTransaction', { from, to: from, nonce })
  return { ...node, from, hash, look: () => node.call('eth_getTransactionByHash', hash) }
}

/** The result of a request over HTTP. */
async function post(url: string, method: string, params: readonly unknown[]): Promise<unknown> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body,
  })
  const { result }: { result?: unknown } = JSON.parse(await response.text())
  return result
}

/** Raises the base fee above what waiting transactions offer, while no tick can take them first. */
async function raiseBaseFee({ call, clocks }: Pick<RpcChain, 'call' | 'clocks'>): Promise<void> {
  await clocks.freeze({ ticks: true })
  await call('hardhat_setNextBlockBaseFeePerGas', '0x174876e800')
  await clocks.resume()
}

/** Whether `promise` has an answer once all that is ready has run. */
async function isAnswered(promise: Promise<unknown>): Promise<boolean> {
  let answered = false
  promise.then(() => {
    answered = true
  })
  await new Promise((resolve) => setImmediate(resolve))
  return answered
}

test('default: the answer waits for the tick', async () => {
  const { clocks, look } = await createWithQueued()
  const looking = look()
  expect(await isAnswered(looking)).toBe(false)
  await clocks.advanceTicks(1)
  expect(await looking).toMatchObject(PRECONFIRMED)
  expect(await look()).toMatchObject(PRECONFIRMED)
})

test('a nonce gap does not wait', async () => {
  const { look } = await createWithQueued({}, '0x1')
  expect(await look()).toMatchObject(POOL_FORM)
})

test('frozen ticks do not wait', async () => {
  const { look } = await createWithQueued({ frozenTicks: true })
  expect(await look()).toMatchObject(POOL_FORM)
})

test('frozen sealing waits', async () => {
  const { clocks, look } = await createWithQueued({ frozen: true })
  const looking = look()
  expect(await isAnswered(looking)).toBe(false)
  await clocks.advanceTicks(1)
  expect(await looking).toMatchObject(PRECONFIRMED)
})

test('args: revealMempool does not wait', async () => {
  const { look } = await createWithQueued({ revealMempool: true })
  expect(await look()).toMatchObject(POOL_FORM)
})

test('not taken by the tick, so in the pool form after it', async () => {
  const node = await createWithQueued()
  const { clocks, look } = node
  await raiseBaseFee(node)
  const looking = look()
  expect(await isAnswered(looking)).toBe(false)
  await clocks.advanceTicks(1)
  expect(await looking).toMatchObject(POOL_FORM)
})

test('left by a tick that was full, so after the one that takes it', async () => {
  // Room for one in each block.
  const { clocks, call, from } = await createWithQueued({ gasLimit: 40_000 })
  const hash = await call('eth_sendTransaction', { from, to: from, gas: '0x5208' })
  // Loads the method, so that the look-up below begins at once.
  await call('eth_getTransactionByHash', ZERO_HASH)
  const looking = call('eth_getTransactionByHash', hash)
  // The second one, and that of the seal, find the block full.
  await clocks.advanceTicks(2)
  expect(await isAnswered(looking)).toBe(false)
  await clocks.seal()
  await clocks.advanceTicks(1)
  expect(await looking).toMatchObject({ blockNumber: '0x2', transactionIndex: '0x0' })
})

test('no room in the block, so in the pool form while nothing is sealed', async () => {
  const { clocks, call, from } = await createWithQueued({ gasLimit: 40_000, frozen: true })
  const hash = await call('eth_sendTransaction', { from, to: from, gas: '0x5208' })
  await clocks.advanceTicks(1)
  // Loads the method, so that the look-up below begins at once.
  await call('eth_getTransactionByHash', ZERO_HASH)
  const looking = call('eth_getTransactionByHash', hash)
  expect(await isAnswered(looking)).toBe(false)
  await clocks.advanceTicks(1)
  expect(await looking).toMatchObject(POOL_FORM)
})

test('left by a tick that took others, and pays too little for the next', async () => {
  const node = await createWithQueued()
  const { clocks, call, account, look } = node
  const other = account(1).address
  await raiseBaseFee(node)
  await call('eth_sendTransaction', { from: other, to: other, maxFeePerGas: '0x2e90edd000' })
  const looking = look()
  expect(await isAnswered(looking)).toBe(false)
  await clocks.advanceTicks(1)
  expect(await call('eth_getTransactionCount', other, 'pending')).toBe('0x1')
  expect(await looking).toMatchObject(POOL_FORM)
})

test('arrived while a tick is at work, so in the one after it', async () => {
  const { chain, clocks, call, from, look } = await createWithQueued()
  const raw = await call<Hex>('eth_signTransaction', { from, to: from, nonce: '0x1' })
  // Loads the method, so that the look-ups below begin at once.
  await call('eth_getTransactionByHash', ZERO_HASH)
  const first = look()
  const late = Promise.withResolvers<unknown>()
  const runnable = chain.mempool.runnable.bind(chain.mempool)
  vi.spyOn(chain.mempool, 'runnable').mockImplementationOnce((baseFee) => {
    const candidates = runnable(baseFee)
    chain.submit(fromHex(raw))
    late.resolve(call('eth_getTransactionByHash', keccak256(raw)))
    return candidates
  })
  await clocks.advanceTicks(1)
  expect(await first).toMatchObject(PRECONFIRMED)
  expect(chain.pending.executed.length).toBe(1)
  expect(await isAnswered(late.promise)).toBe(false)
  await clocks.advanceTicks(1)
  expect(await late.promise).toMatchObject({ blockNumber: '0x1', transactionIndex: '0x1' })
})

test('replaced meanwhile, so unknown after the tick', async () => {
  const { clocks, call, from, look } = await createWithQueued()
  const looking = look()
  await call('eth_sendTransaction', {
    from,
    to: from,
    nonce: '0x0',
    maxFeePerGas: '0x2540be400',
    maxPriorityFeePerGas: '0x2540be400',
  })
  await clocks.advanceTicks(1)
  expect(await looking).toBeNull()
})

test('ends when the client hangs up', async () => {
  const { callAs, hash } = await createWithQueued()
  const client = new AbortController()
  const looking = callAs({ signal: client.signal }, 'eth_getTransactionByHash', hash)
  expect(await isAnswered(looking)).toBe(false)
  client.abort()
  expect(await looking).toMatchObject(POOL_FORM)
  expect(await callAs({ signal: client.signal }, 'eth_getTransactionByHash', hash)).toMatchObject(
    POOL_FORM,
  )
})

/** As {@link createWithQueued}, but the wall clock moves only by command, and the write queue is held up. */
async function createHeldUp(options: OptionsInput = {}) {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] })
  onTestFinished(() => void vi.useRealTimers())
  const node = await createWithQueued({ tickInterval: 200, ...options })
  // Loads the method, so that the look-up below begins at once.
  await node.call('eth_getTransactionByHash', ZERO_HASH)
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

test('a late tick is awaited, however many intervals late', async () => {
  const { look, release } = await createHeldUp({ syncTimeout: 60_000 })
  const looking = look()
  vi.advanceTimersByTime(59_999)
  expect(await isAnswered(looking)).toBe(false)
  await release()
  expect(await looking).toMatchObject(PRECONFIRMED)
})

test('args: syncTimeout ends the wait for a late tick', async () => {
  const { look } = await createHeldUp({ syncTimeout: 3000 })
  const looking = look()
  vi.advanceTimersByTime(2999)
  expect(await isAnswered(looking)).toBe(false)
  vi.advanceTimersByTime(1)
  expect(await looking).toMatchObject(POOL_FORM)
})

describe('ends, without a tick', () => {
  const createLooking = async () => {
    const node = await createWithQueued()
    // Loads the method, so that the look-up begins at once.
    await node.call('eth_getTransactionByHash', ZERO_HASH)
    return { ...node, looking: node.look() }
  }

  test('where ticks are frozen meanwhile', async () => {
    const { clocks, looking } = await createLooking()
    await clocks.freeze({ ticks: true })
    expect(await looking).toMatchObject(POOL_FORM)
  })

  test('where another replaces it', async () => {
    const { call, from, looking } = await createLooking()
    const fees = { maxFeePerGas: '0x2540be400', maxPriorityFeePerGas: '0x2540be400' }
    await call('eth_sendTransaction', { from, to: from, nonce: '0x0', ...fees })
    expect(await looking).toBeNull()
  })

  test('where it is dropped', async () => {
    const { call, hash, looking } = await createLooking()
    await call('hardhat_dropTransaction', hash)
    expect(await looking).toBeNull()
  })

  test('where a revert undoes it', async () => {
    const { call, account, chain, clocks } = await createWithQueued()
    const snapshot = await chain.write((writer) => writer.snapshot(clocks.snapshot()))
    const from = account(1).address
    const hash = await call('eth_sendTransaction', { from, to: from })
    await call('eth_getTransactionByHash', ZERO_HASH)
    const looking = call('eth_getTransactionByHash', hash)
    expect(await isAnswered(looking)).toBe(false)
    // Without the tick that `evm_revert` runs first.
    await chain.write((writer) => writer.revert(snapshot))
    expect(await looking).toBeNull()
  })

  test.each(['http', 'in-process'])('where the node stops: %s', async (transport) => {
    const devnet = createDevnet({ ...SLOW_CLOCKS, port: 0, noWallet: true, syncTimeout: 60_000 })
    onTestFinished(() => devnet.stop())
    await devnet.start()
    const ask = (method: string, ...params: unknown[]) =>
      transport === 'http'
        ? post(devnet.url, method, params)
        : devnet.provider.request({ method, params })
    const from = devnet.accounts[0]?.address
    const hash = await devnet.provider.request({
      method: 'eth_sendTransaction',
      params: [{ from, to: from }],
    })
    await ask('eth_getTransactionReceipt', ZERO_HASH)
    const looking = ask('eth_getTransactionReceipt', hash).catch(() => null)
    expect(await isAnswered(looking)).toBe(false)
    await devnet.stop()
    expect(await looking).toBeNull()
  })
})

test('args: tickInterval 0 pre-confirms on arrival', async () => {
  const { look } = await createWithQueued({ tickInterval: 0 })
  expect(await look()).toMatchObject(PRECONFIRMED)
})

describe('eth_getTransactionReceipt', () => {
  const createWithReceipt = async (options: OptionsInput = {}, nonce = '0x0') => {
    const node = await createWithQueued(options, nonce)
    // Loads the method, so that the look-ups below begin at once.
    await node.call('eth_getTransactionReceipt', ZERO_HASH)
    return { ...node, look: () => node.call('eth_getTransactionReceipt', node.hash) }
  }

  test.each([{}, { frozen: true }])(
    'default: the answer waits for the tick: %o',
    async (options) => {
      const { clocks, look, hash } = await createWithReceipt(options)
      const looking = look()
      expect(await isAnswered(looking)).toBe(false)
      await clocks.advanceTicks(1)
      expect(await looking).toMatchObject({
        transactionHash: hash,
        blockHash: ZERO_HASH,
        blockNumber: '0x1',
      })
    },
  )

  test.each<[string, OptionsInput, string]>([
    ['a nonce gap', {}, '0x1'],
    ['frozen ticks', { frozenTicks: true }, '0x0'],
    ['revealMempool', { revealMempool: true }, '0x0'],
  ])('none, at once: %s', async (_, options, nonce) => {
    const { look } = await createWithReceipt(options, nonce)
    expect(await look()).toBeNull()
  })

  test('none where the tick did not take it', async () => {
    const node = await createWithReceipt()
    const { clocks, look } = node
    await raiseBaseFee(node)
    const looking = look()
    expect(await isAnswered(looking)).toBe(false)
    await clocks.advanceTicks(1)
    expect(await looking).toBeNull()
  })
})
