import { type Hex, numberToHex } from 'viem'
import { blockForm, pendingBlockForm } from './forms.ts'
import { record } from './values.ts'
import type { World } from './world.ts'

/** s by which a block may part from what a command asked: EDR's time goes on while the test runs. */
const TIME_SLACK = 60

/** Gives the block that comes next a timestamp, and perhaps a prevRandao: on its own each node takes another. */
export async function open(world: World): Promise<void> {
  const { duel, random } = world
  const timestamp = world.head.timestamp + 1 + random.below(30)
  await duel.result('evm_setNextBlockTimestamp', [
    random.once(2) ? timestamp : numberToHex(timestamp),
  ])
  if (random.once(2)) await setPrevRandao(world)
}

export async function setPrevRandao(world: World): Promise<void> {
  const bytes = Array.from({ length: 32 }, () => world.random.below(256))
  await world.duel.result('hardhat_setPrevRandao', [hexOfBytes(bytes)])
  world.randao = true
}

/** Seals what waits. */
export async function seal(world: World): Promise<void> {
  await world.duel.result('evm_mine')
  await world.afterSeal()
  await open(world)
}

/** Seals in a block of this time. */
export async function sealAt(world: World): Promise<void> {
  const timestamp = world.head.timestamp + 1 + world.random.below(10_000)
  await world.duel.result('evm_mine', [timestamp])
  await world.afterSeal()
  await open(world)
}

/** Seals several blocks, the later ones empty, each `interval` s after the one before. */
export async function sealMany(world: World): Promise<void> {
  const count = world.random.below(6)
  const interval = 1 + world.random.below(20)
  await world.duel.result('hardhat_mine', [numberToHex(count), numberToHex(interval)])
  await world.afterSeal()
  await open(world)
}

/** Another time for a block that may have transactions already, and that no other command moves then. */
export async function changeTime(world: World): Promise<void> {
  const timestamp = world.head.timestamp + 1 + world.random.below(500)
  await world.duel.result('evm_setNextBlockTimestamp', [timestamp])
  if (world.random.once(3)) await moveTime(world, 1 + world.random.below(1000))
}

/** Both must answer decimal text: sums of all moves, which EDR begins at the difference between the genesis and now. */
async function moveTime({ duel, random }: World, seconds: number): Promise<void> {
  const answers = await duel.ask('evm_increaseTime', [
    random.once(2) ? seconds : numberToHex(seconds),
  ])
  for (const answer of answers) {
    if ('error' in answer || !/^\d+$/.test(String(answer.result))) {
      duel.differs('evm_increaseTime must answer decimal text', answers)
    }
  }
}

/** Moves time for a block without transactions: both move by as much, but EDR's time also goes on by itself. */
export async function increaseTime(world: World): Promise<void> {
  const { duel, random } = world
  await seal(world)
  if (world.pooled.size > 0) return
  // Uses up the time that was given to it.
  await duel.result('evm_mine')
  await world.afterSeal()
  const seconds = 100 + random.below(100_000)
  await moveTime(world, seconds)
  await duel.result('evm_mine')
  const blocks = await duel.ask('eth_getBlockByNumber', ['latest', false])
  const times = blocks.map((block) => Number('result' in block && record(block.result).timestamp))
  const due = world.head.timestamp + seconds
  if (!times.every((time) => time >= due && time <= due + TIME_SLACK)) {
    duel.differs(`a block ${seconds} s later, at ${due}`, blocks)
  }
  const timeless = (block: unknown) => ({ ...record(blockForm(world.randao)(block)), timestamp: 0 })
  duel.compare('the block after evm_increaseTime', blocks, timeless)
  world.randao = false
  world.head = { number: world.head.number + 1, timestamp: Math.max(...times) }
  world.untimed.add(world.head.number)
  await open(world)
  await seal(world)
}

/** Ticks, which EDR does not have, and holds what `pending` answers against the block that EDR would seal. */
export async function comparePending(world: World): Promise<void> {
  const { duel } = world
  await duel.result('eth_getBlockByNumber', ['pending', false], pendingBlockForm)
  await duel.result('eth_getBlockTransactionCountByNumber', ['pending'])
  for (const address of world.accounts) {
    await duel.result('eth_getTransactionCount', [address, 'pending'])
    await duel.result('eth_getBalance', [address, 'pending'])
  }
  const slots = [...(world.known.get(world.targets.playground) ?? [])]
  for (const slot of slots) {
    await duel.result('eth_getStorageAt', [world.targets.playground, slot, 'pending'])
  }
}

export async function takeSnapshot(world: World): Promise<void> {
  world.snapshots.push({
    id: await world.duel.result('evm_snapshot'),
    nonces: [...world.traffic.nonces],
    pooled: new Map(world.pooled),
    sealed: world.sealed.length,
    randao: world.randao,
    head: world.head,
  })
}

/** Goes back to a snapshot, perhaps past others, which end with it. */
export async function revert(world: World): Promise<void> {
  const { duel, snapshots, traffic, pooled } = world
  const index = world.random.below(snapshots.length + 1)
  const [saved, ...later] = snapshots.splice(index)
  if (saved === undefined) {
    await duel.result('evm_revert', ['0xffff'])
    return
  }
  await duel.result('evm_revert', [saved.id])
  for (const { id } of [saved, ...later]) await duel.result('evm_revert', [id])
  for (const [at, nonce] of saved.nonces.entries()) traffic.nonces[at] = nonce
  pooled.clear()
  for (const [hash, transaction] of saved.pooled) pooled.set(hash, transaction)
  world.sealed.length = saved.sealed
  world.randao = saved.randao
  world.head = saved.head
  await duel.result('eth_blockNumber')
  await world.compareAll()
}

/** Who gets the fees from now on. */
export async function setCoinbase(world: World): Promise<void> {
  const address = world.random.pick([...world.accounts, world.targets.token, COINBASE])
  await world.duel.result('hardhat_setCoinbase', [address])
}

/** Of both nodes at the start. */
const COINBASE: Hex = '0xc014ba5ec014ba5ec014ba5ec014ba5ec014ba5e'

export async function setBaseFee(world: World): Promise<void> {
  const fee = world.random.pick([1n, 7n, 10n ** 9n, 3n * 10n ** 9n, 30n * 10n ** 9n])
  await world.duel.result('hardhat_setNextBlockBaseFeePerGas', [numberToHex(fee)])
}

/** Of the next blocks: room for one of the largest transactions of the run, or for several. */
export async function setGasLimit(world: World): Promise<void> {
  const limit = 17_000_000 + world.random.below(50_000_000)
  await world.duel.result('evm_setBlockGasLimit', [numberToHex(limit)])
}

function hexOfBytes(bytes: readonly number[]): Hex {
  return `0x${bytes.map((byte) => byte.toString(16).padStart(2, '0')).join('')}`
}
