import { decodeFunctionResult, encodeFunctionData, parseEther } from 'viem'
import { expect } from 'vitest'
import { type Cases, playground, type Stage } from './stage.ts'

const play = (functionName: string, args: readonly unknown[]) =>
  encodeFunctionData({ abi: playground.abi, functionName, args })

/** A block of two calls, on top of what is pre-confirmed or sealed. */
async function simulateBlocks({ client, account, other, contracts }: Stage): Promise<void> {
  for (const simulate of [client.simulateBlocks, client.simulate]) {
    for (const blockTag of ['latest', 'pending'] as const) {
      const [block] = await simulate({
        blockTag,
        blocks: [
          {
            blockOverrides: { feeRecipient: other },
            stateOverrides: [{ address: other, balance: parseEther('1') }],
            calls: [
              { account: other, to: account.address, value: 5n },
              { to: contracts.playground, data: play('stored', [2n]) },
              { to: contracts.playground, data: play('failWithReason', ['no luck']) },
            ],
          },
        ],
      })
      const [paid, read, failed] = block?.calls ?? []
      // On "pending", it takes the place of the block that is pending.
      expect([block?.number, block?.miner]).toEqual([3n, other])
      expect(paid).toMatchObject({ status: 'success', gasUsed: 21_000n })
      expect(BigInt(read?.data ?? '0x')).toBe(blockTag === 'latest' ? 0n : 43n)
      expect(failed).toMatchObject({ status: 'failure', error: { cause: { reason: 'no luck' } } })
    }
  }
}

/** What viem asks of eth_simulateV1; test/integration/simulateViem.test.ts goes into its depth. */
export const simulations: Cases = {
  simulate: simulateBlocks,
  simulateBlocks,

  async simulateCalls({ client, account, contracts }) {
    const to = contracts.playground
    const { results, assetChanges } = await client.simulateCalls({
      account: account.address,
      calls: [
        { to, data: play('store', [5n, 6n]) },
        { to, data: play('stored', [5n]) },
        { to: contracts.playground, value: 4n },
      ],
      traceAssetChanges: true,
    })
    expect(results.map(({ status }) => status)).toEqual(['success', 'success', 'success'])
    expect(
      decodeFunctionResult({
        abi: playground.abi,
        functionName: 'stored',
        data: results[1]?.data ?? '0x',
      }),
    ).toBe(6n)
    expect(assetChanges).toMatchObject([{ token: { symbol: 'ETH' }, value: { diff: -4n } }])
    expect(results[0]?.logs).toMatchObject([{ address: to }])
  },
}
