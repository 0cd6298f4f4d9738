import { BLOCK, BlockTraffic } from '../blockTraffic.ts'
import type { HttpConnection } from '../httpConnection.ts'
import { call } from '../rpc.ts'
import type { Measurement, Scenario } from '../scenario.ts'
import { type Signed, senders, type Traffic } from '../traffic.ts'

const COUNT = 50_000
/** Transactions that are timed with and without the index. */
const TIMED = 20 * BLOCK

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
    await using blocks = await BlockTraffic.start()
    const { devnet, connection } = blocks
    await blocks.seal(blocks.traffic.callerSetup())
    // What the first block loads and compiles is not what transactions cost.
    await blocks.seal(next(blocks.traffic))
    const before = await devnet.memory()
    await blocks.sealAll(COUNT - TIMED, next)
    const without = await timeOf(() => blocks.sealAll(TIMED, next))
    const kept = await devnet.memory()
    const first = await timeOf(() => search(connection))
    const indexed = await devnet.memory()
    const again = await timeOf(() => search(connection))
    const withIndex = await timeOf(() => sealAndSearch(blocks))
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

function next(traffic: Traffic): readonly Signed[] {
  return traffic.innerCalls(BLOCK)
}

async function sealAndSearch(blocks: BlockTraffic): Promise<void> {
  for (let sealed = 0; sealed < TIMED; sealed += BLOCK) {
    await blocks.seal(next(blocks.traffic))
    await search(blocks.connection)
  }
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
