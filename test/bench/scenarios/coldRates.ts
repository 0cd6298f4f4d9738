import { sendAll } from '../load.ts'
import type { Peer } from '../peers.ts'
import { type Call, call, requestBytes } from '../rpc.ts'
import type { Measurement, Scenario } from '../scenario.ts'
import { blocks, oneTransfer, tokenTransfers } from '../simulations.ts'
import { Traffic } from '../traffic.ts'
import { type Cold, reads, simulations, startCold } from './coldCalls.ts'

const COUNT = 1_000
const FEWER = 200
const CONNECTIONS = 8
/** Processes of each kind: a cold one is measured once. */
const PROCESSES = 5

/** The first requests of one kind, and their number. */
interface Row {
  readonly name: string
  readonly count: number
  readonly calls: readonly Call[]
}

const readRows: readonly Row[] = [
  rowOf('eth_chainId', [{ method: 'eth_chainId' }]),
  ...reads.map(coldRow),
  rowOf('eth_getBlockByNumber', [{ method: 'eth_getBlockByNumber', params: ['latest', false] }]),
]

const simulationRows: readonly Row[] = [
  coldRow(simulations(oneTransfer, [COUNT])),
  coldRow(simulations(tokenTransfers, [COUNT])),
  { ...coldRow(simulations(blocks, [FEWER])), count: FEWER },
]

/** The view of a script with many requests under way: its answers come before code is compiled. */
export const coldRates: Scenario = {
  name: 'coldRates',
  about:
    'the first 1,000 requests of a process (200 of blocks that are simulated) over 8 connections, ' +
    'each kind in processes of its own that have deployed an ERC-20 contract',
  rounds: 1,
  async measure(peer) {
    // hardhat node has no eth_simulateV1.
    const rows = peer.name === 'hardhat' ? readRows : [...readRows, ...simulationRows]
    const results: Measurement[] = []
    for (const row of rows) {
      for (let process = 0; process < PROCESSES; process++) {
        results.push(await measureRow(peer, row))
      }
    }
    return results
  },
}

function rowOf(name: string, calls: readonly Call[]): Row {
  return { name, count: COUNT, calls }
}

function coldRow({ name, requests }: Cold): Row {
  const calls = requests.map((request) => request.call)
  return rowOf(name, calls)
}

async function measureRow(peer: Peer, { name, count, calls }: Row): Promise<Measurement> {
  const traffic = new Traffic()
  await using node = await startCold(peer, traffic, traffic.tokenSetup())
  const kinds = calls.map(requestBytes)
  const rounds = Array.from({ length: Math.ceil(count / kinds.length) }, () => kinds)
  const requests = rounds.flat().slice(0, count)
  const connections = node.connect(CONNECTIONS)
  // Connected, so that only requests are measured.
  await Promise.all(connections.map((one) => call(one, { method: 'eth_chainId' })))
  const begin = performance.now()
  await sendAll(connections, requests)
  const value = (1_000 * count) / (performance.now() - begin)
  const metric = `${name}, first ${count.toLocaleString('en')}`
  return { metric, unit: '1/s', better: 'higher', value }
}
