import type { NodeProcess } from '../nodeProcess.ts'
import type { Peer } from '../peers.ts'
import { type Call, call, requestBytes, send } from '../rpc.ts'
import type { Measurement, Scenario } from '../scenario.ts'
import { checkSimulation } from '../simulationCheck.ts'
import {
  blocks,
  oneTransfer,
  type SimulationKind,
  simulationCall,
  tokenTransfers,
} from '../simulations.ts'
import { startPeer } from '../startPeer.ts'
import { balanceOf, senders, Traffic } from '../traffic.ts'
import { sendUntilVisible, singles } from '../visibility.ts'

/** Requests of one kind that a fresh process is asked, round and round. */
interface Cold {
  readonly name: string
  /** After how many requests the time is taken. */
  readonly counts: readonly number[]
  readonly requests: readonly { readonly call: Call; check(result: unknown): void }[]
}

const balances: Cold = {
  name: 'eth_call balanceOf',
  counts: [1, 50, 1_000],
  requests: senders.map(({ address }) => ({
    call: { method: 'eth_call', params: [balanceOf(address), 'latest'] },
    check(result) {
      if (BigInt(String(result)) !== 10n ** 24n) throw new Error(`${address} has ${result} tokens`)
    },
  })),
}

/** What a test suite sees: it ends long before all code is compiled. */
export const coldCalls: Scenario = {
  name: 'coldCalls',
  about:
    'the first calls and simulations of a process, one at a time, each kind in a process of its own ' +
    'that has deployed an ERC-20 contract: ms a request, mean from the first one on',
  async measure(peer) {
    const results = [...(await measureCold(peer, balances))]
    // hardhat node has no eth_simulateV1.
    if (peer.name === 'hardhat') return results
    for (const kind of [oneTransfer, tokenTransfers]) {
      results.push(...(await measureCold(peer, simulations(kind, [1, 50, 1_000]))))
    }
    results.push(...(await measureCold(peer, simulations(blocks, [1, 50, 200]))))
    return results
  },
}

function simulations(kind: SimulationKind, counts: readonly number[]): Cold {
  return {
    name: kind.name,
    counts,
    requests: kind.variants().map((variant) => ({
      call: simulationCall(variant, 'latest'),
      check: (result) => checkSimulation(variant, result),
    })),
  }
}

async function measureCold(peer: Peer, cold: Cold): Promise<readonly Measurement[]> {
  await using node = await startPeer(peer, { mode: 'frozen' })
  const traffic = new Traffic()
  await sendUntilVisible(node.connect(1), singles(traffic.tokenSetup()), traffic.nonces)
  await node.call(peer.seal.method)
  const times = await timesOf(node, cold)
  // Afterwards, so that it warms nothing.
  for (const { call: asked, check } of cold.requests) {
    check(await node.call(asked.method, ...(asked.params ?? [])))
  }
  return times.map(({ count, ms }) => ({
    metric: count === 1 ? `${cold.name}, first` : `${cold.name}, first ${grouped(count)}`,
    unit: 'ms',
    better: 'lower',
    value: ms / count,
  }))
}

async function timesOf(node: NodeProcess, { counts, requests }: Cold) {
  const [connection] = node.connect(1)
  if (connection === undefined) throw new Error('No connection')
  await call(connection, { method: 'eth_chainId' })
  const bytes = requests.map(({ call: asked }) => requestBytes(asked))
  const times: { readonly count: number; readonly ms: number }[] = []
  const begin = performance.now()
  let sent = 0
  for (const count of counts) {
    for (; sent < count; sent++) {
      const request = bytes[sent % bytes.length]
      if (request !== undefined) await send(connection, request)
    }
    times.push({ count, ms: performance.now() - begin })
  }
  return times
}

function grouped(count: number): string {
  return count.toLocaleString('en')
}
