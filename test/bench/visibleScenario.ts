import { setTimeout as sleep } from 'node:timers/promises'
import type { NodeProcess } from './nodeProcess.ts'
import type { Peer } from './peers.ts'
import type { Measurement, Scenario } from './scenario.ts'
import { startPeer } from './startPeer.ts'
import { type Signed, Traffic } from './traffic.ts'
import { batches, sendUntilVisible, singles } from './visibility.ts'

const COUNT = 2_000
const CONNECTIONS = 8
const BATCH = 100
const PASSES = 8
/** Passes of each way before those that are measured: later ones run in code that is compiled. */
const WARM_UP = 4
/** ms between two ticks of the node under test; other peers have none. */
const TICK_INTERVAL = 200

/** Transactions, and what they do. */
export interface VisibleTraffic {
  /** Transactions that must be sealed before, if any. */
  setup(traffic: Traffic): readonly Signed[]
  next(traffic: Traffic, count: number): readonly Signed[]
  /** What `recipient` has got, at "latest". */
  received(node: NodeProcess, recipient: string): Promise<unknown>
}

/** Sends 2,000 transactions one by one and in batches, and waits until all of them are visible in "pending". */
export function visibleScenario(
  parts: VisibleTraffic,
  names: Pick<Scenario, 'name' | 'about'>,
): Scenario {
  return {
    ...names,
    async measure(peer) {
      await using node = await startPeer(peer, { mode: 'frozen' })
      const traffic = new Traffic()
      const setup = parts.setup(traffic)
      if (setup.length > 0) await pass(node, peer, setup, singles(setup), traffic)
      const run = async (way: Way) => {
        const transactions = parts.next(traffic, COUNT)
        const times = await pass(node, peer, transactions, requestsOf(way, transactions), traffic)
        const last = transactions.at(-1)
        const got = last && BigInt(String(await parts.received(node, last.recipient)))
        if (got !== 1n) throw new Error(`${last?.recipient} has got ${got} and not 1`)
        return measurements(way, times)
      }
      for (let count = 0; count < WARM_UP; count++) {
        for (const way of ways) await run(way)
      }
      const results: Measurement[] = []
      for (let count = 0; count < PASSES; count++) {
        for (const way of ways) {
          // A pass ends right behind a tick, and would begin at the same place in each interval.
          await sleep((count * TICK_INTERVAL) / PASSES)
          results.push(...(await run(way)))
        }
      }
      return results
    },
  }
}

const ways = ['8 connections', 'batches of 100'] as const
type Way = (typeof ways)[number]

function requestsOf(way: Way, transactions: readonly Signed[]): readonly Buffer[] {
  return way === 'batches of 100' ? batches(transactions, BATCH) : singles(transactions)
}

/** Sends, waits, seals. @throws {Error} when not all of them are in the sealed block */
async function pass(
  node: NodeProcess,
  peer: Peer,
  transactions: readonly Signed[],
  requests: readonly Buffer[],
  traffic: Traffic,
) {
  const times = await sendUntilVisible(node.connect(CONNECTIONS), requests, traffic.nonces)
  await node.call(peer.seal.method)
  const sealed = Number(await node.call('eth_getBlockTransactionCountByNumber', 'latest'))
  if (sealed !== transactions.length) {
    throw new Error(`${sealed} of ${transactions.length} transactions were sealed`)
  }
  return times
}

function measurements(
  way: Way,
  { accepted, visible }: { accepted: number; visible: number },
): readonly Measurement[] {
  const rate = (ms: number) => (COUNT * 1000) / ms
  return [
    { metric: `visible, ${way}`, unit: 'tx/s', better: 'higher', value: rate(visible) },
    { metric: `accepted, ${way}`, unit: 'tx/s', better: 'higher', value: rate(accepted) },
  ]
}
