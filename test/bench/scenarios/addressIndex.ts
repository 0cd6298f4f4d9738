import type { HttpConnection } from '../httpConnection.ts'
import { call } from '../rpc.ts'
import type { Measurement, Scenario } from '../scenario.ts'
import { TickWatch } from '../tickWatch.ts'
import { type Signed, senders, Traffic } from '../traffic.ts'
import { batches, sendUntilVisible } from '../visibility.ts'

const COUNT = 50_000
/** Less than half of the gas of a block, or the base fee would rise. */
const BLOCK = 500
const BATCH = 50
/** Blocks that are timed with and without the index. */
const TIMED = 20

interface Page {
  readonly txs: readonly unknown[]
}

/** What it costs to find the transactions of an address, by inner calls too. */
export const addressIndex: Scenario = {
  name: 'addressIndex',
  about:
    '50,000 transactions in 100 blocks, each with a call of a new address inside: memory and time of the index of addresses, which the first search makes, and of the ticks and seals that go on',
  peers: ['ours'],
  rounds: 1,
  async measure() {
    await using devnet = await TickWatch.start()
    const connections = devnet.connect(8)
    const [connection] = connections
    if (connection === undefined) throw new Error('No connection')
    const traffic = new Traffic()
    const seal = async (transactions: readonly Signed[]) => {
      await sendUntilVisible(connections, batches(transactions, BATCH), traffic.nonces)
      await call(connection, { method: 'preconf_seal' })
    }
    await seal(traffic.callerSetup())
    // What the first block loads and compiles is not what transactions cost.
    await seal(traffic.innerCalls(BLOCK))
    const before = await devnet.memory()
    for (let sent = 0; sent < COUNT - TIMED * BLOCK; sent += BLOCK) {
      await seal(traffic.innerCalls(BLOCK))
    }
    const without = await timeOf(() => sealAll(seal, traffic))
    const kept = await devnet.memory()
    const first = await timeOf(() => search(connection))
    const indexed = await devnet.memory()
    const again = await timeOf(() => search(connection))
    const withIndex = await timeOf(() =>
      sealAll(async (transactions) => {
        await seal(transactions)
        await search(connection)
      }, traffic),
    )
    return [
      of('kept transaction with an inner call', 'B', (kept - before) / COUNT),
      of('index, for each transaction', 'B', (indexed - kept) / COUNT),
      of('first search, which makes the index', 'ms', first),
      of('search with the index', 'ms', again),
      of('blocks of 500 with a search after each / without the index', '', withIndex / without),
    ]
  },
}

function of(metric: string, unit: string, value: number): Measurement {
  return { metric, unit, better: 'lower', value }
}

async function sealAll(
  seal: (transactions: readonly Signed[]) => Promise<void>,
  traffic: Traffic,
): Promise<void> {
  for (let count = 0; count < TIMED; count += 1) await seal(traffic.innerCalls(BLOCK))
}

/** The newest transactions of a sender. */
async function search(connection: HttpConnection): Promise<void> {
  const params = [senders[0]?.address, 0, 25]
  const page = (await call(connection, { method: 'ots_searchTransactionsBefore', params })) as Page
  if (page.txs.length < 25) throw new Error('The search found too little')
}

/** ms that something takes. */
async function timeOf(run: () => Promise<void>): Promise<number> {
  const start = performance.now()
  await run()
  return performance.now() - start
}
