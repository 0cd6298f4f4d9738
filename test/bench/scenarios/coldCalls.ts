import { setTimeout as sleep } from 'node:timers/promises'
import type { HttpConnection } from '../httpConnection.ts'
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
import { balanceOf, type Signed, senders, Traffic } from '../traffic.ts'
import { sendUntilVisible, singles, untilVisible } from '../visibility.ts'
import type { VisibleTraffic } from '../visibleScenario.ts'
import { erc20Transfers } from './erc20Visible.ts'
import { plainTransfers } from './transfersVisible.ts'

/** Requests of one kind that a fresh process is asked, round and round. */
export interface Cold {
  readonly name: string
  /** After how many requests the time is taken. */
  readonly counts: readonly number[]
  readonly requests: readonly { readonly call: Call; check(result: unknown): void }[]
}

const MANY = 1_000
const COUNTS = [1, 50, MANY]

/** ms from the start of a node to its first request: scripts poll for a port about that often. */
const REST = 250

const ETHER = 10n ** 18n

/** Each account has paid for its tokens; the first one also for the contract. */
const others = senders.slice(1).map(({ address }) => address)

export const reads: readonly Cold[] = [
  readsOf(
    'eth_call balanceOf',
    (address) => ({ method: 'eth_call', params: [balanceOf(address), 'latest'] }),
    (tokens) => tokens === 10n ** 24n,
  ),
  readsOf(
    'eth_getBalance',
    (address) => ({ method: 'eth_getBalance', params: [address, 'latest'] }),
    (wei) => wei > 9_999n * ETHER && wei < 10_000n * ETHER,
  ),
  readsOf(
    'eth_getTransactionCount',
    (address) => ({ method: 'eth_getTransactionCount', params: [address, 'latest'] }),
    (nonce) => nonce === 1n,
  ),
]

const sends = { transfer: plainTransfers, 'ERC-20 transfer': erc20Transfers }

/** What a test suite sees: it ends long before all code is compiled. */
export const coldCalls: Scenario = {
  name: 'coldCalls',
  about:
    'the first requests of a process, one at a time: reads and simulations, each kind in a process ' +
    'of its own that has deployed an ERC-20 contract, and sends until they are answered and until ' +
    'they are visible in "pending": ms a request, mean from the first one on',
  async measure(peer) {
    const results: Measurement[] = []
    for (const cold of reads) results.push(...(await measureCold(peer, cold)))
    for (const [name, parts] of Object.entries(sends)) {
      for (const count of COUNTS) results.push(...(await measureSends(peer, name, parts, count)))
    }
    // hardhat node has no eth_simulateV1.
    if (peer.name === 'hardhat') return results
    for (const kind of [oneTransfer, tokenTransfers]) {
      results.push(...(await measureCold(peer, simulations(kind, COUNTS))))
    }
    results.push(...(await measureCold(peer, simulations(blocks, [1, 50, 200]))))
    return results
  },
}

function readsOf(
  name: string,
  read: (address: string) => Call,
  isRight: (value: bigint) => boolean,
): Cold {
  return {
    name,
    counts: COUNTS,
    requests: others.map((address) => ({
      call: read(address),
      check(result) {
        const value = BigInt(String(result))
        if (!isRight(value)) throw new Error(`${name}: ${address} has ${value}`)
      },
    })),
  }
}

export function simulations(kind: SimulationKind, counts: readonly number[]): Cold {
  return {
    name: kind.name,
    counts,
    requests: kind.variants().map((variant) => ({
      call: simulationCall(variant, 'latest'),
      check: (result) => checkSimulation(variant, result),
    })),
  }
}

async function measureCold(
  peer: Peer,
  { name, counts, requests }: Cold,
): Promise<readonly Measurement[]> {
  const traffic = new Traffic()
  await using node = await startCold(peer, traffic, traffic.tokenSetup())
  const connection = await warmConnection(node)
  const bytes = requests.map(({ call: asked }) => requestBytes(asked))
  const results: Measurement[] = []
  const begin = performance.now()
  let sent = 0
  for (const count of counts) {
    for (; sent < count; sent++) {
      const request = bytes[sent % bytes.length]
      if (request !== undefined) await send(connection, request)
    }
    results.push(mean(name, count, performance.now() - begin))
  }
  // Afterwards, so that it warms nothing.
  for (const { call: asked, check } of requests) {
    check(await node.call(asked.method, ...(asked.params ?? [])))
  }
  return results
}

/** In a process for each count: the wait for the last one is part of the time. */
async function measureSends(
  peer: Peer,
  name: string,
  { setup, next, received }: VisibleTraffic,
  count: number,
): Promise<readonly Measurement[]> {
  const traffic = new Traffic()
  await using node = await startCold(peer, traffic, setup(traffic))
  const connection = await warmConnection(node)
  const transactions = next(traffic, count)
  const requests = singles(transactions)
  const begin = performance.now()
  for (const request of requests) await send(connection, request)
  const accepted = performance.now() - begin
  const visible = (await untilVisible(connection, traffic.nonces)) - begin
  await node.call(peer.seal.method)
  const last = transactions.at(-1)
  const got = last && BigInt(String(await received(node, last.recipient)))
  if (got !== 1n) throw new Error(`${last?.recipient} has got ${got} and not 1`)
  return [
    mean(`${name}, accepted`, count, accepted),
    {
      ...mean(`${name}, visible`, count, visible),
      // Of few, the time is that of one tick, which the other nodes do not have.
      better: count < MANY ? 'neither' : 'lower',
    },
  ]
}

/** A node that has sealed the transactions of `setup`. */
export async function startCold(
  peer: Peer,
  traffic: Traffic,
  setup: readonly Signed[],
): Promise<NodeProcess> {
  const node = await startPeer(peer, { mode: 'frozen' })
  await sleep(REST)
  if (setup.length > 0) {
    await sendUntilVisible(node.connect(1), singles(setup), traffic.nonces)
    await node.call(peer.seal.method)
  }
  return node
}

/** A connection that has been used: neither its first request nor the client's is measured. */
async function warmConnection(node: NodeProcess): Promise<HttpConnection> {
  const [connection] = node.connect(1)
  if (connection === undefined) throw new Error('No connection')
  await call(connection, { method: 'eth_chainId' })
  return connection
}

function mean(name: string, count: number, ms: number): Measurement {
  return {
    metric: count === 1 ? `${name}, first` : `${name}, first ${count.toLocaleString('en')}`,
    unit: 'ms',
    better: 'lower',
    value: ms / count,
  }
}
