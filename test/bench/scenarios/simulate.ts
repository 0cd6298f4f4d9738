import { sustain } from '../load.ts'
import type { NodeProcess } from '../nodeProcess.ts'
import { requestBytes } from '../rpc.ts'
import type { Measurement, Scenario } from '../scenario.ts'
import { checkSimulation } from '../simulationCheck.ts'
import {
  blocks,
  gasLoop,
  oneTransfer,
  type Simulation,
  type SimulationKind,
  simulationCall,
  tokenTransfers,
} from '../simulations.ts'
import { startPeer } from '../startPeer.ts'
import { percentile } from '../statistics.ts'
import { Traffic } from '../traffic.ts'
import { sendUntilVisible, singles } from '../visibility.ts'

/** ms */
const WARM_UP = 2_000
const WINDOW = 2_000

const kinds: readonly SimulationKind[] = [oneTransfer, tokenTransfers, blocks, gasLoop]

/** What a simulation takes, alone and beside others. */
export const simulate: Scenario = {
  name: 'simulate',
  about: 'eth_simulateV1 at "latest", over 1 and 8 connections with one request each under way',
  // hardhat node has no eth_simulateV1.
  peers: ['ours', 'anvil'],
  async measure(peer) {
    await using node = await startPeer(peer, { mode: 'frozen' })
    const traffic = new Traffic()
    await sendUntilVisible(node.connect(1), singles(traffic.tokenSetup()), traffic.nonces)
    await node.call(peer.seal.method)
    const results: Measurement[] = []
    for (const kind of kinds) results.push(...(await measureKind(node, kind)))
    return results
  },
}

async function measureKind(
  node: NodeProcess,
  { name, variants }: SimulationKind,
): Promise<readonly Measurement[]> {
  const results: Measurement[] = []
  const requests = await checkedRequests(node, variants())
  for (const count of [1, 8]) {
    const connections = node.connect(count)
    await sustain(connections, requests, WARM_UP)
    const { rate, latencies } = await sustain(connections, requests, WINDOW)
    for (const connection of connections) connection.close()
    const metric = `${name}, ${count} conn.`
    results.push(
      { metric, unit: '1/s', better: 'higher', value: rate },
      { metric: `${metric}, p50`, unit: 'ms', better: 'lower', value: percentile(latencies, 50) },
      { metric: `${metric}, p99`, unit: 'ms', better: 'lower', value: percentile(latencies, 99) },
    )
  }
  return results
}

/** The requests of all variants, once the node has answered each of them rightly. */
async function checkedRequests(
  node: NodeProcess,
  variants: readonly Simulation[],
): Promise<readonly Buffer[]> {
  const requests: Buffer[] = []
  for (const variant of variants) {
    const request = simulationCall(variant, 'latest')
    checkSimulation(variant, await node.call(request.method, ...(request.params ?? [])))
    requests.push(requestBytes(request))
  }
  return requests
}
