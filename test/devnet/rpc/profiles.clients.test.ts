import { JsonRpcProvider, Network, Wallet } from 'ethers'
import {
  createPublicClient,
  createWalletClient,
  custom,
  type Hex,
  http,
  webSocket,
  zeroHash,
} from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import {
  base,
  basePreconf,
  giwaSepolia,
  megaeth,
  optimism,
  rise,
  unichain,
  xLayer,
} from 'viem/chains'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createDevnet, type Devnet, type OptionsInput } from '../../../devnet/index.ts'
import type { ProfileName } from '../../../devnet/options/optionTable.ts'

const STRANGER = '0x1234567890123456789012345678901234567890'
/** viem's chain for pre-confirmations, whose actions read `pending`. */
const chain = { ...basePreconf, id: 31337 }

/** Ticks run, and blocks are sealed only by command. */
async function start(profile: ProfileName, options: OptionsInput = {}): Promise<Devnet> {
  const clocks = { tickInterval: 20, frozen: true }
  const devnet = createDevnet({ port: 0, noWallet: true, profile, ...clocks, ...options })
  onTestFinished(() => devnet.stop())
  await devnet.start()
  return devnet
}

function keyOf({ accounts: [account] }: Devnet): Hex {
  if (account === undefined) throw new Error('No accounts')
  return account.privateKey
}

function viemOf(devnet: Devnet) {
  const shared = { chain, transport: http(devnet.url), pollingInterval: 10 }
  const publicClient = createPublicClient(shared)
  const account = privateKeyToAccount(keyOf(devnet))
  return { publicClient, wallet: createWalletClient({ ...shared, account }) }
}

describe.each(['base-flashblocks', 'op-subblocks', 'unichain'] as const)('%s', (profile) => {
  test('viem: finds the pre-confirmed receipt, and then reads pending', async () => {
    const devnet = await start(profile)
    const { publicClient, wallet } = viemOf(devnet)
    const hash = await wallet.sendTransaction({ to: STRANGER, value: 4660n })
    // What viem finds waiting, it looks for again only once a block is sealed.
    await devnet.clock.advance({ ticks: 1 })
    const receipt = await publicClient.waitForTransactionReceipt({ hash })
    expect(receipt).toMatchObject({ status: 'success', blockNumber: 1n, blockHash: zeroHash })
    expect(await publicClient.getBalance({ address: STRANGER })).toBe(4660n)
    expect(await publicClient.getBalance({ address: STRANGER, blockTag: 'latest' })).toBe(0n)
    expect(await publicClient.getBlockNumber({ cacheTime: 0 })).toBe(0n)
    const block = await publicClient.getBlock()
    expect(block).toMatchObject({ number: 1n, hash: zeroHash })
    expect(block.transactions).toContain(hash)
    await devnet.clock.seal()
    const sealed = await publicClient.getBlock({ blockTag: 'latest' })
    expect(await publicClient.getTransactionReceipt({ hash })).toEqual({
      ...receipt,
      blockHash: sealed.hash,
    })
  })

  test('viem: waits for the receipt of what no tick has taken yet', async () => {
    const devnet = await start(profile, { frozenTicks: true })
    const { publicClient, wallet } = viemOf(devnet)
    const hash = await wallet.sendTransaction({ to: STRANGER, value: 1n })
    const waiting = publicClient.waitForTransactionReceipt({ hash })
    await publicClient.getBlockNumber({ cacheTime: 0 })
    await devnet.clock.advance({ blocks: 1 })
    expect(await waiting).toMatchObject({ status: 'success', blockNumber: 1n })
  })

  test('viem: sendTransactionSync answers before the seal', async () => {
    const { wallet } = viemOf(await start(profile))
    const receipt = await wallet.sendTransactionSync({ to: STRANGER, value: 1n, timeout: 5000 })
    expect(receipt).toMatchObject({ status: 'success', blockNumber: 1n, blockHash: zeroHash })
  })

  test('ethers: a pre-confirmed transaction, its receipt and the next nonce', async () => {
    const devnet = await start(profile)
    const network = Network.from(31337)
    const provider = new JsonRpcProvider(devnet.url, network, {
      staticNetwork: network,
      cacheTimeout: -1,
      polling: true,
      pollingInterval: 10,
    })
    onTestFinished(() => provider.destroy())
    const wallet = new Wallet(keyOf(devnet), provider)
    const sent = await wallet.sendTransaction({ to: STRANGER, value: 1n })
    await expect.poll(() => provider.getTransactionReceipt(sent.hash)).not.toBe(null)
    expect(await sent.wait(0)).toMatchObject({ status: 1, blockNumber: 1, blockHash: zeroHash })
    expect(await wallet.getNonce('pending')).toBe(1)
    expect(await wallet.getNonce('latest')).toBe(0)
    const next = await wallet.sendTransaction({ to: STRANGER, value: 1n })
    expect(next.nonce).toBe(1)
    await expect.poll(() => provider.getBalance(STRANGER, 'pending')).toBe(2n)
    await devnet.clock.seal()
    expect((await next.wait(1))?.blockHash).toMatch(/^0x(?!0{64})/)
  })
})

test('xlayer, viem: the hash of the pending block, and the nonce behind the mempool', async () => {
  const devnet = await start('xlayer')
  const { publicClient, wallet } = viemOf(devnet)
  const receipt = await wallet.sendTransactionSync({ to: STRANGER, value: 1n, timeout: 5000 })
  const block = await publicClient.getBlock({ blockHash: receipt.blockHash })
  expect(block).toMatchObject({ number: 1n, hash: receipt.blockHash })
  await devnet.clock.freeze({ ticks: true })
  await wallet.sendTransaction({ to: STRANGER, value: 1n })
  const { address } = wallet.account
  expect(await publicClient.getTransactionCount({ address, blockTag: 'pending' })).toBe(2)
})

test('base, viem: a receipt is that of a sealed block', async () => {
  const clocks = { tickInterval: 20, sealInterval: 20, frozen: false }
  const { publicClient, wallet } = viemOf(await start('base', clocks))
  const hash = await wallet.sendTransaction({ to: STRANGER, value: 1n })
  const receipt = await publicClient.waitForTransactionReceipt({ hash })
  const block = await publicClient.getBlock({ blockHash: receipt.blockHash })
  expect(block.transactions.at(-1)).toBe(hash)
  expect(await publicClient.getBalance({ address: STRANGER })).toBe(1n)
  expect(block).toMatchObject({ timestampMs: expect.stringMatching(/^0x/) })
})

test.each(['base-flashblocks', 'unichain', 'base', 'xlayer'] as const)(
  '%s, viem: notices that a waiting transaction was replaced',
  async (profile) => {
    const devnet = await start(profile, { frozenTicks: true })
    const { wallet } = viemOf(devnet)
    // viem notices only what it has seen waiting.
    const seen = Promise.withResolvers<void>()
    const request = async (args: { method: string; params?: readonly unknown[] }) => {
      const answer = await devnet.provider.request(args)
      if (args.method === 'eth_getTransactionByHash' && answer !== null) seen.resolve()
      return answer
    }
    const watching = createPublicClient({
      chain,
      pollingInterval: 10,
      transport: custom({ request }),
    })
    const fees = (gwei: bigint) => ({
      maxFeePerGas: 50n * gwei * 10n ** 9n,
      maxPriorityFeePerGas: gwei * 10n ** 9n,
    })
    const transfer = { to: STRANGER, gas: 21_000n, nonce: 0 } as const
    const hash = await wallet.sendTransaction({ ...transfer, ...fees(1n) })
    const told: string[] = []
    const receipt = watching.waitForTransactionReceipt({
      hash,
      onReplaced: ({ reason }) => told.push(reason),
    })
    await seen.promise
    const other = await wallet.sendTransaction({ ...transfer, ...fees(2n), value: 1n })
    await devnet.clock.advance({ blocks: 1 })
    expect(await receipt).toMatchObject({ transactionHash: other, status: 'success' })
    expect(told).toEqual(['replaced'])
  },
)

test.each([
  ['base', base],
  ['base-flashblocks', basePreconf],
  ['optimism', optimism],
  ['unichain', unichain],
  ['xlayer', xLayer],
  ['giwa', giwaSepolia],
  ['rise', rise],
  ['megaeth', megaeth],
] as const)("%s: a client of viem's chain sends, waits and watches", async (profile, chain) => {
  const devnet = createDevnet({ port: 0, noWallet: true, profile, chainId: chain.id })
  onTestFinished(() => devnet.stop())
  await devnet.start()
  const transport = webSocket(devnet.url.replace('http', 'ws'))
  const account = privateKeyToAccount(keyOf(devnet))
  const client = createPublicClient({ chain, transport, pollingInterval: 50 })
  const wallet = createWalletClient({ account, chain, transport })
  onTestFinished(async () => (await client.transport.getRpcClient()).close())
  const sealed = Promise.withResolvers<readonly Hex[]>()
  let hash: Hex | undefined
  const unwatch = client.watchBlocks({
    blockTag: 'latest',
    async onBlock({ number }) {
      if (number === null) return
      const { transactions } = await client.getBlock({ blockNumber: number })
      if (hash !== undefined && transactions.includes(hash)) sealed.resolve(transactions)
    },
    onError: sealed.reject,
  })
  onTestFinished(unwatch)
  hash = await wallet.sendTransaction({ to: STRANGER, value: 1n })
  expect(await client.waitForTransactionReceipt({ hash })).toMatchObject({ status: 'success' })
  expect(await sealed.promise).toContain(hash)
  expect(await client.getBalance({ address: STRANGER })).toBe(1n)
})
