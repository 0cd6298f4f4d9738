import type { HttpConnection } from '../httpConnection.ts'
import { sendAtRate, sustain } from '../load.ts'
import type { NodeProcess } from '../nodeProcess.ts'
import type { Peer } from '../peers.ts'
import { requestBytes } from '../rpc.ts'
import type { Measurement, Scenario } from '../scenario.ts'
import { startPeer } from '../startPeer.ts'
import { percentile } from '../statistics.ts'
import { senders } from '../traffic.ts'

const BLOCKS = 20_000

/** Blocks a command: of more than 256, the node reserves most. */
const STEP = 250

/** anvil takes minutes for 20,000 blocks: it gets fewer, and its duration is scaled, which flatters it. */
const ANVIL_BLOCKS = 2_000

const FIRST_BLOCKS = 10
const PROBE_INTERVAL = 10
const WARM_UP = 1_500
const WINDOW = 600

/** What a long chain costs: to make, to read from, and in memory. */
export const emptyBlocks: Scenario = {
  name: 'emptyBlocks',
  about:
    '20,000 empty blocks by hardhat_mine, 250 a command, and reads before, meanwhile and after',
  async measure(peer) {
    const results = await measure(peer, [])
    if (peer.name !== 'ours') return results
    const bounded = await measure(peer, ['--keep-blocks', '100'])
    const growth = bounded.find(({ metric }) => metric === GROWTH)
    return growth === undefined
      ? results
      : [...results, { ...growth, metric: `${GROWTH}, --keep-blocks 100` }]
  },
}

const GROWTH = 'growth of the memory by a block'

async function measure(peer: Peer, args: readonly string[]): Promise<readonly Measurement[]> {
  const blocks = peer.name === 'anvil' ? ANVIL_BLOCKS : BLOCKS
  const scaled =
    blocks === BLOCKS ? {} : { note: 'measured with 2,000 blocks; the duration is that times ten' }
  await using node = await startPeer(peer, { mode: 'frozen', args })
  const [connection] = node.connect(1)
  if (connection === undefined) throw new Error('No connection')
  await node.call('hardhat_mine', hex(FIRST_BLOCKS))
  await readLatencies(connection, FIRST_BLOCKS, WARM_UP)
  const before = await readLatencies(connection, FIRST_BLOCKS, WINDOW)
  const memory = node.memory()
  const { duration, probes } = await mine(node, connection, blocks - FIRST_BLOCKS)
  const growth = (node.memory() - memory) / (blocks - FIRST_BLOCKS)
  // As before: what making the blocks left to collect is not what a long chain costs.
  await readLatencies(connection, blocks, WARM_UP)
  const after = await readLatencies(connection, blocks, WINDOW)
  const seconds = ((duration / 1000) * BLOCKS) / (blocks - FIRST_BLOCKS)
  return [
    { metric: 'duration', unit: 's', better: 'lower', value: seconds, ...scaled },
    ...probeMeasurements(probes),
    ...before.map(latency('at block 10')),
    ...after.map((read) => ({ ...latency('at block 20,000')(read), ...scaled })),
    ...after.map(({ method, median }, index) => ({
      metric: `${method}, at block 20,000 / at block 10`,
      unit: '',
      better: 'lower' as const,
      value: median / (before[index]?.median ?? Number.NaN),
      ...scaled,
    })),
    { metric: GROWTH, unit: 'B', better: 'lower', value: growth, ...scaled },
    { metric: 'memory after', unit: 'MB', better: 'lower', value: node.memory() / 1e6, ...scaled },
  ]
}

/** Makes the blocks, while eth_chainId is asked every 10 ms on another connection. */
async function mine(node: NodeProcess, connection: HttpConnection, blocks: number) {
  const chainId = requestBytes({ method: 'eth_chainId' })
  let ended = Number.POSITIVE_INFINITY
  const probes = sendAtRate(
    node.connect(1),
    // Every probe that came due before the end is asked, or a node that stood still would look fast.
    (_, due) => (due < ended ? chainId : undefined),
    PROBE_INTERVAL,
  )
  const begin = performance.now()
  for (let left = blocks; left > 0; left -= STEP) {
    const params = [hex(Math.min(left, STEP))]
    await connection.request(requestBytes({ method: 'hardhat_mine', params }))
  }
  ended = performance.now()
  return { duration: ended - begin, probes: await probes }
}

/** None where the blocks were made before a second probe came due. */
function probeMeasurements(probes: readonly number[]): readonly Measurement[] {
  if (probes.length < 2) return []
  return [50, 99, 100].map((percent) => ({
    metric: `eth_chainId meanwhile, ${percent === 100 ? 'max' : `p${percent}`}`,
    unit: 'ms',
    better: 'lower',
    value: percentile(probes, percent),
  }))
}

interface Read {
  readonly method: string
  /** ms */
  readonly median: number
}

async function readLatencies(
  connection: HttpConnection,
  head: number,
  ms: number,
): Promise<readonly Read[]> {
  const blocks = Array.from({ length: 500 }, (_, index) =>
    requestBytes({ method: 'eth_getBlockByNumber', params: [hex((index * 7919) % head), false] }),
  )
  const balances = senders.map(({ address }) =>
    requestBytes({ method: 'eth_getBalance', params: [address, 'latest'] }),
  )
  const result: Read[] = []
  for (const [method, requests] of Object.entries({
    eth_getBlockByNumber: blocks,
    'eth_getBalance latest': balances,
  })) {
    const { latencies } = await sustain([connection], requests, ms)
    result.push({ method, median: percentile(latencies, 50) })
  }
  return result
}

function latency(where: string): (read: Read) => Measurement {
  return ({ method, median }) => ({
    metric: `${method} ${where}`,
    unit: 'µs',
    better: 'lower',
    value: median * 1000,
  })
}

function hex(number: number): string {
  return `0x${number.toString(16)}`
}
