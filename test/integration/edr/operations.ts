import * as blocks from './blocks.ts'
import * as calls from './calls.ts'
import * as cheats from './cheats.ts'
import * as sends from './sends.ts'
import { trace } from './traces.ts'
import type { World } from './world.ts'

/** What a step of the run may do, with how often it does. */
export const OPERATIONS: readonly {
  readonly name: string
  readonly weight: number
  readonly run: (world: World) => Promise<void>
}[] = [
  { name: 'send traffic', weight: 24, run: sends.sendTraffic },
  { name: 'send by the node', weight: 14, run: sends.sendTransaction },
  { name: 'send ahead', weight: 5, run: sends.sendAhead },
  { name: 'send in vain', weight: 5, run: sends.sendRefused },
  { name: 'send impersonated', weight: 3, run: sends.impersonate },
  { name: 'drop', weight: 4, run: sends.drop },
  { name: 'pending', weight: 8, run: blocks.comparePending },
  { name: 'seal', weight: 12, run: blocks.seal },
  { name: 'seal at a time', weight: 3, run: blocks.sealAt },
  { name: 'seal several', weight: 3, run: blocks.sealMany },
  { name: 'change the time', weight: 3, run: blocks.changeTime },
  { name: 'increase the time', weight: 2, run: blocks.increaseTime },
  { name: 'snapshot', weight: 4, run: blocks.takeSnapshot },
  { name: 'revert', weight: 4, run: blocks.revert },
  { name: 'set coinbase', weight: 2, run: blocks.setCoinbase },
  { name: 'set gas limit', weight: 2, run: blocks.setGasLimit },
  { name: 'set base fee', weight: 2, run: blocks.setBaseFee },
  { name: 'set prevRandao', weight: 2, run: blocks.setPrevRandao },
  { name: 'set balance', weight: 4, run: cheats.setBalance },
  { name: 'set storage', weight: 4, run: cheats.setStorage },
  { name: 'set code', weight: 3, run: cheats.setCode },
  { name: 'set nonce', weight: 3, run: cheats.setNonce },
  { name: 'call', weight: 14, run: calls.call },
  { name: 'call on pending', weight: 6, run: calls.callPending },
  { name: 'call environment', weight: 4, run: calls.callEnvironment },
  { name: 'estimate', weight: 10, run: calls.estimate },
  { name: 'look up', weight: 5, run: calls.lookUp },
  { name: 'trace', weight: 8, run: trace },
]

/** One of them, more often one that weighs more. */
export function pickOperation({ random }: World): (typeof OPERATIONS)[number] {
  const total = OPERATIONS.reduce((sum, { weight }) => sum + weight, 0)
  let left = random.below(total)
  for (const operation of OPERATIONS) {
    left -= operation.weight
    if (left < 0) return operation
  }
  throw new Error('No operation')
}
