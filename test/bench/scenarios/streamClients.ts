import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { WebSocket } from 'ws'
import { sendAtRate } from '../load.ts'
import type { Scenario } from '../scenario.ts'
import { type TickTimes, TickWatch, timesOf } from '../tickWatch.ts'
import { Traffic } from '../traffic.ts'
import { singles } from '../visibility.ts'

/** Transactions a second. */
const RATE = 500

const CLIENTS = 100

/** s; the window has 150 ticks, so that its p99 is not the slowest of them. */
const WARM_UP = 3
const WINDOW = 30

/** What many readers of the flashblock stream cost. */
export const streamClients: Scenario = {
  name: 'streamClients',
  about: `500 transfers a second for ${WINDOW} s, both clocks running, while ${CLIENTS} clients read the flashblock stream`,
  peers: ['ours'],
  async measure() {
    const alone = await run(0)
    const { times, bytes, messages } = await run(CLIENTS)
    return [
      ...timesOf('view published late', times.lateness),
      ...timesOf('work of a tick', times.work),
      {
        metric: 'CPU time of the longest turn',
        unit: 'ms',
        better: 'lower',
        value: times.longestTurn,
      },
      { metric: 'bytes of a message', unit: 'B', better: 'lower', value: bytes / messages },
      {
        metric: 'CPU time of a client',
        unit: 'ms/s',
        better: 'lower',
        value: (times.cpu - alone.times.cpu) / WINDOW / CLIENTS,
      },
    ]
  },
}

/** Bytes and messages of one client; times of the node. */
interface Run {
  readonly times: TickTimes
  readonly bytes: number
  readonly messages: number
}

async function run(clients: number): Promise<Run> {
  const requests = singles(new Traffic().transfers(RATE * (WARM_UP + WINDOW)))
  await using devnet = await TickWatch.start()
  const sockets = Array.from(
    { length: clients },
    () => new WebSocket(`${devnet.socketUrl}/flashblocks`),
  )
  await Promise.all(sockets.map((socket) => once(socket, 'open')))
  const sending = sendAtRate(devnet.connect(4), (index) => requests[index], 1000 / RATE)
  await Promise.race([sleep(WARM_UP * 1000), sending])
  devnet.begin()
  let [bytes, messages] = [0, 0]
  sockets[0]?.on('message', (data: Buffer) => {
    bytes += data.length
    messages++
  })
  await sending
  const times = await devnet.end()
  const lost = sockets.filter(({ readyState }) => readyState !== WebSocket.OPEN)
  if (lost.length > 0) throw new Error(`${lost.length} clients were disconnected`)
  for (const socket of sockets) socket.terminate()
  return { times, bytes, messages }
}
