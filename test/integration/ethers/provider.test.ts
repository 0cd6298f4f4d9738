import {
  Contract,
  ContractFactory,
  isError,
  Network,
  parseEther,
  Wallet,
  zeroPadValue,
} from 'ethers'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { compiled, connectionNames, createStage, type Stage } from './stage.ts'

const ZERO_HASH = `0x${'00'.repeat(32)}`
const { abi, bytecode } = compiled('Playground')

// Polling makes a difference to events only.
const connections = connectionNames.filter((name) => name !== 'http, polling')

describe.each(connections)('%s', (connection) => {
  let stage: Stage
  let address: string
  let playground: Contract
  /** Stores 42 in slot 1, in block 2. */
  let sealed: string
  /** Stores 43 in slot 2, pre-confirmed in block 3. */
  let preconfirmed: string

  beforeAll(async () => {
    stage = await createStage(connection)
    const { devnet, plain, provider, key } = stage
    const wallet = new Wallet(key(0), plain)
    const deployed = await new ContractFactory(abi, bytecode, wallet).deploy()
    await deployed.waitForDeployment()
    address = await deployed.getAddress()
    await devnet.clock.seal()
    playground = new Contract(address, abi, new Wallet(key(0), provider))
    const write = new Contract(address, abi, wallet).getFunction('store')
    const store = async (slot: number, value: number) => {
      const response = await write.send(slot, value)
      await response.wait()
      return response.hash
    }
    sealed = await store(1, 42)
    await devnet.clock.seal()
    preconfirmed = await store(2, 43)
  })
  afterAll(() => stage[Symbol.asyncDispose]())

  test('getNetwork, getBlockNumber', async () => {
    const { provider } = stage
    expect(Network.from(await provider.getNetwork()).chainId).toBe(31337n)
    expect(await provider.getBlockNumber()).toBe(2)
  })

  test('getBlock', async () => {
    const { provider } = stage
    const latest = await provider.getBlock('latest')
    expect(latest).toMatchObject({ number: 2, transactions: [sealed], gasLimit: 60_000_000n })
    expect(await provider.getBlock(latest?.hash ?? '')).toEqual(latest)
    const first = await provider.getBlock(1)
    expect(latest?.parentHash).toBe(first?.hash)
    const pending = await provider.getBlock('pending', true)
    expect(pending).toMatchObject({ number: 3, hash: ZERO_HASH, parentHash: latest?.hash })
    expect(pending?.prefetchedTransactions).toMatchObject([
      { hash: preconfirmed, blockNumber: 3, blockHash: null, index: 0 },
    ])
    expect(await provider.getBlock(3)).toBeNull()
  })

  test('getTransaction, getTransactionReceipt', async () => {
    const { provider, address: account } = stage
    const { hash: blockHash } = (await provider.getBlock('latest')) ?? {}
    expect(await provider.getTransaction(sealed)).toMatchObject({
      hash: sealed,
      blockHash,
      blockNumber: 2,
      index: 0,
      nonce: 1,
      type: 2,
      chainId: 31337n,
    })
    expect(await provider.getTransactionReceipt(sealed)).toMatchObject({
      hash: sealed,
      blockHash,
      blockNumber: 2,
      status: 1,
    })
    const receipt = await provider.getTransactionReceipt(preconfirmed)
    expect(receipt).toMatchObject({ blockHash: ZERO_HASH, blockNumber: 3, index: 0, status: 1 })
    expect(receipt?.from.toLowerCase()).toBe(account(0))
    expect(receipt?.logs).toMatchObject([{ address, index: 0, transactionHash: preconfirmed }])
    // Latest is 2, and so is how it is told that it is not sealed.
    expect(await receipt?.confirmations()).toBe(0)
    expect(await provider.getTransactionReceipt(ZERO_HASH)).toBeNull()
    expect(await provider.getTransaction(ZERO_HASH)).toBeNull()
  })

  test('getBalance, getTransactionCount, getCode, getStorage', async () => {
    const { provider, address: account } = stage
    expect(await provider.getBalance(account(1))).toBe(parseEther('10000'))
    expect(await provider.getTransactionCount(account(0))).toBe(2)
    expect(await provider.getTransactionCount(account(0), 'pending')).toBe(3)
    expect(await provider.getTransactionCount(account(0), 0)).toBe(0)
    expect(await provider.getCode(address)).toMatch(/^0x6080/)
    expect(await provider.getCode(address, 0)).toBe('0x')
    expect(await provider.getStorage(address, 1)).toBe(ZERO_HASH)
  })

  test('call and estimateGas, by contract', async () => {
    const { provider, address } = stage
    const stored = playground.getFunction('stored')
    expect(await stored(1)).toBe(42n)
    expect(await stored(2)).toBe(0n)
    expect(await stored(2, { blockTag: 'pending' })).toBe(43n)
    expect(await stored(1, { blockTag: 1 })).toBe(0n)
    const store = playground.getFunction('store')
    await store.staticCall(5, 6)
    expect(await stored(5, { blockTag: 'pending' })).toBe(0n)
    expect(await store.estimateGas(5, 6)).toBeGreaterThan(40_000n)
    expect(await provider.estimateGas({ from: address(0), to: address(1), value: 1n })).toBe(
      21_000n,
    )
  })

  test('reverts are decoded', async () => {
    const failure = async (name: string, ...args: unknown[]) => {
      const error: unknown = await playground
        .getFunction(name)
        .staticCall(...args)
        .catch((one: unknown) => one)
      if (!isError(error, 'CALL_EXCEPTION')) throw error
      return error
    }
    expect(await failure('failWithReason', 'no luck')).toMatchObject({
      reason: 'no luck',
      revert: { name: 'Error', args: ['no luck'] },
    })
    const { revert } = await failure('failWithError', 7)
    expect(revert?.name).toBe('Refused')
    expect(revert?.args.map(String)).toEqual([expect.stringMatching(/^0xf39F/), '7'])
    expect(await failure('failWithPanic', [])).toMatchObject({ revert: { name: 'Panic' } })
    const refused = playground.getFunction('failWithReason').send('no luck')
    await expect(refused).rejects.toMatchObject({ code: 'CALL_EXCEPTION', reason: 'no luck' })
  })

  test('getLogs, queryFilter', async () => {
    const { provider } = stage
    const [event] = await playground.queryFilter('Stored', 0)
    expect(event).toMatchObject({ transactionHash: sealed, eventName: 'Stored', blockNumber: 2 })
    const events = await playground.queryFilter('Stored', 0, 'pending')
    expect(events.map((one) => ('args' in one ? one.args.toArray().map(String) : []))).toEqual([
      ['1', '42', expect.stringMatching(/^0xf39F/)],
      ['2', '43', expect.stringMatching(/^0xf39F/)],
    ])
    const { target, topics } = { target: address, topics: [null, zeroPadValue('0x02', 32)] }
    const range = { fromBlock: 0, toBlock: 'pending' }
    const logs = await provider.getLogs({ address: target, topics, ...range })
    expect(logs).toMatchObject([{ transactionHash: preconfirmed, blockNumber: 3 }])
    const { hash } = (await provider.getBlock('latest')) ?? {}
    expect(await provider.getLogs({ blockHash: hash ?? '' })).toHaveLength(1)
  })

  test('getFeeData', async () => {
    const { provider } = stage
    const { baseFeePerGas } = (await provider.getBlock('latest')) ?? {}
    const { gasPrice, maxFeePerGas, maxPriorityFeePerGas } = await provider.getFeeData()
    expect(maxPriorityFeePerGas).toBe(1_000_000_000n)
    expect(maxFeePerGas).toBe(2n * (baseFeePerGas ?? 0n) + 1_000_000_000n)
    const pending = await provider.getBlock('pending')
    expect(gasPrice).toBe((pending?.baseFeePerGas ?? 0n) + 1_000_000_000n)
  })

  test('many requests at once', async () => {
    const { provider, address: account } = stage
    const requests = Array.from({ length: 250 }, (_, index) =>
      provider.getBalance(account(index % 5)),
    )
    const balances = await Promise.all(requests)
    expect(new Set(balances.slice(1, 5))).toEqual(new Set([parseEther('10000')]))
    expect(
      await Promise.all(['eth_chainId', 'net_version'].map((one) => provider.send(one, []))),
    ).toEqual(['0x7a69', '31337'])
    await expect(provider.send('eth_nonsense', [])).rejects.toThrow(/eth_nonsense/)
  })
})
