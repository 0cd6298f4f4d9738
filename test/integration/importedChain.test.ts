import {
  createTestClient,
  createWalletClient,
  defineChain,
  type Hex,
  http,
  publicActions,
} from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { afterEach, describe, expect, test } from 'vitest'
import {
  createDevnet,
  type Devnet,
  type ImportEvent,
  type OptionsInput,
} from '../../devnet/index.ts'
import { createTestChain, START } from '../support/chain.ts'
import { BLOCK_FORKS, exportBlocks, genesisOf, temporaryFile } from '../support/genesisFile.ts'

/** Merged from the genesis on, with Prague to come by time. */
const GENESIS = genesisOf(
  { ...BLOCK_FORKS, shanghaiTime: 0, cancunTime: 0, pragueTime: START + 1000 },
  { timestamp: START - 100 },
)

let devnet: Devnet
afterEach(() => devnet.stop())

/** A node that goes on from a chain of five blocks, each with one transaction of the first account. */
async function start(options: OptionsInput = {}) {
  const genesis = temporaryFile('genesis.json', GENESIS)
  const source = await createTestChain({ genesis })
  const account = privateKeyToAccount(source.accounts[0]?.privateKey ?? '0x')
  for (let nonce = 0; nonce < 5; nonce++) {
    await source.send(
      await account.signTransaction({
        chainId: 4242,
        nonce,
        to: `0x${'dd'.repeat(20)}`,
        value: 1n,
        gas: 21_000n,
        maxFeePerGas: 10n ** 10n,
      }),
    )
    await source.clocks.advanceBlocks(1)
  }
  const file = temporaryFile('chain.rlp', exportBlocks(source.chain))
  devnet = createDevnet({ port: 0, genesis, import: file, frozenTicks: true, ...options })
  const imports: ImportEvent[] = []
  devnet.on('import', (event) => imports.push(event))
  await devnet.start()
  const chain = defineChain({
    id: devnet.chainId,
    name: 'imported',
    nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
    rpcUrls: { default: { http: [devnet.url] } },
  })
  const parameters = { chain, transport: http(), cacheTime: 0 }
  return {
    imports,
    head: source.chain.head,
    wallet: createWalletClient({ ...parameters, account }),
    client: createTestClient({ ...parameters, mode: 'hardhat' }).extend(publicActions),
  }
}

describe('going on from the newest block', () => {
  test('default: its own ticks and seals, for a key that the genesis funds', async () => {
    const { client, wallet, head, imports } = await start()
    expect(devnet.chainId).toBe(4242)
    expect(await client.getChainId()).toBe(4242)
    expect(imports).toMatchObject([{ blocks: 5, transactions: 5, number: 5, hash: head.hash }])
    expect((await client.getBlock()).hash).toBe(head.hash)
    const hash = await wallet.sendTransaction({ to: `0x${'ee'.repeat(20)}`, value: 7n })
    await devnet.clock.advance({ ticks: 1 })
    expect(await client.getTransactionReceipt({ hash })).toMatchObject({
      blockNumber: 6n,
      status: 'success',
    })
    await devnet.clock.advance({ blocks: 1 })
    const sealed = await client.getBlock({ blockNumber: 6n })
    expect(sealed.parentHash).toBe(head.hash)
    expect(sealed.timestamp).toBeGreaterThan(head.header.timestamp)
    expect(sealed.gasLimit).toBe(head.header.gasLimit)
    expect(sealed.transactions).toEqual([hash])
    expect(await client.getBalance({ address: `0x${'ee'.repeat(20)}` })).toBe(7n)
  })

  test('what was imported is history like any other', async () => {
    const { client, wallet, head } = await start()
    const { address } = wallet.account
    const nonces = [0n, 2n, 5n].map((blockNumber) =>
      client.getTransactionCount({ address, blockNumber }),
    )
    expect(await Promise.all(nonces)).toEqual([0, 2, 5])
    const [executed] = head.executed
    const hash = executed?.transaction.hash ?? '0x'
    expect(await client.getTransaction({ hash })).toMatchObject({
      blockNumber: 5n,
      from: expect.stringMatching(new RegExp(address, 'i')),
    })
    expect((await client.getTransactionReceipt({ hash })).blockHash).toBe(head.hash)
  })

  test('unlocked accounts sign, and have what the genesis gives them', async () => {
    const { client } = await start()
    const [funded, ...others] = devnet.accounts
    const without = others.at(-1)
    const send = (from: Hex | undefined) =>
      devnet.provider.request({
        method: 'eth_sendTransaction',
        params: [{ from, to: `0x${'ee'.repeat(20)}`, value: '0x1' }],
      })
    expect(await send(funded?.address)).toMatch(/^0x\w{64}$/)
    await expect(send(without?.address)).rejects.toThrow('insufficient funds')
    expect(await client.getBalance({ address: without?.address ?? '0x' })).toBe(0n)
  })

  test('without blocks, from the genesis block', async () => {
    devnet = createDevnet({
      port: 0,
      genesis: temporaryFile('genesis.json', GENESIS),
      frozenTicks: true,
    })
    await devnet.start()
    await devnet.clock.advance({ blocks: 2 })
    expect(await devnet.provider.request({ method: 'eth_blockNumber' })).toBe('0x2')
  })
})

describe('safe and finalized', () => {
  const numbers = async () => {
    const blocks = ['latest', 'safe', 'finalized'].map((tag) =>
      devnet.provider.request({ method: 'eth_getBlockByNumber', params: [tag, false] }),
    )
    return (await Promise.all(blocks)).map((block) => Number((block as { number: Hex }).number))
  }

  test('default: the last block that was imported, and never back from there', async () => {
    await start({ safeDepth: 1, finalizedDepth: 3 })
    expect(await numbers()).toEqual([5, 5, 5])
    await devnet.clock.advance({ blocks: 2 })
    expect(await numbers()).toEqual([7, 6, 5])
    await devnet.clock.advance({ blocks: 2 })
    expect(await numbers()).toEqual([9, 8, 6])
  })
})

describe('time', () => {
  const pending = async () => (await devnet.clock.status()).pending.timestamp

  test('default: that of the wall clock, but never before the chain', async () => {
    // The chain is of the year 2027.
    await start()
    expect(await pending()).toBe(START + 12)
  })

  test('args: timestamp', async () => {
    await start({ timestamp: START + 500, sealInterval: 2000 })
    expect(await pending()).toBe(START + 502)
    expect((await devnet.clock.status()).time).toBe((START + 500) * 1000)
  })

  test('error: a timestamp before the newest block', async () => {
    await expect(start({ timestamp: START })).rejects.toThrow(
      `The timestamp given, ${START}, is before that of the newest block of the chain, ${START + 10}.`,
    )
  })

  test('a hardfork comes when its time comes', async () => {
    const { client } = await start()
    const requests = async () => {
      const block = await devnet.provider.request({
        method: 'eth_getBlockByNumber',
        params: ['latest', false],
      })
      return typeof block === 'object' && block !== null && 'requestsHash' in block
    }
    await devnet.clock.advance({ blocks: 1 })
    expect(await requests()).toBe(false)
    await client.increaseTime({ seconds: 1000 })
    await devnet.clock.advance({ blocks: 1 })
    expect(await requests()).toBe(true)
  })
})

describe('start and stop', () => {
  test('error: a file that is not there', async () => {
    devnet = createDevnet({ port: 0, genesis: '/nowhere.json' })
    await expect(devnet.start()).rejects.toMatchObject({
      name: 'ChainFileError',
      message: '/nowhere.json cannot be read: ENOENT: no such file or directory.',
    })
  })

  test('equal files and times give equal blocks', async () => {
    const hashes: string[] = []
    for (let round = 0; round < 2; round++) {
      await start({ timestamp: START + 100 })
      await devnet.clock.advance({ blocks: 3 })
      const status = await devnet.clock.status()
      hashes.push(status.latest.hash)
      await devnet.stop()
    }
    expect(hashes[0]).toBe(hashes[1])
  })

  test('stop ends an import', async () => {
    const genesis = temporaryFile('genesis.json', GENESIS)
    const source = await createTestChain({ genesis })
    await source.clocks.advanceBlocks(200)
    const file = temporaryFile('chain.rlp', exportBlocks(source.chain))
    devnet = createDevnet({ port: 0, genesis, import: file })
    const starting = devnet.start()
    const refused = expect(starting).rejects.toThrow('The node was stopped')
    await devnet.stop()
    await refused
  })
})
