import { createTestClient, type Hex, http, numberToHex, publicActions, walletActions } from 'viem'
import { hardhat } from 'viem/chains'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createDevnet } from '../../devnet/index.ts'
import type { Devnet } from '../../devnet/types.ts'

const NOBODY: Hex = `0x${'ab'.repeat(20)}`
const ETHER = 10n ** 18n
const START = 1_800_000_000

const connect = (mode: 'hardhat' | 'anvil', url: string) =>
  createTestClient({ mode, chain: hardhat, transport: http(url), pollingInterval: 20 })
    .extend(publicActions)
    .extend(walletActions)

// viem's actions are named after its modes, and send other methods and units for each.
describe.each(['hardhat', 'anvil'] as const)('mode %s', (mode) => {
  let devnet: Devnet
  let client: ReturnType<typeof connect>
  let account: Hex

  beforeEach(async () => {
    devnet = createDevnet({
      port: 0,
      tickInterval: 20,
      instant: true,
      timestamp: START,
      anvil: mode === 'anvil',
    })
    await devnet.start()
    client = connect(mode, devnet.url)
    account = devnet.accounts[0]?.address ?? '0x'
  })
  afterEach(() => devnet.stop())

  const send = (request: { value?: bigint; nonce?: number; account?: Hex } = {}) =>
    client.sendTransaction({ account, to: NOBODY, gas: 21_000n, value: 0n, ...request })

  test('default: mine', async () => {
    await client.mine({ blocks: 1 })
    await client.mine({ blocks: 3, interval: 60 })
    expect(await client.getBlockNumber()).toBe(4n)
    const blocks = await Promise.all(
      [2n, 3n, 4n].map((blockNumber) => client.getBlock({ blockNumber })),
    )
    const [second = 0n, third = 0n, fourth = 0n] = blocks.map(({ timestamp }) => timestamp)
    expect([third - second, fourth - third]).toEqual([60n, 60n])
  })

  test('default: setBalance, setNonce, setCode, setStorageAt', async () => {
    await client.setBalance({ address: NOBODY, value: 5n * ETHER })
    expect(await client.getBalance({ address: NOBODY })).toBe(5n * ETHER)
    await client.setNonce({ address: NOBODY, nonce: 7 })
    expect(await client.getTransactionCount({ address: NOBODY })).toBe(7)
    await client.setCode({ address: NOBODY, bytecode: '0x60055f5260205ff3' })
    expect(await client.getCode({ address: NOBODY })).toBe('0x60055f5260205ff3')
    const value = numberToHex(77, { size: 32 })
    await client.setStorageAt({ address: NOBODY, index: 3, value })
    await client.setStorageAt({ address: NOBODY, index: numberToHex(4, { size: 32 }), value })
    for (const slot of ['0x3', '0x4'] as const) {
      expect(await client.getStorageAt({ address: NOBODY, slot })).toBe(value)
    }
  })

  test('a nonce that goes back, as only anvil allows', async () => {
    await client.setNonce({ address: NOBODY, nonce: 7 })
    const back = client.setNonce({ address: NOBODY, nonce: 6 })
    if (mode === 'anvil') await back
    else await expect(back).rejects.toThrow('must not be smaller')
    expect(await client.getTransactionCount({ address: NOBODY })).toBe(mode === 'anvil' ? 6 : 7)
  })

  test('default: setNextBlockBaseFeePerGas, setBlockGasLimit, setCoinbase', async () => {
    await client.setNextBlockBaseFeePerGas({ baseFeePerGas: 123_456_789n })
    await client.setBlockGasLimit({ gasLimit: 100_000n })
    await client.setCoinbase({ address: NOBODY })
    await client.mine({ blocks: 1 })
    expect(await client.getBlock()).toMatchObject({
      baseFeePerGas: 123_456_789n,
      gasLimit: 100_000n,
      miner: NOBODY,
    })
  })

  test('default: setMinGasPrice, not with a base fee', async () => {
    await expect(client.setMinGasPrice({ gasPrice: 1n })).rejects.toThrow(
      `${mode}_setMinGasPrice is not supported when EIP-1559 is active`,
    )
  })

  test('default: impersonateAccount, stopImpersonatingAccount', async () => {
    await client.setBalance({ address: NOBODY, value: ETHER })
    await expect(send({ account: NOBODY })).rejects.toThrow('Unknown account')
    await client.impersonateAccount({ address: NOBODY })
    const hash = await send({ account: NOBODY, value: 5n })
    expect(await client.getTransactionReceipt({ hash })).toMatchObject({
      from: NOBODY,
      status: 'success',
    })
    await client.stopImpersonatingAccount({ address: NOBODY })
    await expect(send({ account: NOBODY })).rejects.toThrow('Unknown account')
  })

  test('default: sendUnsignedTransaction', async () => {
    await client.setBalance({ address: NOBODY, value: ETHER })
    const hash = await client.sendUnsignedTransaction({ from: NOBODY, to: account, value: 1n })
    expect(await client.getTransaction({ hash })).toMatchObject({ from: NOBODY, value: 1n })
  })

  test('default: increaseTime, setNextBlockTimestamp', async () => {
    expect(Number(await client.increaseTime({ seconds: 420 }))).toBe(420)
    await client.mine({ blocks: 1 })
    const moved = (await client.getBlock()).timestamp
    expect(moved).toBeGreaterThanOrEqual(BigInt(START + 420))
    expect(moved).toBeLessThan(BigInt(START + 430))
    await client.setNextBlockTimestamp({ timestamp: 1_900_000_000n })
    await client.mine({ blocks: 1 })
    expect((await client.getBlock()).timestamp).toBe(1_900_000_000n)
    await expect(client.setNextBlockTimestamp({ timestamp: 5n })).rejects.toThrow('lower than')
  })

  test('default: setBlockTimestampInterval, removeBlockTimestampInterval', async () => {
    await client.setBlockTimestampInterval({ interval: 30 })
    await client.mine({ blocks: 3 })
    await send()
    const timestamps = await Promise.all(
      [0n, 1n, 2n, 3n, 4n].map(
        async (blockNumber) => (await client.getBlock({ blockNumber })).timestamp,
      ),
    )
    expect(timestamps).toEqual([0, 30, 60, 90, 120].map((offset) => BigInt(START + offset)))
    await client.removeBlockTimestampInterval()
    await client.mine({ blocks: 1 })
    expect((await client.getBlock()).timestamp).toBe(BigInt(START + 121))
  })

  test('default: setAutomine, getAutomine', async () => {
    expect(await client.getAutomine()).toBe(true)
    await client.setAutomine(false)
    expect(await client.getAutomine()).toBe(false)
    const hash = await send()
    expect(await client.getBlockNumber({ cacheTime: 0 })).toBe(0n)
    await client.setAutomine(true)
    // Hardhat's network seals it with the next one, anvil at once.
    expect(await client.getBlockNumber({ cacheTime: 0 })).toBe(mode === 'anvil' ? 1n : 0n)
    const next = await send()
    const receipts = await Promise.all(
      [hash, next].map((sent) => client.getTransactionReceipt({ hash: sent })),
    )
    const blocks = receipts.map(({ blockNumber }) => blockNumber)
    expect(blocks).toEqual(mode === 'anvil' ? [1n, 2n] : [1n, 1n])
  })

  test('default: setIntervalMining, in seconds', async () => {
    await client.setAutomine(false)
    await client.setIntervalMining({ interval: 1 })
    expect((await devnet.clock.status()).sealing).toMatchObject({ interval: 1000, running: true })
    const hash = await send()
    await devnet.clock.advance({ ticks: 60 })
    expect((await client.getTransaction({ hash })).blockHash).toMatch(/^0x/)
    await client.setIntervalMining({ interval: 0 })
    expect((await devnet.clock.status()).sealing.running).toBe(false)
  })

  test('default: the mempool, dropTransaction', async () => {
    // As on hardhat node, instant mode lets nothing wait there.
    if (mode === 'hardhat') await client.setAutomine(false)
    const hash = await send({ nonce: 5 })
    expect(await client.getTxpoolStatus()).toEqual({ pending: 0, queued: 1 })
    expect(Object.values((await client.getTxpoolContent()).queued)[0]).toMatchObject({
      5: { hash },
    })
    expect(Object.values((await client.inspectTxpool()).queued)[0]).toHaveProperty('5')
    await client.dropTransaction({ hash })
    expect(await client.getTxpoolStatus()).toEqual({ pending: 0, queued: 0 })
  })

  test('default: snapshot, revert', async () => {
    await client.mine({ blocks: 2 })
    const id = await client.snapshot()
    await client.setBalance({ address: NOBODY, value: 1n })
    await client.setAutomine(false)
    await client.mine({ blocks: 2 })
    await client.revert({ id })
    expect(await client.getBlockNumber({ cacheTime: 0 })).toBe(2n)
    expect(await client.getBalance({ address: NOBODY })).toBe(0n)
    expect(await client.getAutomine()).toBe(true)
  })

  test('default: reset', async () => {
    await client.mine({ blocks: 2 })
    await send()
    await client.reset()
    expect(await client.getBlockNumber({ cacheTime: 0 })).toBe(0n)
    expect(await client.getTransactionCount({ address: account })).toBe(0)
    await client.mine({ blocks: 1 })
    await expect(client.reset({ blockNumber: 5n })).rejects.toThrow('"forking" needs "jsonRpcUrl"')
    await expect(client.reset({ jsonRpcUrl: 'http://127.0.0.1:1' })).rejects.toThrow(
      'http://127.0.0.1:1 did not give eth_chainId',
    )
    expect(await client.getBlockNumber({ cacheTime: 0 })).toBe(1n)
  })

  test('reset to a block of another chain, setRpcUrl, reset to the start', async () => {
    const upstream = createDevnet({ port: 0, instant: true, timestamp: START })
    await upstream.start()
    try {
      const other = connect('hardhat', upstream.url)
      await other.setBalance({ address: NOBODY, value: 5n })
      await other.mine({ blocks: 3 })
      await other.setBalance({ address: NOBODY, value: 6n })
      await other.mine({ blocks: 1 })
      await client.reset({ jsonRpcUrl: upstream.url, blockNumber: 2n })
      expect(await client.getBlockNumber({ cacheTime: 0 })).toBe(2n)
      expect(await client.getBalance({ address: NOBODY })).toBe(5n)
      await client.mine({ blocks: 1 })
      // With a slash, it is another text and the same node.
      const moved = client.setRpcUrl(`${upstream.url}/`)
      if (mode === 'anvil') await moved
      else await expect(moved).rejects.toThrow('does not exist')
      expect(await client.getBlockNumber({ cacheTime: 0 })).toBe(3n)
      expect(await client.getBalance({ address: account })).toBe(10_000n * ETHER)
    } finally {
      await upstream.stop()
    }
    await client.reset()
    expect(await client.getBlockNumber({ cacheTime: 0 })).toBe(0n)
  })

  test('default: setLoggingEnabled', async () => {
    await client.setLoggingEnabled(false)
    await client.setLoggingEnabled(true)
  })

  test('setRpcUrl is of anvil alone, and of forked chains', async () => {
    const words = mode === 'anvil' ? 'this chain is not a fork' : 'does not exist'
    await expect(client.setRpcUrl('http://127.0.0.1:1')).rejects.toThrow(words)
  })

  test('a transaction that reverts is sealed; the send fails, on anvil it answers the hash', async () => {
    const contract: Hex = `0x${'c0'.repeat(20)}`
    // revert("nope")
    const bytecode = '0x6308c379a060e01b5f5260206004526004602452636e6f706560e01b60445260645ffd'
    await client.setCode({ address: contract, bytecode })
    const reverting = client.sendTransaction({ account, to: contract, gas: 100_000n })
    const hash = mode === 'anvil' ? await reverting : undefined
    if (mode === 'hardhat') await expect(reverting).rejects.toThrow('nope')
    const { transactions } = await client.getBlock()
    if (mode === 'anvil') expect(transactions).toEqual([hash])
    expect(await client.getTransactionReceipt({ hash: transactions[0] ?? '0x' })).toMatchObject({
      status: 'reverted',
    })
  })
})
