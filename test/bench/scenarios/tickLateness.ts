import { setTimeout as sleep } from 'node:timers/promises'
import { sendAtRate } from '../load.ts'
import type { Scenario } from '../scenario.ts'
import { TickWatch, timesOf } from '../tickWatch.ts'
import { Traffic } from '../traffic.ts'
import { singles } from '../visibility.ts'

/** Transactions a second. */
const RATE = 500

/** s */
const WARM_UP = 3
const WINDOW = 10

/** Whether the ticks keep their times under load. */
export const tickLateness: Scenario = {
  name: 'tickLateness',
  about:
    '500 transfers a second for 10 s, both clocks running: from the beat of the tick clock to the published view',
  peers: ['ours'],
  async measure() {
    const requests = singles(new Traffic().transfers(RATE * (WARM_UP + WINDOW)))
    await using devnet = await TickWatch.start()
    const sending = sendAtRate(devnet.connect(4), (index) => requests[index], 1000 / RATE)
    await Promise.race([sleep(WARM_UP * 1000), sending])
    devnet.begin()
    const admission = await sending
    const { lateness, work } = await devnet.end()
    return [
      ...timesOf('view published late', lateness),
      ...timesOf('work of a tick', work),
      ...timesOf('eth_sendRawTransaction', admission.slice(RATE * WARM_UP)),
    ]
  },
}
