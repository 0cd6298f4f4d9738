import { call } from '../rpc.ts'
import type { Measurement, Scenario } from '../scenario.ts'
import { TickWatch } from '../tickWatch.ts'
import { type Signed, Traffic } from '../traffic.ts'
import { batches, sendUntilVisible } from '../visibility.ts'

const COUNT = 100_000
/** Less than half of the gas of a block, or the base fee would rise. */
const BLOCK = 500
const BATCH = 50

const kinds = ['transfer', 'ERC-20 transfer'] as const

/** What a node keeps of each transaction, its change of the state included. */
export const keptTransactions: Scenario = {
  name: 'keptTransactions',
  about:
    'growth of the memory in use, garbage collected, by 100,000 transactions in 200 blocks, each to a new account or holder',
  peers: ['ours'],
  rounds: 1,
  async measure() {
    const results: Measurement[] = []
    for (const kind of kinds) {
      await using devnet = await TickWatch.start()
      const connections = devnet.connect(8)
      const [connection] = connections
      if (connection === undefined) throw new Error('No connection')
      const traffic = new Traffic()
      const seal = async (transactions: readonly Signed[]) => {
        await sendUntilVisible(connections, batches(transactions, BATCH), traffic.nonces)
        await call(connection, { method: 'preconf_seal' })
      }
      const next = () =>
        kind === 'transfer' ? traffic.transfers(BLOCK) : traffic.tokenTransfers(BLOCK)
      if (kind === 'ERC-20 transfer') await seal(traffic.tokenSetup())
      // What the first block loads and compiles is not what transactions cost.
      await seal(next())
      const before = await devnet.memory()
      for (let sent = 0; sent < COUNT; sent += BLOCK) await seal(next())
      const value = ((await devnet.memory()) - before) / COUNT
      results.push({ metric: kind, unit: 'B', better: 'lower', value })
    }
    return results
  },
}
