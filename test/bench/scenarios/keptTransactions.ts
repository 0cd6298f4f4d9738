import { BLOCK, BlockTraffic } from '../blockTraffic.ts'
import type { Measurement, Scenario } from '../scenario.ts'
import type { Signed, Traffic } from '../traffic.ts'

const COUNT = 100_000

interface Kind {
  readonly name: string
  /** Transactions that must be sealed before, if any. */
  setup?(traffic: Traffic): readonly Signed[]
  next(traffic: Traffic): readonly Signed[]
}

const kinds: readonly Kind[] = [
  { name: 'transfer', next: (traffic) => traffic.transfers(BLOCK) },
  {
    name: 'ERC-20 transfer',
    setup: (traffic) => traffic.tokenSetup(),
    next: (traffic) => traffic.tokenTransfers(BLOCK),
  },
]

/** What a node keeps of each transaction, its change of the state included. */
export const keptTransactions: Scenario = {
  name: 'keptTransactions',
  about:
    'growth of the memory in use, garbage collected, by 100,000 transactions in 200 blocks, each to a new account or holder',
  peers: ['ours'],
  rounds: 1,
  async measure() {
    const results: Measurement[] = []
    for (const { name, setup, next } of kinds) {
      await using blocks = await BlockTraffic.start()
      if (setup !== undefined) await blocks.seal(setup(blocks.traffic))
      // What the first block loads and compiles is not what transactions cost.
      await blocks.seal(next(blocks.traffic))
      const before = await blocks.devnet.memory()
      await blocks.sealAll(COUNT, next)
      const value = ((await blocks.devnet.memory()) - before) / COUNT
      results.push({ metric: name, unit: 'B', better: 'lower', value })
    }
    return results
  },
}
