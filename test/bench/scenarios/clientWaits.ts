import { setTimeout as sleep } from 'node:timers/promises'
import { type Client, clients } from '../clients.ts'
import type { Measurement, Scenario } from '../scenario.ts'
import { devSenders } from '../signing.ts'
import { startPeer } from '../startPeer.ts'
import { timesOf } from '../tickWatch.ts'

/** Transactions of each client. */
const COUNT = 40

/** ms of a tick. */
const TICK = 200

/** How long the users of viem, ethers and Hardhat wait for what they send, and whether the seal has to come first. */
export const clientWaits: Scenario = {
  name: 'clientWaits',
  about:
    '40 transfers of each client, at all times of a tick, both clocks running: from the send until the client answers',
  peers: ['ours'],
  rounds: 1,
  async measure(peer) {
    await using node = await startPeer(peer, { mode: 'running' })
    const senders = await devSenders(clients.length)
    const results: Measurement[] = []
    for (const [index, make] of clients.entries()) {
      const sender = senders[index]
      if (sender === undefined) throw new Error('Too few accounts')
      const key = `0x${Buffer.from(sender.privateKey).toString('hex')}` as const
      const client = await make(`http://127.0.0.1:${node.port}`, { key, index })
      try {
        results.push(...(await measureClient(client)))
      } finally {
        client.close()
      }
    }
    return results
  },
}

async function measureClient(client: Client): Promise<readonly Measurement[]> {
  const times: number[] = []
  let early = 0
  // The first one loads what the client has not loaded yet.
  for (let nonce = 0; nonce <= COUNT; nonce++) {
    const send = await client.prepare(nonce)
    // Answers come with a tick: without this, all sends would, too.
    await sleep(((nonce * TICK * 7) / COUNT) % TICK)
    const begin = performance.now()
    const isEarly = await send()
    if (nonce === 0) continue
    times.push(performance.now() - begin)
    if (isEarly) early++
  }
  return [
    ...timesOf(client.name, times),
    {
      metric: `${client.name}, before the seal`,
      unit: '%',
      better: 'higher',
      value: (100 * early) / COUNT,
      note: 'the others were sent in the last tick of a block, which is sealed at once',
    },
  ]
}
