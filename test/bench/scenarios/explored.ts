import { setTimeout as sleep } from 'node:timers/promises'
import { createPublicClient, custom, type Hex } from 'viem'
import { hardhat } from 'viem/chains'
import {
  Payments,
  type SignedPayment,
  signPayment,
} from '../../../examples/reorg-safe-app/payments.ts'
import { type ExploreContext, explore } from '../../../plugin/explore.ts'
import type { Measurement, Scenario } from '../scenario.ts'

/** Transactions of the test. */
const COUNT = 10

const RUNS = 300

/** Runs of a test under schedules of faults. */
export const explored: Scenario = {
  name: 'explored',
  about: `a test of an app on viem that sends ${COUNT} payments and watches until all are final, under schedules of faults in process: ${RUNS} runs`,
  peers: ['ours'],
  async measure() {
    const results: Measurement[] = []
    for (const [name, pause] of [
      ['at once', 0],
      ['one a tick', 200],
    ] as const) {
      const test = payAll(pause)
      // The first run loads modules, and signs.
      await explore(test, { maxRuns: 1 })
      const begin = performance.now()
      const { runs } = await explore(test, { maxRuns: RUNS, time: 600_000 })
      const value = (runs * 60_000) / (performance.now() - begin)
      results.push({ metric: `schedules, payments ${name}`, unit: '/min', better: 'higher', value })
    }
    return results
  },
}

/** @param pause - ms of the run's time after each payment */
function payAll(pause: number) {
  const signed: SignedPayment[] = []
  return async ({ devnet, provider }: ExploreContext) => {
    for (let nonce = signed.length; nonce < COUNT; nonce++) {
      signed.push(await signPayment(devnet, { nonce, value: 1n }))
    }
    const payments = new Payments(
      createPublicClient({ chain: hardhat, transport: custom(provider) }),
    )
    const hashes: Hex[] = []
    for (const payment of signed) {
      hashes.push(await payments.send(payment))
      if (pause > 0) await sleep(pause)
    }
    while (hashes.some((hash) => payments.place(hash)?.is !== 'final')) {
      await sleep(200)
      await payments.look()
    }
  }
}
