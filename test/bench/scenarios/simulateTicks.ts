import { setTimeout as sleep } from 'node:timers/promises'
import { sendAtRate, sustain } from '../load.ts'
import { call, requestBytes } from '../rpc.ts'
import type { Scenario } from '../scenario.ts'
import { checkSimulation } from '../simulationCheck.ts'
import { gasLoop, simulationCall } from '../simulations.ts'
import { TickWatch, timesOf } from '../tickWatch.ts'
import { Traffic } from '../traffic.ts'
import { singles } from '../visibility.ts'

/** Transactions a second: a few for every tick, so that each has something to publish. */
const RATE = 50

const SIMULATORS = 4

/** s */
const WARM_UP = 3
const WINDOW = 10

/** s that there is traffic for: the warm-up ends only with its last simulation. */
const PATIENCE = 30

/** Whether the ticks keep their times while simulations want all the time that there is. */
export const simulateTicks: Scenario = {
  name: 'simulateTicks',
  about:
    '4 clients simulate 10M gas at "pending" without pause for 10 s, beside 50 transfers a second, both clocks running',
  peers: ['ours'],
  async measure() {
    const transfers = singles(new Traffic().transfers(RATE * PATIENCE))
    await using devnet = await TickWatch.start()
    const simulators = devnet.connect(SIMULATORS)
    const [first] = simulators
    const [simulation] = gasLoop.variants()
    if (first === undefined || simulation === undefined) throw new Error('Nothing to simulate')
    const request = simulationCall(simulation, 'pending')
    checkSimulation(simulation, await call(first, request))
    let over = false
    const sending = sendAtRate(
      devnet.connect(2),
      (index) => (over ? undefined : transfers[index]),
      1000 / RATE,
    )
    const requests = [requestBytes(request)]
    await sustain(simulators, requests, WARM_UP * 1000)
    devnet.begin()
    const simulating = sustain(simulators, requests, WINDOW * 1000)
    await Promise.race([sleep(WINDOW * 1000), simulating])
    const { gaps, lateness } = await devnet.end()
    over = true
    const admission = await sending
    const { rate, latencies } = await simulating
    return [
      ...timesOf('from one tick to the next', gaps),
      ...timesOf('view published late', lateness),
      ...timesOf('eth_sendRawTransaction', admission),
      { metric: 'simulations', unit: '1/s', better: 'higher', value: rate },
      ...timesOf('simulation', latencies),
    ]
  },
}
