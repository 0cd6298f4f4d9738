import { encodeDeployData, encodeFunctionData, numberToHex } from 'viem'
import { artifact } from '../../support/solidity.ts'
import { slot } from './slots.ts'
import type { World } from './world.ts'

const token = artifact('Token')
const playground = artifact('Playground')

/** Fees that every block of a run takes. Always given: what stands for them else is each node's own. */
export const CAPS = {
  maxFeePerGas: numberToHex(50n * 10n ** 9n),
  maxPriorityFeePerGas: numberToHex(10n ** 9n),
} as const

/** A transaction for a node to sign, with fields and kinds of failure that the traffic does not have. */
export function draft(world: World, sender: number): object {
  return { from: world.account(sender), ...kind(world), ...fees(world) }
}

function kind({ random, targets, accounts }: World): object {
  const play = (functionName: string, ...args: unknown[]) => ({
    to: targets.playground,
    data: encodeFunctionData({ abi: playground.abi, functionName, args }),
    gas: numberToHex(300_000),
  })
  switch (random.below(11)) {
    case 0:
      return play('failWithError', random.below(9))
    case 1:
      return play('failWithPanic', [])
    case 2:
      return { ...play('burnGas', 1000), gas: numberToHex(60_000) }
    case 3:
      return { ...play('store', 1, 2), data: '0x12345678' }
    case 4:
      return { data: encodeDeployData({ ...token, args: [7n] }), gas: numberToHex(2_000_000) }
    case 5:
      // A few of these fill a block: others wait for the next one.
      return { ...play('store', 1, 2), gas: numberToHex(16_000_000) }
    case 6:
      return { to: targets.playground, input: play('store', 2, 3).data, gas: numberToHex(300_000) }
    case 7:
      return { to: random.pick(accounts), value: numberToHex(random.below(9)), gas: '0xea60' }
    case 8: {
      // A precompile, most of which refuse this. Not MODEXP, for which it is never enough gas: to EDR that is a revert.
      const precompile = random.pick([1, 2, 3, 4, 6, 7, 8, 9])
      return { to: numberToHex(precompile, { size: 20 }), data: '0x1234', gas: '0x30d40' }
    }
    case 9:
      return { data: random.pick(['0xfe', '0x5f5ffd', '0x60ef5f5360015ff3']), gas: '0x30d40' }
    default:
      return play('storeEnvironment')
  }
}

function fees({ random, targets }: World): object {
  const accessList = [{ address: targets.playground, storageKeys: [slot(1), slot(2)] }]
  switch (random.below(4)) {
    case 0:
      return { gasPrice: numberToHex(40n * 10n ** 9n) }
    case 1:
      return { gasPrice: numberToHex(45n * 10n ** 9n), accessList }
    case 2:
      return { ...CAPS, accessList }
    default:
      return CAPS
  }
}
