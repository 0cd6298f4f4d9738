import { expect } from 'vitest'
import type { Cases } from './stage.ts'

const ZERO_HASH = `0x${'00'.repeat(32)}`

/** What is read of blocks, and what follows from their fees. */
export const blocks: Cases = {
  async getBlock({ client, sealed, preconfirmed, account }) {
    const latest = await client.getBlock()
    expect(latest).toMatchObject({
      number: 2n,
      transactions: [sealed],
      gasLimit: 60_000_000n,
      timestamp: expect.any(BigInt),
    })
    const parent = await client.getBlock({ blockNumber: 1n })
    expect(latest.parentHash).toBe(parent.hash)
    expect(await client.getBlock({ blockHash: latest.hash })).toEqual(latest)
    const full = await client.getBlock({ blockTag: 'pending', includeTransactions: true })
    expect(full).toMatchObject({
      number: 3n,
      hash: ZERO_HASH,
      parentHash: latest.hash,
      transactions: [
        {
          hash: preconfirmed,
          from: account.address.toLowerCase(),
          blockNumber: 3n,
          blockHash: null,
          transactionIndex: 0,
        },
      ],
    })
    expect(full.gasUsed).toBeGreaterThan(21_000n)
    await expect(client.getBlock({ blockNumber: 3n })).rejects.toThrow('could not be found')
    for (const blockTag of ['safe', 'finalized'] as const) {
      expect(await client.getBlock({ blockTag })).toEqual(latest)
    }
    expect(await client.getBlock({ blockTag: 'earliest' })).toMatchObject({ number: 0n })
  },

  async getBlockNumber({ client, devnet }) {
    expect(await client.getBlockNumber()).toBe(2n)
    await devnet.clock.seal()
    expect(await client.getBlockNumber()).toBe(3n)
  },

  async getBlockTransactionCount({ client }) {
    expect(await client.getBlockTransactionCount()).toBe(1)
    expect(await client.getBlockTransactionCount({ blockNumber: 0n })).toBe(0)
    const { hash } = await client.getBlock({ blockNumber: 1n })
    expect(await client.getBlockTransactionCount({ blockHash: hash })).toBe(9)
    expect(await client.getBlockTransactionCount({ blockTag: 'pending' })).toBe(1)
  },

  async getBlockReceipts({ client, sealed, preconfirmed }) {
    const receipt = await client.getTransactionReceipt({ hash: sealed })
    expect(await client.getBlockReceipts()).toEqual([receipt])
    expect(await client.getBlockReceipts({ blockHash: receipt.blockHash })).toEqual([receipt])
    const first = await client.getBlockReceipts({ blockNumber: 1n })
    expect(first.map(({ transactionIndex }) => transactionIndex)).toEqual([
      0, 1, 2, 3, 4, 5, 6, 7, 8,
    ])
    expect(await client.getBlockReceipts({ blockTag: 'pending' })).toEqual([
      await client.getTransactionReceipt({ hash: preconfirmed }),
    ])
  },

  async getGasPrice({ client }) {
    const { baseFeePerGas } = await client.getBlock({ blockTag: 'pending' })
    const tip = await client.estimateMaxPriorityFeePerGas()
    expect(await client.getGasPrice()).toBe((baseFeePerGas ?? 0n) + tip)
  },

  async estimateMaxPriorityFeePerGas({ client }) {
    expect(await client.estimateMaxPriorityFeePerGas()).toBe(1_000_000_000n)
  },

  async estimateFeesPerGas({ client, other }) {
    const { baseFeePerGas } = await client.getBlock()
    const tip = await client.estimateMaxPriorityFeePerGas()
    const fees = await client.estimateFeesPerGas()
    expect(fees).toEqual({
      maxPriorityFeePerGas: tip,
      maxFeePerGas: ((baseFeePerGas ?? 0n) * 12n) / 10n + tip,
    })
    const hash = await client.sendTransaction({ to: other, value: 1n, ...fees })
    const { status } = await client.waitForTransactionReceipt({ hash })
    expect(status).toBe('success')
    const gasPrice = await client.getGasPrice()
    expect(await client.estimateFeesPerGas({ type: 'legacy' })).toEqual({
      gasPrice: (gasPrice * 12n) / 10n,
    })
  },

  async getBlobBaseFee({ client }) {
    expect(await client.getBlobBaseFee()).toBe(1n)
  },

  async getFeeHistory({ client }) {
    const [first, second, pending] = await Promise.all([
      client.getBlock({ blockNumber: 1n }),
      client.getBlock({ blockNumber: 2n }),
      client.getBlock({ blockTag: 'pending' }),
    ])
    const history = await client.getFeeHistory({ blockCount: 2, rewardPercentiles: [0, 50, 100] })
    expect(history).toMatchObject({
      oldestBlock: 1n,
      baseFeePerGas: [first.baseFeePerGas, second.baseFeePerGas, pending.baseFeePerGas],
      gasUsedRatio: [first, second].map(
        ({ gasUsed, gasLimit }) => Number(gasUsed) / Number(gasLimit),
      ),
    })
    expect(history.reward).toHaveLength(2)
    const { effectiveGasPrice } = (await client.getBlockReceipts())[0] ?? {}
    // The only transaction of the block: its tip at each percentile.
    const tip = (effectiveGasPrice ?? 0n) - (second.baseFeePerGas ?? 0n)
    expect(history.reward?.[1]).toEqual([tip, tip, tip])
  },
}
