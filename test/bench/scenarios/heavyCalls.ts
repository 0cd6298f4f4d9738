import { setTimeout as sleep } from 'node:timers/promises'
import { type Hex, keccak256, pad } from 'viem'
import { LOOP_CODE, loopGas, loopResult } from '../gasLoop.ts'
import type { HttpConnection } from '../httpConnection.ts'
import { sendAtRate, sustain } from '../load.ts'
import type { NodeProcess } from '../nodeProcess.ts'
import type { Peer } from '../peers.ts'
import { type Call, call, requestBytes } from '../rpc.ts'
import type { Measurement, Scenario } from '../scenario.ts'
import { startPeer } from '../startPeer.ts'
import { median, percentile } from '../statistics.ts'
import { TickWatch, timesOf } from '../tickWatch.ts'
import { Traffic } from '../traffic.ts'
import { singles } from '../visibility.ts'

/** Code of about 10M gas, and what it answers. */
interface Kind {
  readonly name: string
  readonly address: Hex
  readonly code: Hex
  readonly result: Hex
}

const addressOf = (index: number): Hex => `0x${'c0de'.repeat(9)}${String(index).padStart(4, '0')}`

/** Answers nothing. */
const CALLEE: Hex = addressOf(0)

const KECCAKS = 100_000
const CALLS = 65_000

const word = (value: number) => pad(`0x${value.toString(16)}`)
const counter = (rounds: number) => rounds.toString(16).padStart(6, '0')

/** The hash of a word, hashed again and again: a round is 99 gas. */
function hashed(): Hex {
  let hash: Hex = word(0)
  for (let round = 0; round < KECCAKS; round++) hash = keccak256(hash)
  return hash
}

const kinds: readonly Kind[] = [
  { name: 'loop', address: addressOf(1), code: LOOP_CODE, result: loopResult() },
  {
    name: 'keccak loop',
    address: addressOf(2),
    // PUSH3 rounds JUMPDEST PUSH1 32 PUSH0 KECCAK256 PUSH0 MSTORE … PUSH1 32 PUSH0 RETURN
    code: `0x62${counter(KECCAKS)}5b60205f205f52600190038060045760205ff3`,
    result: hashed(),
  },
  {
    name: 'CALL loop',
    address: addressOf(3),
    // PUSH3 rounds JUMPDEST, a call without gas limit to CALLEE, ADD: rounds - 1 + success
    code: `0x62${counter(CALLS)}5b5f5f5f5f5f73${CALLEE.slice(2)}5af1900380600457805f5260205ff3`,
    result: word(0),
  },
]

/** Requests until a node counts as warm. */
const COLD = 50

/** ms */
const WINDOW = 3_000

const requestOf = ({ address }: Kind): Call => ({
  method: 'eth_call',
  params: [{ to: address, gas: `0x${(12_000_000).toString(16)}` }, 'latest'],
})

/** What calls of 10M gas take, and how the node goes on beside them. */
export const heavyCalls: Scenario = {
  name: 'heavyCalls',
  about: `eth_call of 10M gas (${loopGas} in the loop), over 1 and 8 connections; ours also with both clocks running, 500 transfers a second and 4 clients that call without pause`,
  async measure(peer) {
    const results: Measurement[] = []
    for (const kind of kinds) {
      await using node = await startPeer(peer, { mode: 'frozen' })
      results.push(...(await measureKind(node, peer, kind)))
    }
    if (peer.name === 'ours') results.push(...(await measureTicks()))
    return results
  },
}

async function measureKind(node: NodeProcess, peer: Peer, kind: Kind): Promise<Measurement[]> {
  await node.call('hardhat_setCode', CALLEE, '0x00')
  await node.call('hardhat_setCode', kind.address, kind.code)
  await node.call(peer.seal.method)
  const request = requestOf(kind)
  const [connection] = node.connect(1)
  if (connection === undefined) throw new Error('No connection')
  const cold: number[] = []
  for (let index = 0; index < COLD; index++) {
    const start = performance.now()
    const result = await call(connection, request)
    cold.push(performance.now() - start)
    if (result !== kind.result) throw new Error(`${kind.name} answers ${result}`)
  }
  connection.close()
  const { name } = kind
  const results: Measurement[] = [
    { metric: `${name}, first call`, unit: 'ms', better: 'lower', value: cold[0] ?? 0 },
    { metric: `${name}, first ${COLD}, median`, unit: 'ms', better: 'lower', value: median(cold) },
  ]
  for (const count of [1, 8]) {
    const connections = node.connect(count)
    const { rate, latencies } = await sustain(connections, [requestBytes(request)], WINDOW)
    for (const one of connections) one.close()
    const metric = `${name}, ${count} conn.`
    results.push(
      { metric, unit: '1/s', better: 'higher', value: rate },
      { metric: `${metric}, p50`, unit: 'ms', better: 'lower', value: percentile(latencies, 50) },
    )
  }
  return results
}

/** Transfers a second, and reads of the block number beside them. */
const RATE = 500
const READS = 50

const CALLERS = 4

/** s; the window has 150 ticks, so that its p99 is not the slowest of them. */
const WARM_UP = 3
const MEASURED = 30

async function measureTicks(): Promise<readonly Measurement[]> {
  const [kind] = kinds
  if (kind === undefined) throw new Error('No kind')
  const transfers = singles(new Traffic().transfers(RATE * (WARM_UP + MEASURED)))
  await using devnet = await TickWatch.start()
  const callers = devnet.connect(CALLERS)
  const [first] = callers
  if (first === undefined) throw new Error('No connection')
  await call(first, { method: 'hardhat_setCode', params: [kind.address, kind.code] })
  const before = await readsFor(devnet.connect(1), 2)
  const sending = sendAtRate(devnet.connect(4), (index) => transfers[index], 1000 / RATE)
  const requests = [requestBytes(requestOf(kind))]
  await sustain(callers, requests, WARM_UP * 1000)
  devnet.begin()
  const calling = sustain(callers, requests, MEASURED * 1000)
  const reading = readsFor(devnet.connect(1), MEASURED)
  await Promise.race([sleep(MEASURED * 1000), calling])
  const { lateness, longestTurn } = await devnet.end()
  const admission = await sending
  const { rate } = await calling
  return [
    ...timesOf('beside calls: view published late', lateness),
    ...timesOf('beside calls: eth_sendRawTransaction', admission.slice(RATE * WARM_UP)),
    ...timesOf('beside calls: eth_blockNumber', await reading),
    ...timesOf('alone: eth_blockNumber', before),
    { metric: 'beside calls: longest turn', unit: 'ms', better: 'lower', value: longestTurn },
    { metric: 'calls beside ticks', unit: '1/s', better: 'higher', value: rate },
  ]
}

/** ms of reads of the block number at a constant rate. */
function readsFor(connections: readonly HttpConnection[], seconds: number) {
  const bytes = requestBytes({ method: 'eth_blockNumber' })
  const request = (index: number) => (index < READS * seconds ? bytes : undefined)
  return sendAtRate(connections, request, 1000 / READS)
}
