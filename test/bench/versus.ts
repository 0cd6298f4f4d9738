/**
 * Compares this checkout with another one of the same project, by the CPU time that each node's process tree
 * spends on the same work:
 *
 *     npm run build && node test/bench/versus.ts ../other-checkout [--pairs 15] [--only chainId,erc20]
 *
 * Both checkouts must be built. Each row runs on one node of each checkout. Their passes alternate, and every
 * second pair begins with the other, so that drift of the machine meets both alike. Prints the geometric mean of
 * the ratios this / other with its 95 % confidence interval. A row is worse if the whole interval lies above
 * 1.03; then the exit code is 1.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { sendAll } from './load.ts'
import { NodeProcess } from './nodeProcess.ts'
import { killAll } from './ownProcesses.ts'
import type { Command } from './peers.ts'
import { root } from './project.ts'
import { batchBytes, type Call, requestBytes } from './rpc.ts'
import { tokenTransfers } from './simulations.ts'
import { freePort } from './startPeer.ts'
import { balanceOf, senders, Traffic } from './traffic.ts'
import { batches, sendUntilVisible, singles } from './visibility.ts'

const ALLOWED = 1.03
const CONNECTIONS = 8

/** ms of a clock tick of /proc, in which the kernel counts CPU time. */
const CLOCK_TICK = 10

/** Two-sided 95 % quantiles of Student's t by degrees of freedom, from 1 on. */
const T95 = [
  12.71, 4.3, 3.18, 2.78, 2.57, 2.45, 2.36, 2.31, 2.26, 2.23, 2.2, 2.18, 2.16, 2.14, 2.13, 2.12,
  2.11, 2.1, 2.09, 2.09, 2.08, 2.07, 2.07, 2.06, 2.06, 2.06, 2.05, 2.05, 2.05, 2.04,
]

/** A node under test, and the traffic that it has had. */
interface Subject {
  readonly node: NodeProcess
  readonly traffic: Traffic
}

/** One line of the report. */
interface Row {
  readonly name: string
  /** Whether each pass takes a node of its own. Default: one node for all passes, warmed up by three. */
  readonly cold?: boolean
  /** The same work each time. */
  run(subject: Subject): Promise<unknown>
}

function requests(count: number, call: (index: number) => Call): readonly Uint8Array[] {
  return Array.from({ length: count }, (_, index) => requestBytes(call(index)))
}

const addressOf = (index: number) => senders[index % senders.length]?.address

const read =
  (name: string, count: number, call: (index: number) => Call): Row['run'] =>
  ({ node }) => {
    const bytes = reads.get(name) ?? requests(count, call)
    reads.set(name, bytes)
    return sendAll(node.connect(CONNECTIONS), bytes)
  }

const reads = new Map<string, readonly Uint8Array[]>()

const send =
  (count: number, kind: 'transfers' | 'tokenTransfers', batch?: number): Row['run'] =>
  async ({ node, traffic }) => {
    const signed = traffic[kind](count)
    const bytes = batch === undefined ? singles(signed) : batches(signed, batch)
    await sendUntilVisible(node.connect(CONNECTIONS), bytes, traffic.nonces)
    await node.call('preconf_seal')
  }

const rows: readonly Row[] = [
  { name: 'start', cold: true, run: ({ node }) => node.call('eth_blockNumber') },
  {
    name: 'first 200 calls',
    cold: true,
    run: read('cold', 200, (index) => ({
      method: 'eth_call',
      params: [balanceOf(addressOf(index) ?? ''), 'pending'],
    })),
  },
  { name: 'chainId', run: read('chainId', 12_000, () => ({ method: 'eth_chainId' })) },
  {
    name: 'batches of 100',
    run: ({ node }) => {
      const batch = batchBytes(Array.from({ length: 100 }, () => ({ method: 'eth_chainId' })))
      return sendAll(
        node.connect(CONNECTIONS),
        Array.from({ length: 4_000 }, () => batch),
      )
    },
  },
  {
    name: 'getBalance pending',
    run: read('balance', 10_000, (index) => ({
      method: 'eth_getBalance',
      params: [addressOf(index), 'pending'],
    })),
  },
  {
    name: 'call balanceOf',
    run: read('call', 3_000, (index) => ({
      method: 'eth_call',
      params: [balanceOf(addressOf(index) ?? ''), 'pending'],
    })),
  },
  {
    name: 'estimateGas',
    run: read('estimate', 1_000, (index) => ({
      method: 'eth_estimateGas',
      params: [{ from: addressOf(index), ...balanceOf(addressOf(index + 1) ?? '') }],
    })),
  },
  {
    name: 'simulate 10 ERC-20',
    run: ({ node }) => {
      const calls = tokenTransfers.variants().map(({ payload }) => ({
        method: 'eth_simulateV1',
        params: [payload, 'latest'],
      }))
      return sendAll(
        node.connect(CONNECTIONS),
        requests(300, (index) => calls[index % calls.length] ?? { method: 'eth_chainId' }),
      )
    },
  },
  { name: 'transfers, singles, seal', run: send(1_000, 'transfers') },
  { name: 'transfers, batches, seal', run: send(2_000, 'transfers', 100) },
  { name: 'ERC-20, batches, seal', run: send(1_000, 'tokenTransfers', 50) },
  {
    name: 'mine 3,000 empty',
    async run({ node }) {
      // A command for more blocks would reserve them.
      for (let mined = 0; mined < 3000; mined += 250) await node.call('hardhat_mine', '0xfa')
    },
  },
  {
    name: 'getBlock full, getLogs',
    run: ({ node }) =>
      sendAll(
        node.connect(CONNECTIONS),
        requests(100, (index) =>
          index % 2 === 0
            ? { method: 'eth_getBlockByNumber', params: ['0x2', true] }
            : { method: 'eth_getLogs', params: [{ fromBlock: '0x1', toBlock: '0x2' }] },
        ),
      ),
  },
]

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { pairs: { type: 'string', default: '15' }, only: { type: 'string' } },
})
const [given] = positionals
if (given === undefined) throw new Error('Name the other checkout: node test/bench/versus.ts PATH')
const checkouts = [root, resolve(given)] as const
for (const checkout of checkouts) {
  if (!existsSync(join(checkout, 'dist/plugin'))) throw new Error(`${checkout} is not built`)
}
const pairs = Number(values.pairs)
const wanted = values.only?.split(',')

process.on('exit', killAll)
let isWorse = false
for (const row of rows) {
  if (wanted?.some((name) => row.name.includes(name)) === false) continue
  const { mean, low, high, spent } = interval(await measure(row))
  const worse = low > ALLOWED
  isWorse ||= worse
  const numbers = [mean, low, high].map((ratio) => ratio.toFixed(3))
  console.log(
    `${worse ? 'WORSE' : 'ok   '}  ${row.name.padEnd(26)} ${numbers[0]}  [${numbers[1]}, ${numbers[2]}]  ${spent}`,
  )
}
process.exitCode = isWorse ? 1 : 0

function command(checkout: string, port: number): Command {
  const hardhat = join(checkout, 'node_modules/hardhat/dist/src/cli.js')
  const args = ['pending-node', '--port', String(port), '--quiet', '--frozen']
  return {
    file: process.execPath,
    args: [hardhat, ...args, '--gas-limit', '500000000'],
    cwd: checkout,
  }
}

async function begin(checkout: string): Promise<Subject> {
  const port = await freePort()
  const node = new NodeProcess(command(checkout, port), port)
  await node.ready()
  return { node, traffic: new Traffic() }
}

async function prepare(checkout: string): Promise<Subject> {
  const subject = await begin(checkout)
  const { node, traffic } = subject
  await sendUntilVisible(node.connect(1), singles(traffic.tokenSetup()), traffic.nonces)
  await node.call('preconf_seal')
  await send(500, 'tokenTransfers', 50)(subject)
  return subject
}

/** CPU ms of both checkouts, pair by pair. */
async function measure(row: Row): Promise<[number, number][]> {
  if (row.cold === true) {
    return alternate(async (index) => {
      const subject = await begin(checkouts[index] ?? root)
      await row.run(subject)
      const spent = cpuTime(subject.node.pid)
      await subject.node[Symbol.asyncDispose]()
      return spent
    })
  }
  const subjects = [await prepare(checkouts[0]), await prepare(checkouts[1])]
  const pass = async (index: number) => {
    const subject = subjects[index]
    if (subject === undefined) throw new Error('No such node')
    const before = cpuTime(subject.node.pid)
    await row.run(subject)
    return cpuTime(subject.node.pid) - before
  }
  try {
    for (let count = 0; count < 3; count++) for (const index of [0, 1]) await pass(index)
    return await alternate(pass)
  } finally {
    for (const { node } of subjects) await node[Symbol.asyncDispose]()
  }
}

async function alternate(pass: (index: number) => Promise<number>): Promise<[number, number][]> {
  const results: [number, number][] = []
  for (let pair = 0; pair < pairs; pair++) {
    const first = pair % 2
    const one = await pass(first)
    const other = await pass(1 - first)
    results.push(first === 0 ? [one, other] : [other, one])
  }
  return results
}

/** User and system time, in ms, of a process and of all that it started. */
function cpuTime(pid: number): number {
  const children = readdirSync(`/proc/${pid}/task`).flatMap((thread) =>
    readFileSync(`/proc/${pid}/task/${thread}/children`, 'utf8').trim().split(' ').filter(Boolean),
  )
  // After the name in parentheses; the 14th to 17th fields: own time, and that of ended children.
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /s, '')
    .split(' ')
  const ticks = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0)
  return ticks * CLOCK_TICK + children.reduce((sum, child) => sum + cpuTime(Number(child)), 0)
}

function interval(times: readonly (readonly [number, number])[]) {
  const logs = times.map(([own, other]) => Math.log(own / other))
  const mean = logs.reduce((sum, log) => sum + log, 0) / logs.length
  const variance = logs.reduce((sum, log) => sum + (log - mean) ** 2, 0) / (logs.length - 1)
  const half =
    (T95[Math.min(logs.length - 1, T95.length) - 1] ?? 2) * Math.sqrt(variance / logs.length)
  const average = (index: 0 | 1) =>
    Math.round(times.reduce((sum, time) => sum + time[index], 0) / times.length)
  return {
    mean: Math.exp(mean),
    low: Math.exp(mean - half),
    high: Math.exp(mean + half),
    spent: `${average(0)} / ${average(1)} ms of CPU`,
  }
}
