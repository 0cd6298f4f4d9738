import { JsonRpcProvider, WebSocketProvider } from 'ethers'
import { createPublicClient, http, type Log, webSocket } from 'viem'
import { hardhat } from 'viem/chains'
import { expect, onTestFinished, test } from 'vitest'
import type { Hex } from '../../devnet/primitives/hex.ts'
import { abi, EMITTER, SOON, startTelling, TOLD } from './tellingDevnet.ts'

/** Two blocks, the second with a log; and a reorganisation that puts another log into the first. */
async function startReorganised() {
  const devnet = await startTelling()
  const { clock, from, request, tell } = devnet
  return {
    ...devnet,
    /** Seals a block that tells this number; answers its hash. */
    async seal(number: number): Promise<Hex> {
      await tell(number)
      await clock.advance({ blocks: 1 })
      return (await clock.status()).latest.hash
    },
    /** Replaces so many blocks, the first by one that tells this number. */
    async reorganise(depth: number, number: number): Promise<Hex[]> {
      const data = `0x${number.toString(16).padStart(64, '0')}`
      await request('anvil_reorg', depth, [[{ from, to: EMITTER, data }, 0]])
      const { latest } = await clock.status()
      const numbers = Array.from({ length: depth }, (_, index) => latest.number - depth + 1 + index)
      const hashes = numbers.map(async (block) => {
        const name = `0x${block.toString(16)}`
        const { hash } = await request<{ hash: Hex }>('eth_getBlockByNumber', name, false)
        return hash
      })
      return Promise.all(hashes)
    },
  }
}

type Told = readonly [number: number, removed: boolean]

test('viem over WebSocket: watchBlocks and watchEvent', async () => {
  const { seal, reorganise, socketUrl } = await startReorganised()
  const client = createPublicClient({ chain: hardhat, transport: webSocket(socketUrl) })
  const rpc = await client.transport.getRpcClient()
  onTestFinished(() => rpc.close())
  const blocks: (Hex | null)[] = []
  const told: Told[] = []
  const errors: Error[] = []
  const onError = (error: Error) => errors.push(error)
  client.watchBlocks({ onBlock: ({ hash }) => blocks.push(hash), onError })
  client.watchEvent({
    address: EMITTER,
    event: abi[0],
    strict: true,
    onLogs: (logs) =>
      told.push(...logs.map(({ args, removed }) => [Number(args.number), removed] as const)),
    onError,
  })
  await expect.poll(() => rpc.subscriptions.size, SOON).toBe(2)
  const old = [await seal(1), await seal(2)]
  await expect.poll(() => blocks, SOON).toEqual(old)
  const fresh = await reorganise(2, 3)
  await expect.poll(() => blocks, SOON).toEqual([...old, ...fresh])
  await expect
    .poll(() => told, SOON)
    .toEqual([
      [1, false],
      [2, false],
      [1, true],
      [2, true],
      [3, false],
    ])
  expect(errors).toEqual([])
})

test('viem over HTTP: watchEvent with a filter, and look-ups', async () => {
  const { seal, reorganise, request, url } = await startReorganised()
  const client = createPublicClient({ chain: hardhat, transport: http(url), pollingInterval: 20 })
  const logs: Log[] = []
  const errors: Error[] = []
  onTestFinished(
    client.watchEvent({
      address: EMITTER,
      onLogs: (more) => logs.push(...more),
      onError: (error) => errors.push(error),
    }),
  )
  // It makes its filter some time after this.
  let number = 0
  await expect.poll(async () => seal(++number).then(() => logs.length), SOON).toBeGreaterThan(0)
  await expect
    .poll(() => logs.at(-1)?.topics[1], SOON)
    .toBe(`0x${number.toString(16).padStart(64, '0')}`)
  const last = logs.at(-1)
  logs.splice(0)
  const old = await client.getTransactionReceipt({ hash: last?.transactionHash ?? '0x' })
  const [fresh] = await reorganise(1, 99)
  await expect.poll(() => logs.length, SOON).toBe(2)
  expect(logs).toMatchObject([
    { ...last, removed: true },
    { blockHash: fresh, removed: false, topics: [TOLD, `0x${'63'.padStart(64, '0')}`] },
  ])
  await expect(client.getTransactionReceipt({ hash: old.transactionHash })).rejects.toThrow(
    'could not be found',
  )
  await expect(client.getBlock({ blockHash: old.blockHash })).rejects.toThrow('could not be found')
  expect(await client.getTransaction({ hash: logs[1]?.transactionHash ?? '0x' })).toMatchObject({
    blockHash: fresh,
  })
  expect(await request('eth_getLogs', { blockHash: fresh })).toHaveLength(1)
  expect(errors).toEqual([])
})

test('ethers over WebSocket: heads and logs, without the removed ones', async () => {
  const { seal, reorganise, socketUrl } = await startReorganised()
  const provider = new WebSocketProvider(socketUrl, 31337)
  onTestFinished(() => provider.destroy())
  const blocks: number[] = []
  const told: Told[] = []
  await provider.on('block', (number: number) => blocks.push(number))
  await provider.on({ address: EMITTER }, ({ topics, removed }) =>
    told.push([Number(topics[1]), removed]),
  )
  // Answered after the subscriptions, which were sent before.
  await provider.send('eth_chainId', [])
  await seal(1)
  await seal(2)
  await reorganise(2, 3)
  // ethers keeps removed logs from listeners to an event.
  await expect
    .poll(() => told, SOON)
    .toEqual([
      [1, false],
      [2, false],
      [3, false],
    ])
  await expect.poll(() => blocks, SOON).toEqual([1, 2, 1, 2])
})

test('ethers over HTTP: a receipt that is gone, and the logs of the new blocks', async () => {
  const { seal, reorganise, url } = await startReorganised()
  const provider = new JsonRpcProvider(url, 31337, { staticNetwork: true, cacheTimeout: -1 })
  onTestFinished(() => provider.destroy())
  provider.pollingInterval = 20
  const told: Told[] = []
  await provider.on({ address: EMITTER }, ({ topics, removed }) =>
    told.push([Number(topics[1]), removed]),
  )
  // It reads its filter on new blocks only, and not on one that comes amid such a read.
  let number = 0
  let hash: Hex = '0x'
  await expect
    .poll(async () => {
      const isUpToDate = told.at(-1)?.[0] === number
      if (!isUpToDate) hash = await seal(++number)
      return isUpToDate
    }, SOON)
    .toBe(true)
  const [transaction = ''] = (await provider.getBlock(hash))?.transactions ?? []
  expect((await provider.getTransactionReceipt(transaction))?.blockHash).toBe(hash)
  await reorganise(1, 99)
  expect(await provider.getTransactionReceipt(transaction)).toBeNull()
  expect(await provider.getBlock(hash)).toBeNull()
  await seal(100)
  await expect
    .poll(() => told.slice(-3), SOON)
    .toEqual([
      [number, false],
      [99, false],
      [100, false],
    ])
})
