import { BrowserProvider, JsonRpcProvider } from 'ethers'
import {
  createTestClient,
  createWalletClient,
  custom,
  http,
  publicActions,
  type Transport,
  webSocket,
} from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { hardhat } from 'viem/chains'
import { expect, test } from 'vitest'
import { type ExploreContext, type ExploreOptions, explore } from '../../../plugin/explore.ts'

const SHOP = `0x${'5'.repeat(40)}` as const

function once(run: (context: ExploreContext) => unknown, options?: ExploreOptions) {
  return explore(run, { ...options, maxRuns: 1 })
}

function viemOf({ devnet, provider }: ExploreContext, transport: Transport = custom(provider)) {
  const account = privateKeyToAccount(devnet.accounts[0]?.privateKey ?? '0x')
  return createWalletClient({
    account,
    chain: { ...hardhat, id: devnet.chainId },
    transport,
  }).extend(publicActions)
}

test('waitForTransactionReceipt of viem waits on the clock of the chain', async () => {
  const summary = await once(async (run) => {
    const client = viemOf(run)
    const start = Date.now()
    const hash = await client.sendTransaction({ to: SHOP, value: 1n })
    const receipt = await client.waitForTransactionReceipt({ hash, confirmations: 3 })
    expect(receipt.status).toBe('success')
    expect(await client.getBlockNumber()).toBeGreaterThanOrEqual(receipt.blockNumber + 2n)
    expect(Date.now() - start).toBeGreaterThan(4000)
  })
  expect(summary).toMatchObject({ runs: 1, complete: false })
})

test('a timeout of viem passes on the clock of the chain', async () => {
  await once(async (run) => {
    const client = viemOf(run)
    const hash = `0x${'1'.repeat(64)}` as const
    const start = Date.now()
    await expect(client.waitForTransactionReceipt({ hash, timeout: 30_000 })).rejects.toThrow(
      'Timed out while waiting for transaction',
    )
    expect(Date.now() - start).toBeGreaterThanOrEqual(30_000)
  })
})

test('tx.wait of ethers waits on the clock of the chain', async () => {
  await once(async ({ provider }) => {
    const ethers = new BrowserProvider(provider)
    const signer = await ethers.getSigner()
    const start = Date.now()
    const sent = await signer.sendTransaction({ to: SHOP, value: 1n })
    const receipt = await sent.wait(2)
    expect(receipt).toMatchObject({ status: 1, blockNumber: 1 })
    expect(await ethers.getBlockNumber()).toBeGreaterThanOrEqual(2)
    expect(Date.now() - start).toBeGreaterThan(2000)
    ethers.destroy()
  })
})

test('a request that waits for a tick is answered after it', async () => {
  await once(async ({ devnet, provider }) => {
    const from = devnet.accounts[0]?.address
    const params = [{ from, to: SHOP, value: '0x1' }]
    const receipt = await provider.request({ method: 'eth_sendTransactionSync', params })
    expect(receipt).toMatchObject({ blockNumber: '0x1', status: '0x1' })
    expect((await devnet.clock.status()).pending.ticks).toBe(1)
  })
})

test('clients over HTTP and WebSocket run on the clock of the chain', async () => {
  const summary = await explore(
    async (run) => {
      const client = viemOf(run, http(run.devnet.url))
      const hash = await client.sendTransaction({ to: SHOP, value: 1n })
      expect(await client.waitForTransactionReceipt({ hash })).toMatchObject({ status: 'success' })
      const heads: bigint[] = []
      const transport = webSocket(run.devnet.url.replace('http', 'ws'))
      const sockets = createTestClient({ mode: 'hardhat', transport }).extend(publicActions)
      const { promise, resolve } = Promise.withResolvers<void>()
      const stop = sockets.watchBlockNumber({
        onBlockNumber: (number) => heads.push(number) === 3 && resolve(),
      })
      await promise
      stop()
      expect(heads).toEqual([heads[0], (heads[0] ?? 0n) + 1n, (heads[0] ?? 0n) + 2n])
      const ethers = new JsonRpcProvider(run.devnet.url)
      expect(await ethers.getBlockNumber()).toBe(Number(heads[2]))
      ethers.destroy()
    },
    { maxRuns: 3 },
  )
  expect(summary).toMatchObject({ runs: 3 })
})

test('equal searches over HTTP give equal results', async () => {
  const outcomes = async () => {
    const all: unknown[] = []
    const summary = await explore(
      async (run) => {
        const client = viemOf(run, http(run.devnet.url))
        const hash = await client.sendTransaction({ to: SHOP, value: 1n })
        const wait = client.waitForTransactionReceipt({ hash, confirmations: 2, timeout: 9000 })
        const outcome = await wait.then(
          ({ blockHash }) => blockHash,
          ({ name }: Error) => name,
        )
        all.push([outcome, Date.now(), (await run.devnet.clock.status()).latest.hash])
      },
      { maxRuns: 30 },
    )
    return { all, summary }
  }
  const first = await outcomes()
  expect(first.all.length).toBe(30)
  expect(await outcomes()).toEqual(first)
})
