import { sustain } from '../load.ts'
import { requestBytes } from '../rpc.ts'
import type { Scenario } from '../scenario.ts'
import { startPeer } from '../startPeer.ts'
import { percentile } from '../statistics.ts'

const WARM_UP = 1_000
const WINDOW = 3_000

/** The cost of a request as such, without work behind it. */
export const chainId: Scenario = {
  name: 'chainId',
  about: 'eth_chainId over 8 keep-alive connections with one request each under way',
  async measure(peer) {
    await using node = await startPeer(peer, { mode: 'running' })
    const connections = node.connect(8)
    const requests = [requestBytes({ method: 'eth_chainId' })]
    await sustain(connections, requests, WARM_UP)
    const { rate, latencies, clientLoad } = await sustain(connections, requests, WINDOW)
    return [
      { metric: 'answers', unit: '1/s', better: 'higher', value: rate },
      { metric: 'latency p50', unit: 'ms', better: 'lower', value: percentile(latencies, 50) },
      { metric: 'latency p99', unit: 'ms', better: 'lower', value: percentile(latencies, 99) },
      {
        metric: 'load of the client (near 100: it is the limit)',
        unit: '%',
        better: 'neither',
        value: clientLoad * 100,
      },
    ]
  },
}
