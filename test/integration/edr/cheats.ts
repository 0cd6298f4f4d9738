import { type Hex, numberToHex } from 'viem'
import { balanceSlot, slot, storedSlot } from './slots.ts'
import type { World } from './world.ts'

/** Returns what it is given, and stores a word of it. */
const STORE_AND_RETURN: Hex = '0x5f355f55365f5f37365ff3'

export async function setBalance(world: World): Promise<void> {
  const { duel, random } = world
  // Enough for all that waits: EDR cannot seal while there is a transaction that nobody can pay.
  const balance = 10n ** 21n + BigInt(random.below(1000))
  const address = random.pick([...world.known.keys()])
  await duel.result('hardhat_setBalance', [address, numberToHex(balance)])
  await duel.result('hardhat_setBalance', [freshAddress(world), numberToHex(random.below(3))])
  await look(world, address)
}

export async function setStorage(world: World): Promise<void> {
  const { duel, random, targets } = world
  const [address, at] = random.pick([
    [targets.playground, storedSlot(random.below(14))],
    [targets.playground, slot(2)],
    [targets.token, balanceSlot(random.pick(world.accounts))],
    [freshAddress(world), slot(random.below(3))],
  ] as const)
  world.touch(address, at)
  // A quantity, as hardhat's helpers send it: without leading zeros.
  const index = numberToHex(BigInt(at))
  await duel.result('hardhat_setStorageAt', [address, index, slot(random.below(3) * 1000)])
  await duel.result('eth_getStorageAt', [address, at, 'latest'])
  await look(world, address)
}

export async function setCode(world: World): Promise<void> {
  const { duel, random } = world
  const address = freshAddress(world)
  world.touch(address, slot(0))
  const code = random.pick([STORE_AND_RETURN, '0x', '0xfe'] as const)
  await duel.result('hardhat_setCode', [address, code])
  await duel.result('eth_getCode', [address, 'latest'])
  await look(world, address)
}

/** Nonces only rise, and at EDR only while nothing waits. */
export async function setNonce(world: World): Promise<void> {
  const { duel, random, traffic } = world
  if (world.pooled.size > 0) return
  const sender = random.below(world.accounts.length)
  const nonce = traffic.nonces[sender] ?? 0
  const address = world.account(sender)
  if (nonce > 0) await duel.same('hardhat_setNonce', [address, numberToHex(nonce - 1)])
  const next = nonce + random.below(4)
  await duel.result('hardhat_setNonce', [address, numberToHex(next)])
  traffic.nonces[sender] = next
  await duel.same('hardhat_setNonce', [freshAddress(world), numberToHex(random.below(9))])
  await look(world, address)
}

/** Holds what a cheat changed against each other, before any block does. */
async function look(world: World, address: Hex): Promise<void> {
  const { duel } = world
  world.touch(address)
  await duel.result('eth_getBalance', [address, 'latest'])
  await duel.result('eth_getTransactionCount', [address, 'latest'])
  // What the block will make of it, with transactions that were pre-confirmed before the cheat and after it.
  await duel.result('eth_getBalance', [address, 'pending'])
  await duel.result('eth_getTransactionCount', [address, 'pending'])
}

/** One of a few addresses that the traffic does not use. */
function freshAddress(world: World): Hex {
  const address = numberToHex(0xf000 + world.random.below(6), { size: 20 })
  world.touch(address)
  return address
}
