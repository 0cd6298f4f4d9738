import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { HttpConnection } from '../httpConnection.ts'
import { sendAtRate } from '../load.ts'
import { end, own } from '../ownProcesses.ts'
import type { Measurement, Scenario } from '../scenario.ts'
import { percentile } from '../statistics.ts'
import { Traffic } from '../traffic.ts'
import { singles } from '../visibility.ts'

/** What tickLateness.child.ts answers at the end. */
export interface TickLateness {
  /** ms from each beat of the tick clock until its view was published. */
  readonly lateness: readonly number[]
  /** ms that each tick worked. */
  readonly work: readonly number[]
}

/** Transactions a second. */
const RATE = 500

/** s */
const WARM_UP = 3
const WINDOW = 10

const child = fileURLToPath(new URL('../tickLateness.child.ts', import.meta.url))

/** Whether the ticks keep their times under load. */
export const tickLateness: Scenario = {
  name: 'tickLateness',
  about:
    '500 transfers a second for 10 s, both clocks running: from the beat of the tick clock to the published view',
  peers: ['ours'],
  async measure() {
    const requests = singles(new Traffic().transfers(RATE * (WARM_UP + WINDOW)))
    const devnet = fork(child, { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] })
    own(devnet, false)
    try {
      return await drive(devnet, requests)
    } finally {
      await end(devnet, 'SIGTERM')
    }
  },
}

async function drive(
  devnet: ChildProcess,
  requests: readonly Buffer[],
): Promise<readonly Measurement[]> {
  const { port } = await told<{ port: number }>(devnet)
  const connections = Array.from({ length: 4 }, () => new HttpConnection(port))
  const sending = sendAtRate(connections, (index) => requests[index], 1000 / RATE)
  await Promise.race([sleep(WARM_UP * 1000), sending])
  devnet.send('begin')
  const admission = await sending
  const result = told<TickLateness>(devnet)
  devnet.send('end')
  const { lateness, work } = await result
  for (const connection of connections) connection.close()
  return [
    ...measurements('view published late', lateness),
    ...measurements('work of a tick', work),
    ...measurements('eth_sendRawTransaction', admission.slice(RATE * WARM_UP)),
  ]
}

/** The next message of the child, which is known to be of this type. @throws {Error} when it ends first */
async function told<Message>(devnet: ChildProcess): Promise<Message> {
  const ending = new AbortController()
  const { signal } = ending
  try {
    const ended = once(devnet, 'exit', { signal }).then(([code]) => {
      throw new Error(`The devnet ended with ${code}`)
    })
    const [message] = await Promise.race([once(devnet, 'message', { signal }), ended])
    return message
  } finally {
    ending.abort()
  }
}

function measurements(what: string, times: readonly number[]): readonly Measurement[] {
  return [50, 99, 100].map((percent) => ({
    metric: `${what}, ${percent === 100 ? 'max' : `p${percent}`}`,
    unit: 'ms',
    better: 'lower',
    value: percentile(times, percent),
  }))
}
