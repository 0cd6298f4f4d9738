import { parseAbiItem } from 'viem'
import { expect } from 'vitest'
import { type Cases, playground, type Stage } from './stage.ts'

const ZERO_HASH = `0x${'00'.repeat(32)}`

export const STORED = parseAbiItem('event Stored(uint256 indexed slot, uint256 value, address by)')

/** Sends what emits one `Stored`, and waits until that is pre-confirmed. */
export async function store(stage: Pick<Stage, 'client' | 'contracts'>, slot: bigint) {
  const { client, contracts } = stage
  const hash = await client.writeContract({
    address: contracts.playground,
    abi: playground.abi,
    functionName: 'store',
    args: [slot, slot * 10n],
  })
  await client.waitForTransactionReceipt({ hash })
  return hash
}

/** What `slot` of a log is, where viem has decoded it. */
const slots = (logs: readonly { args?: unknown }[]) =>
  logs.map(({ args }) => (args as { slot?: bigint } | undefined)?.slot)

/** Logs, and filters of every kind. */
export const logs: Cases = {
  async getLogs({ client, contracts, account, sealed, preconfirmed }) {
    const address = contracts.playground
    const [first, ...none] = await client.getLogs({ address, event: STORED, fromBlock: 0n })
    expect(none).toEqual([])
    expect(first).toMatchObject({
      address,
      transactionHash: sealed,
      blockNumber: 2n,
      logIndex: 0,
      transactionIndex: 0,
      args: { slot: 1n, value: 42n, by: account.address },
    })
    const both = await client.getLogs({ address, event: STORED, fromBlock: 0n, toBlock: 'pending' })
    expect(slots(both)).toEqual([1n, 2n])
    expect(both[1]).toMatchObject({
      transactionHash: preconfirmed,
      blockNumber: 3n,
      blockHash: ZERO_HASH,
    })
    const { hash: blockHash } = await client.getBlock()
    expect(await client.getLogs({ blockHash, event: STORED })).toEqual([first])
    const args = { slot: [2n, 3n] }
    const chosen = await client.getLogs({ event: STORED, args, toBlock: 'pending' })
    expect(slots(chosen)).toEqual([2n])
  },

  async getContractEvents({ client, contracts, sealed }) {
    const { playground: address, coin } = contracts
    const { abi } = playground
    const events = await client.getContractEvents({ address, abi, fromBlock: 0n })
    expect(events).toMatchObject([
      { eventName: 'Stored', args: { slot: 1n, value: 42n }, transactionHash: sealed },
    ])
    expect(await client.getContractEvents({ address: coin, abi, fromBlock: 0n })).toEqual([])
  },

  async createBlockFilter({ client, devnet }) {
    const filter = await client.createBlockFilter()
    expect(await client.getFilterChanges({ filter })).toEqual([])
    await devnet.clock.advance({ blocks: 2 })
    const hashes = await Promise.all(
      [3n, 4n].map(async (blockNumber) => (await client.getBlock({ blockNumber })).hash),
    )
    expect(await client.getFilterChanges({ filter })).toEqual(hashes)
    expect(await client.getFilterChanges({ filter })).toEqual([])
  },

  async createPendingTransactionFilter({ client, other }) {
    const filter = await client.createPendingTransactionFilter()
    const hash = await client.sendTransaction({ to: other, value: 1n })
    await client.waitForTransactionReceipt({ hash })
    expect(await client.getFilterChanges({ filter })).toEqual([hash])
    expect(await client.getFilterChanges({ filter })).toEqual([])
  },

  async createEventFilter(stage) {
    const { client, contracts, devnet } = stage
    const filter = await client.createEventFilter({
      address: contracts.playground,
      event: STORED,
      args: { slot: 5n },
    })
    await store(stage, 5n)
    await store(stage, 6n)
    // Filters without "pending" tell of sealed logs.
    expect(await client.getFilterChanges({ filter })).toEqual([])
    await devnet.clock.seal()
    const [log, ...more] = await client.getFilterChanges({ filter })
    expect(more).toEqual([])
    expect(log).toMatchObject({
      eventName: 'Stored',
      args: { slot: 5n, value: 50n },
      blockNumber: 3n,
      blockHash: (await client.getBlock()).hash,
    })
  },

  async createContractEventFilter(stage) {
    const { client, contracts, devnet } = stage
    const filter = await client.createContractEventFilter({
      address: contracts.playground,
      abi: playground.abi,
      eventName: 'Stored',
      fromBlock: 0n,
    })
    await store(stage, 5n)
    await devnet.clock.seal()
    const changes = await client.getFilterChanges({ filter })
    // From its first block on, as hardhat node has it.
    expect(changes).toMatchObject([
      { blockNumber: 2n, args: { slot: 1n } },
      { blockNumber: 3n, args: { slot: 2n } },
      { blockNumber: 3n, args: { slot: 5n } },
    ])
  },

  async getFilterChanges(stage) {
    const { client, contracts, devnet } = stage
    const filter = await client.createEventFilter({ address: contracts.playground })
    await devnet.clock.seal()
    expect(await client.getFilterChanges({ filter })).toMatchObject([{ blockNumber: 3n }])
    await store(stage, 5n)
    await devnet.clock.seal()
    expect(await client.getFilterChanges({ filter })).toMatchObject([{ blockNumber: 4n }])
    expect(await client.getFilterChanges({ filter })).toEqual([])
  },

  async getFilterLogs({ client, contracts }) {
    const address = contracts.playground
    const range = { fromBlock: 0n, toBlock: 'pending' } as const
    const filter = await client.createEventFilter({ address, event: STORED, ...range })
    // The same each time, as often as they are asked for.
    for (const found of [
      await client.getFilterLogs({ filter }),
      await client.getFilterLogs({ filter }),
    ]) {
      expect(slots(found)).toEqual([1n, 2n])
    }
  },

  async uninstallFilter({ client }) {
    const filter = await client.createBlockFilter()
    expect(await client.uninstallFilter({ filter })).toBe(true)
    expect(await client.uninstallFilter({ filter })).toBe(false)
    await expect(client.getFilterChanges({ filter })).rejects.toThrow('filter not found')
  },
}
