import { setTimeout as sleep } from 'node:timers/promises'
import { BLOCK, BlockTraffic } from '../blockTraffic.ts'
import type { HttpConnection } from '../httpConnection.ts'
import { sendAtRate } from '../load.ts'
import { call, requestBytes } from '../rpc.ts'
import type { Measurement, Scenario } from '../scenario.ts'
import { percentile } from '../statistics.ts'
import { TickWatch } from '../tickWatch.ts'
import { Traffic } from '../traffic.ts'
import { untilVisible } from '../visibility.ts'

/** Without `--minutes`. */
const COUNT = 270_000

const KEEP_BLOCKS = 300
const KEPT = KEEP_BLOCKS * BLOCK

/** Whether a node that forgets old blocks stays small, however long it runs. */
export const soak: Scenario = {
  name: 'soak',
  about: `${COUNT} transfers in blocks of ${BLOCK}, each to a new account, with --keep-blocks ${KEEP_BLOCKS}: resident memory at the end, and growth of the memory in use, garbage collected, until ${KEPT} transactions are kept and from then on, when only their accounts are; with --minutes at 500 tx/s and with both clocks running, minute by minute`,
  peers: ['ours'],
  rounds: 1,
  measure: (_, minutes) => (minutes === undefined ? inBlocks() : inTime(minutes)),
}

async function inBlocks(): Promise<readonly Measurement[]> {
  await using blocks = await BlockTraffic.start({ keepBlocks: KEEP_BLOCKS, frozen: true })
  const { devnet } = blocks
  const next = (traffic: Traffic) => traffic.transfers(BLOCK)
  // What the first block loads and compiles is not what transactions cost.
  await blocks.seal(next(blocks.traffic))
  const before = await devnet.memory()
  await blocks.sealAll(KEPT, next)
  const full = await devnet.memory()
  await blocks.sealAll(COUNT - KEPT, next)
  const resident = devnet.residentMemory()
  const end = await devnet.memory()
  return [
    of('resident', 'MiB', resident / 1024 / 1024),
    of('in use, for each kept transaction', 'B', (full - before) / KEPT),
    of('in use, for each forgotten transaction', 'B', (end - full) / (COUNT - KEPT)),
  ]
}

/** Transactions a second. */
const RATE = 500

/** Minutes until as many blocks are kept as ever, and the compiler is done: 300 take ten. */
const FILLING = 15

/** Minutes between two looks at the memory in use, which stop the node for a collection. */
const LOOKS = 5

/**
 * Payments among the same accounts, so that the state does not grow. Each minute is a line of
 * standard error.
 */
async function inTime(minutes: number): Promise<readonly Measurement[]> {
  await using devnet = await TickWatch.start({ keepBlocks: KEEP_BLOCKS })
  const [observer, ...connections] = devnet.connect(5)
  if (observer === undefined) throw new Error('No connections')
  const traffic = new Traffic()
  let isOver = false
  const sending = sendAtRate(
    connections,
    () => {
      if (isOver) return undefined
      const { raw } = traffic.payment()
      return requestBytes({ method: 'eth_sendRawTransaction', params: [raw] })
    },
    1000 / RATE,
  )
  const late: number[] = []
  const inUse: number[] = []
  const sealed = new SealedCount(observer)
  for (let minute = 1; minute <= minutes; minute++) {
    devnet.begin()
    await Promise.race([sleep(60_000), sending])
    const { lateness, cpu } = await devnet.end()
    const p99 = percentile(lateness, 99)
    late.push(p99)
    const columns = [
      `minute ${minute}: ticks late p99 ${p99.toFixed(1)} ms`,
      `${(cpu / 600).toFixed(0)} % of a core`,
      `resident ${mebibytes(devnet.residentMemory())}`,
      `sealed ${await sealed.now()}`,
    ]
    if (minute % LOOKS === 0) {
      const bytes = await devnet.memory()
      inUse.push(bytes)
      columns.push(`in use ${mebibytes(bytes)}`)
    }
    console.error(columns.join(', '))
  }
  isOver = true
  const sent = (await sending).length
  await untilVisible(observer, traffic.nonces)
  await call(observer, { method: 'preconf_seal' })
  const full = inUse[FILLING / LOOKS - 1]
  const growth =
    full === undefined
      ? []
      : [
          of(
            `memory in use since minute ${FILLING}`,
            '%',
            100 * ((inUse.at(-1) ?? full) / full - 1),
          ),
        ]
  return [
    of('view published late, p99 of the worst minute', 'ms', Math.max(...late)),
    ...growth,
    of('resident at the end', 'MiB', devnet.residentMemory() / 1024 / 1024),
    of('lost transactions', '', sent - (await sealed.now())),
  ]
}

/** Counts the transactions in sealed blocks, before the node forgets them. */
class SealedCount {
  readonly #connection: HttpConnection
  #next = 1
  #count = 0

  constructor(connection: HttpConnection) {
    this.#connection = connection
  }

  async now(): Promise<number> {
    const head = Number(await call(this.#connection, { method: 'eth_blockNumber' }))
    while (this.#next <= head) {
      const params = [`0x${this.#next.toString(16)}`]
      const method = 'eth_getBlockTransactionCountByNumber'
      this.#count += Number(await call(this.#connection, { method, params }))
      this.#next++
    }
    return this.#count
  }
}

function mebibytes(bytes: number): string {
  return `${(bytes / 1024 / 1024).toFixed(1)} MiB`
}

function of(metric: string, unit: string, value: number): Measurement {
  return { metric, unit, better: 'lower', value }
}
