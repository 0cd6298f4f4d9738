import { sustain } from '../load.ts'
import type { NodeProcess } from '../nodeProcess.ts'
import { type Call, requestBytes } from '../rpc.ts'
import type { Measurement, Scenario } from '../scenario.ts'
import { startPeer } from '../startPeer.ts'
import { balanceOf, senders, Traffic, tokenAddress } from '../traffic.ts'
import { batches, sendUntilVisible, singles } from '../visibility.ts'

const WAITING = 1_000
const BATCH = 50
const WARM_UP = 200
const WINDOW = 700

/** ms of each read before anything is measured, so that all of it runs in code that is compiled. */
const COMPILED_AFTER = 2_000

/** The reads, each of several accounts. */
const reads: Readonly<Record<string, readonly Call[]>> = {
  eth_getBalance: ofSenders('eth_getBalance'),
  eth_getCode: [{ method: 'eth_getCode', params: [tokenAddress, 'pending'] }],
  eth_getTransactionCount: ofSenders('eth_getTransactionCount'),
  'eth_call balanceOf': senders.map(({ address }) => ({
    method: 'eth_call',
    params: [balanceOf(address), 'pending'],
  })),
}

function ofSenders(method: string): readonly Call[] {
  return senders.map(({ address }) => ({ method, params: [address, 'pending'] }))
}

/** What "pending" costs its readers, while nothing and while much is in it. */
export const pendingReads: Scenario = {
  name: 'pendingReads',
  about: 'reads at "pending", with no and with 1,000 unsealed transfers, over 1 and 8 connections',
  async measure(peer) {
    await using node = await startPeer(peer, { mode: 'frozen' })
    const traffic = new Traffic()
    await sendUntilVisible(node.connect(1), singles(traffic.tokenSetup()), traffic.nonces)
    await node.call(peer.seal.method)
    // Otherwise the reads with nothing waiting, which come first, would be slower than the later ones.
    for (const calls of Object.values(reads)) {
      await sustain(node.connect(8), calls.map(requestBytes), COMPILED_AFTER)
    }
    const none = await readRates(node)
    const requests = batches(traffic.transfers(WAITING), BATCH)
    await sendUntilVisible(node.connect(8), requests, traffic.nonces)
    const many = await readRates(node)
    return [
      ...measurements('none waiting', '1/s', none),
      ...measurements('1,000 waiting', '1/s', many),
      ...measurements(
        '1,000 waiting / none',
        '',
        new Map([...many].map(([read, rate]) => [read, rate / (none.get(read) ?? Number.NaN)])),
      ),
    ]
  },
}

/** Answers a second, by read and number of connections. */
async function readRates(node: NodeProcess): Promise<ReadonlyMap<string, number>> {
  const rates = new Map<string, number>()
  for (const [name, calls] of Object.entries(reads)) {
    const requests = calls.map(requestBytes)
    for (const count of [1, 8]) {
      const connections = node.connect(count)
      await sustain(connections, requests, WARM_UP)
      const { rate } = await sustain(connections, requests, WINDOW)
      for (const connection of connections) connection.close()
      rates.set(`${name}, ${count} conn.`, rate)
    }
  }
  return rates
}

function measurements(
  what: string,
  unit: string,
  numbers: ReadonlyMap<string, number>,
): readonly Measurement[] {
  return [...numbers].map(([read, value]) => ({
    metric: `${read}, ${what}`,
    unit,
    better: 'higher',
    value,
  }))
}
