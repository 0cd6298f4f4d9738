import type { Hex } from 'viem'
import type { NodeProcess } from '../nodeProcess.ts'
import { requestBytes } from '../rpc.ts'
import type { Measurement, Scenario } from '../scenario.ts'
import type { Sender } from '../signing.ts'
import { startPeer } from '../startPeer.ts'
import { senders } from '../traffic.ts'
import { sendUntilVisible } from '../visibility.ts'

const COUNT = 2_000
const CONNECTIONS = 8
const WARM_UP = 300
const PASSES = 3

/** Counts its caller's calls: SLOAD and SSTORE of the slot that is the caller's address. */
const COUNTER: Hex = `0x${'c2'.repeat(20)}`
const COUNTER_CODE = '0x3354600101335500'

const KINDS = [
  { name: 'transfers', to: `0x${'b0'.repeat(20)}` },
  { name: 'calls', to: COUNTER },
] as const

/** The node signs, and estimates the gas of each transaction before it accepts it. */
export const sendsWithoutGas: Scenario = {
  name: 'sendsWithoutGas',
  about: '2,000 eth_sendTransaction without gas from 20 accounts over 8 connections',
  // Under this load anvil gives some transactions a nonce that is too low.
  peers: ['ours', 'hardhat'],
  async measure(peer) {
    await using node = await startPeer(peer, { mode: 'running' })
    await node.call('hardhat_setCode', COUNTER, COUNTER_CODE)
    const nonces = new Map<Sender, number>()
    const results: Measurement[] = []
    for (const { name, to } of KINDS) {
      await pass(node, nonces, to, WARM_UP)
      for (let count = 0; count < PASSES; count++) {
        const times = await pass(node, nonces, to, COUNT)
        const rate = (ms: number) => (COUNT * 1000) / ms
        results.push(
          {
            metric: `accepted, ${name}`,
            unit: 'tx/s',
            better: 'higher',
            value: rate(times.accepted),
          },
          {
            metric: `visible, ${name}`,
            unit: 'tx/s',
            better: 'higher',
            value: rate(times.visible),
          },
        )
      }
    }
    return results
  },
}

function pass(node: NodeProcess, nonces: Map<Sender, number>, to: Hex, count: number) {
  const requests = Array.from({ length: count }, (_, index) => {
    const sender = senders[index % senders.length]
    if (sender === undefined) throw new Error('No senders')
    nonces.set(sender, (nonces.get(sender) ?? 0) + 1)
    const value = to === COUNTER ? '0x0' : '0x1'
    return requestBytes({
      method: 'eth_sendTransaction',
      params: [{ from: sender.address, to, value }],
    })
  })
  return sendUntilVisible(node.connect(CONNECTIONS), requests, nonces)
}
