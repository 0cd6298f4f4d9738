/**
 * Compares this checkout with another one of the same project, by the CPU time that each node's process tree
 * spends on the same work:
 *
 *     npm run build && node test/bench/versus.ts ../other-checkout [--pairs 15] [--only chainId,erc20]
 *
 * Both checkouts must be built. Equal nodes differ by several per cent as long as they live: by where their memory
 * lies, and by what the compiler saw first. So each pair has fresh nodes, one of each checkout, which play all rows.
 * In a row, short runs on both alternate, until a second of CPU is spent on each; their sums are compared, so that
 * drift of the machine meets both alike.
 *
 * V8 marks at once and not in steps: in steps, a marking that has begun makes each write to old objects slower until
 * enough is allocated to end it, which was 15 % of a short request, and the size of the heap at which it begins is
 * reached in one checkout and just missed in the other.
 *
 * Prints the middle of the ratios this / other (Hodges and Lehmann) with its 95 % confidence interval by signed ranks.
 * No pair is left out: one that was disturbed counts by its rank, not by how far off it is. A row is `ok` if the whole
 * interval lies below 1.03, `WORSE` if it lies above, which makes the exit code 1, and `open` otherwise: more pairs
 * would tell.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { constants } from 'node:os'
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
import { median } from './statistics.ts'
import { balanceOf, senders, Traffic } from './traffic.ts'
import { batches, sendUntilVisible, singles } from './visibility.ts'

const ALLOWED = 1.03
const CONNECTIONS = 8

/** ms of CPU that a row takes on each node of a pair, about. */
const PASS = 1_000

/** Runs of a row before it is measured, so that its code is compiled. */
const WARM_UP = 2

/** Fewest pairs whose signed ranks have an interval of 95 %. */
const FEWEST_PAIRS = 6

/** ms of a clock tick of /proc, in which the kernel counts CPU time of threads that may have ended. */
const CLOCK_TICK = 10

/** A node under test, the traffic that it has had, and its CPU time. */
interface Subject {
  readonly node: NodeProcess
  readonly traffic: Traffic
  readonly cpu: CpuTime
}

/** CPU time of a process and of all that it started, to the nanosecond. */
class CpuTime {
  readonly #pid: number
  /** ms by thread, those included that have ended since they were last looked at. */
  readonly #threads = new Map<string, number>()

  constructor(pid: number) {
    this.#pid = pid
  }

  /** ms */
  read(): number {
    for (const thread of threadsOf(this.#pid)) {
      // It may end just now; what it spent then is known from before, but for the last of it.
      if (!existsSync(`${thread}/schedstat`)) continue
      const [nanoseconds] = readFileSync(`${thread}/schedstat`, 'utf8').split(' ')
      this.#threads.set(thread, Number(nanoseconds) / 1e6)
    }
    let sum = 0
    for (const spent of this.#threads.values()) sum += spent
    return sum
  }
}

/** One line of the report. */
interface Row {
  readonly name: string
  /** Whether each run takes a node of its own. Default: that of the pair, warmed up */
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
if (!(pairs >= FEWEST_PAIRS)) throw new Error(`Want at least ${FEWEST_PAIRS} pairs`)
const wanted = values.only?.split(',')
const unknown = wanted?.find((part) => !rows.some(({ name }) => name.includes(part)))
if (unknown !== undefined) {
  const names = rows.map(({ name }) => name).join('\n')
  throw new Error(`No row has ${JSON.stringify(unknown)} in its name. The rows are\n${names}`)
}
const chosen = rows.filter(({ name }) => wanted?.some((part) => name.includes(part)) ?? true)

process.on('exit', killAll)
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => process.exit(128 + constants.signals[signal]))
}
/** CPU ms of both checkouts by row, pair by pair. */
const times = new Map<Row, [number, number][]>(chosen.map((row) => [row, []]))
/** Runs of a row on each node of a pair, as the first pair has found out. */
const counts = new Map<Row, number>()
for (let pair = 0; pair < pairs; pair++) {
  const begun = performance.now()
  for (const row of chosen) if (row.cold === true) times.get(row)?.push(await playCold(row, pair))
  const warm = chosen.filter(({ cold }) => cold !== true)
  if (warm.length > 0) await playWarm(warm, pair)
  const ratios = [...times.values()].map((all) => all.at(-1)).map((spent) => ratioOf(spent))
  const seconds = Math.round((performance.now() - begun) / 1000)
  console.error(`pair ${pair + 1} of ${pairs}, ${seconds} s: ${ratios.join(' ')}`)
}
let isWorse = false
for (const [row, spent] of times) {
  const { middle, low, high } = interval(spent.map(([own, other]) => Math.log(own / other)))
  const verdict = low > ALLOWED ? 'WORSE' : high <= ALLOWED ? 'ok   ' : 'open '
  isWorse ||= low > ALLOWED
  const [ratio, from, to] = [middle, low, high].map((value) => value.toFixed(3))
  const [own, other] = ([0, 1] as const).map((index) =>
    Math.round(spent.reduce((sum, pair) => sum + pair[index], 0) / spent.length),
  )
  console.log(
    `${verdict}  ${row.name.padEnd(26)} ${ratio}  [${from}, ${to}]  ${own} / ${other} ms of CPU`,
  )
}
process.exitCode = isWorse ? 1 : 0

function command(checkout: string, port: number): Command {
  const hardhat = join(checkout, 'node_modules/hardhat/dist/src/cli.js')
  const args = ['pending-node', '--port', String(port), '--quiet', '--frozen']
  return {
    file: process.execPath,
    args: ['--no-incremental-marking', hardhat, ...args, '--gas-limit', '500000000'],
    cwd: checkout,
  }
}

async function begin(checkout: string): Promise<Subject> {
  const port = await freePort()
  const node = new NodeProcess(command(checkout, port), port)
  await node.ready()
  return { node, traffic: new Traffic(), cpu: new CpuTime(node.pid) }
}

async function prepare(checkout: string): Promise<Subject> {
  const subject = await begin(checkout)
  const { node, traffic } = subject
  await sendUntilVisible(node.connect(1), singles(traffic.tokenSetup()), traffic.nonces)
  await node.call('preconf_seal')
  await send(500, 'tokenTransfers', 50)(subject)
  return subject
}

function ratioOf([own, other]: readonly [number, number] = [Number.NaN, 1]): string {
  return (own / other).toFixed(3)
}

/** Which checkout comes first, and which second. */
function order(round: number): readonly [0 | 1, 0 | 1] {
  return round % 2 === 0 ? [0, 1] : [1, 0]
}

/** What a row takes of nodes that have done nothing before. */
async function playCold(row: Row, pair: number): Promise<[number, number]> {
  const spent: [number, number] = [0, 0]
  for (const index of order(pair)) {
    const subject = await begin(checkouts[index])
    await row.run(subject)
    spent[index] = wholeTime(subject.node.pid)
    await subject.node[Symbol.asyncDispose]()
  }
  return spent
}

/** Plays rows one after the other on the nodes of a pair. */
async function playWarm(warm: readonly Row[], pair: number): Promise<void> {
  const subjects: Subject[] = []
  for (const index of order(pair)) subjects[index] = await prepare(checkouts[index])
  const run = async (row: Row, index: number) => {
    const subject = subjects[index]
    if (subject === undefined) throw new Error('No such node')
    const before = subject.cpu.read()
    await row.run(subject)
    return subject.cpu.read() - before
  }
  try {
    for (const row of warm) {
      let least = PASS
      for (let count = 0; count < WARM_UP; count++) {
        for (const index of order(pair)) least = Math.min(least, await run(row, index))
      }
      const count = counts.get(row) ?? Math.ceil(PASS / least)
      counts.set(row, count)
      const spent: [number, number] = [0, 0]
      for (let round = 0; round < count; round++) {
        for (const index of order(pair + round)) spent[index] += await run(row, index)
      }
      times.get(row)?.push(spent)
    }
  } finally {
    for (const { node } of subjects) await node[Symbol.asyncDispose]()
  }
}

/** The folders in /proc of all threads of a process and of what it started. */
function threadsOf(pid: number): string[] {
  return readdirSync(`/proc/${pid}/task`).flatMap((thread) => {
    const folder = `/proc/${pid}/task/${thread}`
    return [folder, ...childrenOf(folder).flatMap(threadsOf)]
  })
}

function childrenOf(thread: string): number[] {
  return readFileSync(`${thread}/children`, 'utf8').split(' ').filter(Boolean).map(Number)
}

/** CPU ms of a process and of all that it started, with what has ended; in steps of a clock tick. */
function wholeTime(pid: number): number {
  const children = readdirSync(`/proc/${pid}/task`).flatMap((thread) =>
    childrenOf(`/proc/${pid}/task/${thread}`),
  )
  // After the name in parentheses; the 14th to 17th fields: own time, and that of ended children.
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /s, '')
    .split(' ')
  const ticks = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0)
  return ticks * CLOCK_TICK + children.reduce((sum, child) => sum + wholeTime(child), 0)
}

/** Hodges and Lehmann's middle of differences, and the interval of 95 % by Wilcoxon's signed ranks. */
function interval(logs: readonly number[]) {
  const means: number[] = []
  for (const [index, one] of logs.entries()) {
    for (const other of logs.slice(index)) means.push((one + other) / 2)
  }
  means.sort((one, other) => one - other)
  const count = logs.length
  const deviation = Math.sqrt((count * (count + 1) * (2 * count + 1)) / 24)
  const rank = Math.max(0, Math.floor(means.length / 2 - 1.96 * deviation - 0.5))
  const at = (index: number) => Math.exp(means[index] ?? 0)
  return {
    middle: Math.exp(median(means)),
    low: at(rank),
    high: at(means.length - 1 - rank),
  }
}
