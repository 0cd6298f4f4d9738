import { getContractAddress, type Hex } from 'viem'
import { expect, test } from 'vitest'
import type { ChainTransaction } from '../../../devnet/protocol/transaction.ts'
import { createTestChain } from '../../support/chain.ts'
import { runs } from '../../support/longRuns.ts'
import { createOracle, verify } from './libraryOracle.ts'
import { blockAt, expectAllLinked } from './linkage.ts'
import { RandomTraffic } from './randomTraffic.ts'

const BLOCKS = runs(200)
const OLDER_BLOCKS = runs(20, 4)

type Fork = 'amsterdam' | 'bpo2' | 'prague' | 'cancun' | 'shanghai' | 'london'

/** A chain under random traffic, and its judge. */
async function createTraffic(hardfork: Fork, seed: number) {
  const node = await createTestChain({ hardfork })
  const vm = await createOracle(node)
  const traffic = new RandomTraffic(seed, node.accounts.slice(0, 6), node.options.chainId, hardfork)
  const [deployer] = traffic.addresses
  if (deployer === undefined) throw new Error('No accounts')
  const contract = (nonce: bigint): Hex => getContractAddress({ from: deployer, nonce })
  const targets = { token: contract(0n), playground: contract(1n) }
  for (const raw of await traffic.deployments()) await node.send(raw)
  const sendRandom = async (count: number) => {
    for (let sent = 0; sent < count; sent++) await node.send(await traffic.next(targets))
  }
  return { node, traffic, vm, sendRandom }
}

test.each([
  ['amsterdam', 6, OLDER_BLOCKS],
  ['bpo2', 1, BLOCKS],
  ['prague', 2, OLDER_BLOCKS],
  ['cancun', 3, OLDER_BLOCKS],
  ['shanghai', 4, OLDER_BLOCKS],
  ['london', 5, OLDER_BLOCKS],
] as const)(
  'random blocks agree with the library, %s',
  { timeout: 600_000 },
  async (hardfork, seed, blocks) => {
    const { node, traffic, vm, sendRandom } = await createTraffic(hardfork, seed)
    const { chain, clocks } = node
    const outcomes = { success: 0, failure: 0 }
    for (let index = 0; index < blocks; index++) {
      const parent = chain.head
      for (let ticks = traffic.random.below(3); ticks >= 0; ticks--) {
        await sendRandom(traffic.random.below(5))
        await clocks.advanceTicks(1)
      }
      const block = await clocks.seal()
      for (const { success } of block.executed) outcomes[success ? 'success' : 'failure']++
      await verify(vm, block, parent)
    }
    expect(chain.dropped).toEqual([])
    // Otherwise the traffic would not say much.
    expect(outcomes.success).toBeGreaterThan(blocks)
    expect(outcomes.failure).toBeGreaterThan(blocks / 10)
  },
)

test.each([
  ['amsterdam', 13],
  ['bpo2', 11],
  ['london', 12],
] as const)(
  'the blocks of reorganisations agree with the library, %s',
  { timeout: 600_000 },
  async (hardfork, seed) => {
    const { node, traffic, vm, sendRandom } = await createTraffic(hardfork, seed)
    const { chain, clocks } = node
    const { random } = traffic
    // The library knows the states of the blocks that it has executed.
    const verifyBlock = (number: number) =>
      verify(vm, blockAt(chain, number), blockAt(chain, number - 1))
    const sealAndVerify = async () => {
      await clocks.advanceBlocks(1)
      await verifyBlock(chain.head.number)
    }
    let replaced = 0
    for (let round = 0; round < runs(60, 10); round++) {
      for (let blocks = 1 + random.below(3); blocks > 0; blocks--) {
        await sendRandom(1 + random.below(5))
        await sealAndVerify()
      }
      const depth = 1 + random.below(Math.min(3, chain.head.number - 1))
      const first = chain.head.number - depth + 1
      // All of the abandoned blocks, in the same order, but in other blocks.
      const fill = () => {
        const contents = new Map<number, ChainTransaction[]>()
        let number = first
        for (let old = first; old <= chain.head.number; old++) {
          for (const { transaction } of blockAt(chain, old).executed) {
            while (number < chain.head.number && random.once(3)) number++
            contents.set(number, [...(contents.get(number) ?? []), transaction])
          }
        }
        return contents
      }
      const requeues = random.once(2)
      await clocks.reorg(requeues ? { depth, requeues } : { depth, requeues, fill })
      for (let number = first; number <= chain.head.number; number++) {
        if (!requeues) replaced += blockAt(chain, number).executed.length
        await verifyBlock(number)
      }
    }
    expect(replaced).toBeGreaterThan(10)
    expect(chain.dropped).toEqual([])
    await sealAndVerify()
    expect(chain.mempool.runnableCount).toBe(0)
    expectAllLinked(chain)
  },
)
