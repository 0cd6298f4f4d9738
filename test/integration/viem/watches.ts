import { createPublicClient, webSocket } from 'viem'
import { hardhat } from 'viem/chains'
import { expect } from 'vitest'
import { STORED, store } from './logs.ts'
import { type Cases, playground, type Stage } from './stage.ts'

/** How a watch gets to its news. */
interface Watch<News> {
  /** Begins it; answers the function that ends it. */
  begin(on: { news: (news: News) => void; onError: (error: Error) => void }): () => void
  /** The methods that begin it: over HTTP, and over a WebSocket. */
  readonly polls: string
  /** Brings the news about. */
  cause(): Promise<unknown>
}

/** The first news of a watch, which has begun before what it tells of is done. */
async function firstNews<News>(stage: Stage, watch: Watch<News>): Promise<News> {
  const { promise, resolve, reject } = Promise.withResolvers<News>()
  const begun = stage.answered(stage.transport === 'webSocket' ? 'eth_subscribe' : watch.polls)
  const end = watch.begin({ news: resolve, onError: reject })
  try {
    await begun
    await watch.cause()
    return await promise
  } finally {
    end()
  }
}

/** What viem's watches tell: by polling, and over a WebSocket by subscriptions. */
export const watches: Cases = {
  async watchBlockNumber(stage) {
    const { client, devnet } = stage
    const seen: bigint[] = []
    await firstNews<bigint>(stage, {
      begin: ({ news, onError }) =>
        client.watchBlockNumber({
          onBlockNumber: (number) => {
            seen.push(number)
            if (number === 3n) news(number)
          },
          onError,
        }),
      polls: 'eth_blockNumber',
      cause: () => devnet.clock.seal(),
    })
    // A poll may have told the one before.
    expect(seen.filter((number) => number > 2n)).toEqual([3n])
  },

  /** Over a WebSocket only. */
  async watchBlockHeaders({ devnet }) {
    const transport = webSocket(devnet.url.replace('http', 'ws'))
    const client = createPublicClient({ chain: hardhat, transport, cacheTime: 0 })
    const begun = Promise.withResolvers<void>()
    const header = Promise.withResolvers<object>()
    devnet.on('request', ({ method }) => {
      if (method === 'eth_subscribe') begun.resolve()
    })
    const end = client.watchBlockHeaders({ onBlockHeader: header.resolve, onError: header.reject })
    await begun.promise
    await devnet.clock.seal()
    const { size, totalDifficulty, transactions, uncles, withdrawals, ...expected } =
      await client.getBlock()
    expect(await header.promise).toEqual(expected)
    expect(expected.number).toBe(3n)
    end()
    const { close } = await client.transport.getRpcClient()
    close()
  },

  async watchBlocks(stage) {
    const { client, devnet, preconfirmed } = stage
    const block = await firstNews<object>(stage, {
      begin: ({ news, onError }) =>
        client.watchBlocks({
          onBlock: (block) => {
            if (block.number === 3n) news(block)
          },
          onError,
        }),
      polls: 'eth_getBlockByNumber',
      cause: () => devnet.clock.seal(),
    })
    expect(block).toEqual(await client.getBlock())
    expect(block).toMatchObject({ number: 3n, transactions: [preconfirmed] })
  },

  async watchEvent(stage) {
    const { client, contracts, devnet } = stage
    const [log, ...more] = await firstNews<readonly object[]>(stage, {
      begin: ({ news, onError }) =>
        client.watchEvent({
          address: contracts.playground,
          event: STORED,
          args: { slot: 5n },
          onLogs: news,
          onError,
        }),
      polls: 'eth_newFilter',
      cause: async () => {
        await store(stage, 4n)
        await store(stage, 5n)
        await devnet.clock.seal()
      },
    })
    expect(more).toEqual([])
    expect(log).toMatchObject({
      eventName: 'Stored',
      args: { slot: 5n, value: 50n },
      blockNumber: 3n,
      blockHash: (await client.getBlock()).hash,
      logIndex: 2,
    })
  },

  async watchContractEvent(stage) {
    const { client, contracts, devnet } = stage
    const [log] = await firstNews<readonly object[]>(stage, {
      begin: ({ news, onError }) =>
        client.watchContractEvent({
          address: contracts.playground,
          abi: playground.abi,
          eventName: 'Stored',
          onLogs: news,
          onError,
        }),
      polls: 'eth_newFilter',
      cause: () => devnet.clock.seal(),
    })
    expect(log).toMatchObject({
      eventName: 'Stored',
      args: { slot: 2n, value: 43n },
      transactionHash: stage.preconfirmed,
    })
  },

  async watchPendingTransactions(stage) {
    const { client, other } = stage
    const sent: string[] = []
    const hashes = await firstNews<readonly string[]>(stage, {
      begin: ({ news, onError }) =>
        client.watchPendingTransactions({ onTransactions: news, onError }),
      polls: 'eth_newPendingTransactionFilter',
      cause: async () => sent.push(await client.sendTransaction({ to: other, value: 1n })),
    })
    expect(hashes).toEqual(sent)
  },
}
