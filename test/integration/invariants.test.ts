import { privateKeyToAccount } from 'viem/accounts'
import { afterEach, describe, expect, test } from 'vitest'
import { createDevnet } from '../../devnet/index.ts'
import type { OptionsInput } from '../../devnet/options/options.ts'
import type { Hex } from '../../devnet/primitives/hex.ts'
import type { Devnet } from '../../devnet/types.ts'

const RECIPIENT = '0x00000000000000000000000000000000000000ee'
const CONTRACT = '0x00000000000000000000000000000000000000c0'

let devnet: Devnet

afterEach(async () => {
  await devnet.stop()
})

async function start(options: OptionsInput = {}): Promise<void> {
  devnet = createDevnet({ port: 0, frozenTicks: true, timestamp: 1_800_000_000, ...options })
  await devnet.start()
}

const request = (method: string, ...params: unknown[]): Promise<unknown> =>
  devnet.provider.request({ method, params })

const address = (index: number): Hex => devnet.accounts[index]?.address ?? '0x'

function sign(index: number, nonce: number, to: Hex = RECIPIENT, value = 1n): Promise<Hex> {
  return privateKeyToAccount(devnet.accounts[index]?.privateKey ?? '0x').signTransaction({
    type: 'eip1559',
    chainId: 31337,
    nonce,
    to,
    value,
    gas: 200_000n,
    maxFeePerGas: 10n ** 11n,
    maxPriorityFeePerGas: 1n,
  })
}

const send = async (...args: Parameters<typeof sign>) =>
  request('eth_sendRawTransaction', await sign(...args))

const pendingHashes = async () =>
  (await devnet.clock.status()).pending.transactions.map(({ hash }) => hash)

test('a call between tick and seal leaves no trace in the block, nor after a revert', async () => {
  const run = async (call: boolean) => {
    await start()
    // SSTORE(0, 42)
    await request('hardhat_setCode', CONTRACT, '0x602a5f5500')
    await send(0, 0)
    await devnet.clock.advance({ ticks: 1 })
    const id = await request('evm_snapshot')
    if (call) {
      await request('eth_call', { to: CONTRACT }, 'pending')
      await request('eth_estimateGas', { to: CONTRACT })
      await request(
        'eth_simulateV1',
        { blockStateCalls: [{ calls: [{ to: CONTRACT }] }] },
        'pending',
      )
    }
    const { latest } = await devnet.clock.seal()
    await request('evm_revert', id)
    const slot = await request('eth_getStorageAt', CONTRACT, '0x0', 'pending')
    await devnet.stop()
    return { hash: latest.hash, slot }
  }
  const without = await run(false)
  expect(await run(true)).toEqual(without)
  expect(without.slot).toBe(`0x${'00'.repeat(32)}`)
})

test('a nonce used up by a delegated account blocks nobody', async () => {
  await start()
  // CREATE of nothing, by the code that account 1 delegates to.
  await request('hardhat_setCode', CONTRACT, '0x5f5f5ff000')
  await request('hardhat_setCode', address(1), `0xef0100${CONTRACT.slice(2)}`)
  await send(0, 0, address(1))
  const late = await send(1, 0)
  await devnet.clock.advance({ ticks: 1 })
  expect(await request('eth_getTransactionCount', address(1), 'pending')).toBe('0x1')
  const next = await send(1, 1)
  const { dropped, mempool, pending } = await devnet.clock.advance({ ticks: 1 })
  expect(dropped).toEqual([
    { hash: late, reason: 'nonce too low: next nonce 1, tx nonce 0', preconfirmed: false },
  ])
  expect(mempool).toEqual({ runnable: 0, waiting: 0 })
  expect(pending.transactions.at(-1)?.hash).toBe(next)
})

describe('cheats behind pre-confirmed transactions', () => {
  test('no funds: what is pre-confirmed stays, what waits runs once there are some', async () => {
    await start()
    const hash = await send(0, 0)
    await devnet.clock.advance({ ticks: 1 })
    const receipt = await request('eth_getTransactionReceipt', hash)
    const waiting = await send(0, 1)
    await request('hardhat_setBalance', address(0), '0x0')
    await devnet.clock.advance({ ticks: 1 })
    expect(await pendingHashes()).toEqual([hash])
    expect((await devnet.clock.status()).mempool).toEqual({ runnable: 1, waiting: 0 })
    await request('hardhat_setBalance', address(0), '0xde0b6b3a7640000')
    await devnet.clock.advance({ ticks: 1 })
    expect(await pendingHashes()).toEqual([hash, waiting])
    expect(await request('eth_getTransactionReceipt', hash)).toEqual(receipt)
    expect((await devnet.clock.status()).reexecuted).toEqual([])
  })

  test('what was dropped once and sent again is not lost by a cheat', async () => {
    await start()
    const hash = await send(0, 0)
    await request('hardhat_setCode', address(0), '0x00')
    await devnet.clock.advance({ ticks: 1 })
    expect((await devnet.clock.status()).dropped.map((one) => one.hash)).toEqual([hash])
    await request('hardhat_setCode', address(0), '0x')
    expect(await send(0, 0)).toBe(hash)
    await request('hardhat_setBalance', address(0), '0x0')
    await devnet.clock.advance({ ticks: 1 })
    expect((await devnet.clock.status()).mempool).toEqual({ runnable: 1, waiting: 0 })
    await request('hardhat_setBalance', address(0), '0xde0b6b3a7640000')
    await devnet.clock.advance({ ticks: 1 })
    // Pre-confirmed, it is as final as one that was never dropped.
    await request('hardhat_setCode', address(0), '0x00')
    expect(await pendingHashes()).toEqual([hash])
    expect((await devnet.clock.seal()).latest.number).toBe(1)
    expect(await request('eth_getTransactionReceipt', hash)).toMatchObject({ blockNumber: '0x1' })
  })

  test('the timestamp stays where it was when the block opened', async () => {
    await start()
    await send(0, 0)
    await devnet.clock.advance({ ticks: 20 })
    await request('hardhat_setBalance', RECIPIENT, '0x5')
    expect((await devnet.clock.status()).pending).toMatchObject({
      timestamp: 1_800_000_002,
      transactions: [{ nonce: 0 }],
    })
  })

  test('a nonce set to what it is drops nothing', async () => {
    await start()
    const hash = await send(0, 0)
    await devnet.clock.advance({ ticks: 1 })
    await request('hardhat_setNonce', address(0), '0x1')
    expect(await pendingHashes()).toEqual([hash])
  })
})

describe('tick interval 0', () => {
  const gone = async () => {
    // Turns of the queue follow one another: after a few of them all that can run has run.
    for (let turn = 0; turn < 5; turn++) await devnet.clock.status()
    for (let turn = 0; turn < 5; turn++)
      await request('hardhat_setBalance', RECIPIENT, `0x${turn + 1}`)
    return (await devnet.clock.status()).mempool.runnable
  }

  test('what did not fit goes into the next block', async () => {
    await start({ tickInterval: 0, frozenTicks: false, frozen: true, gasLimit: 300_000 })
    for (let nonce = 0; nonce < 8; nonce++) await send(0, nonce)
    expect(await gone()).toBeGreaterThan(0)
    while ((await devnet.clock.status()).mempool.runnable > 0) {
      const { runnable } = (await devnet.clock.status()).mempool
      await devnet.clock.seal()
      expect(await gone()).toBeLessThan(runnable)
    }
  })

  test('resume executes what came while frozen', async () => {
    await start({ tickInterval: 0, sealInterval: 600_000 })
    const hash = await send(0, 0)
    expect(await pendingHashes()).toEqual([])
    await devnet.clock.resume()
    await gone()
    expect(await pendingHashes()).toEqual([hash])
  })
})

test('requests start in their order, also when a method is first used', async () => {
  await start()
  await request('evm_mine')
  const sent = request('eth_sendTransaction', { from: address(0), to: RECIPIENT, value: '0x1' })
  const sealed = request('evm_mine')
  const [hash] = await Promise.all([sent, sealed])
  expect(await request('eth_getTransactionReceipt', hash)).toMatchObject({ blockNumber: '0x2' })
})

test('nothing happens after stop', async () => {
  await start()
  // JUMPDEST, PUSH0, JUMP: burns all its gas.
  await request('hardhat_setCode', CONTRACT, '0x5b5f56')
  const events: string[] = []
  devnet.on('tick', () => events.push('tick'))
  devnet.on('seal', () => events.push('seal'))
  for (let nonce = 0; nonce < 3; nonce++) {
    await request('eth_sendTransaction', { from: address(0), to: CONTRACT })
  }
  const work = [request('evm_mine'), request('hardhat_mine', '0x100000')]
  const settled = Promise.allSettled(work)
  await devnet.stop()
  const before = events.length
  for (const { status } of await settled) expect(status).toBe('rejected')
  expect(events.length).toBe(before)
})

test('stopped before it was started', async () => {
  devnet = createDevnet({ port: 0 })
  await devnet.stop()
  await expect(devnet.start()).rejects.toThrow('starts only once')
})
