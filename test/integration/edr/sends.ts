import { encodeDeployData, encodeFunctionData, type Hex, numberToHex } from 'viem'
import { artifact } from '../../support/solidity.ts'
import { record, transactionForm } from './forms.ts'
import { seal } from './blocks.ts'
import { hexOf, slot, type World } from './world.ts'

const token = artifact('Token')
const playground = artifact('Playground')

/** The contracts that the traffic calls. */
export async function deploy(world: World): Promise<void> {
  for (const raw of await world.traffic.deployments()) await sendRaw(world, raw)
}

/** Some signed transactions of the random traffic. */
export async function sendTraffic(world: World): Promise<void> {
  for (let count = 1 + world.random.below(3); count > 0; count--) {
    const raw = await world.traffic.next(world.targets)
    await sendRaw(world, raw)
    // An authorization uses up a nonce that EDR's mempool would wait for until the next block; ours sees it in the tick.
    if (raw.startsWith('0x04')) return seal(world)
  }
}

async function sendRaw(world: World, raw: Hex): Promise<void> {
  await accepted(world, await world.duel.result('eth_sendRawTransaction', [raw]))
}

/** Notes what both have accepted, and holds how it waits against each other. */
async function accepted(world: World, answer: unknown): Promise<void> {
  const hash = hexOf(answer)
  const waiting = await world.duel.result('eth_getTransactionByHash', [hash], transactionForm)
  const { from, nonce } = record(waiting)
  world.pooled.set(hash, { hash, from: hexOf(from), nonce: Number(nonce) })
}

/** A transaction that the node signs, with fields and kinds of failure that the traffic does not have. */
export async function sendTransaction(world: World): Promise<void> {
  const sender = world.random.below(world.accounts.length)
  await accepted(
    world,
    await world.duel.result('eth_sendTransaction', [
      { from: world.account(sender), ...kind(world), ...fees(world) },
    ]),
  )
  world.traffic.nonces[sender] = (world.traffic.nonces[sender] ?? 0) + 1
}

function kind(world: World): object {
  const { random, targets } = world
  const play = (functionName: string, ...args: unknown[]) => ({
    to: targets.playground,
    data: encodeFunctionData({ abi: playground.abi, functionName, args }),
    gas: numberToHex(300_000),
  })
  switch (random.below(8)) {
    case 0:
      return play('failWithError', random.below(9))
    case 1:
      return play('failWithPanic', [])
    case 2:
      return { data: encodeDeployData({ ...token, args: [7n] }), gas: numberToHex(2_000_000) }
    case 3:
      // Two such fill half a block: others wait for the next one.
      return { ...play('store', 1, 2), gas: numberToHex(16_000_000) }
    case 4:
      return { ...play('store', 2, 3), input: play('store', 2, 3).data }
    case 5:
      return { to: random.pick(world.accounts), value: numberToHex(random.below(9)), gas: '0xea60' }
    case 6:
      // To nothing but a precompile, with data.
      return { to: numberToHex(1 + random.below(9), { size: 20 }), data: '0x1234', gas: '0x30d40' }
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

const CAPS = {
  maxFeePerGas: numberToHex(50n * 10n ** 9n),
  maxPriorityFeePerGas: numberToHex(10n ** 9n),
}

/** Sends for an account that has code and no key. */
export async function impersonate(world: World): Promise<void> {
  const { duel, random, targets } = world
  const from = random.pick([targets.playground, targets.token, STRANGER])
  const transaction = { from, to: world.account(0), gas: '0xc350', value: '0x1', ...CAPS }
  await duel.same('eth_sendTransaction', [transaction])
  await duel.result('hardhat_setBalance', [from, numberToHex(10n ** 20n)])
  await duel.result('hardhat_impersonateAccount', [from])
  await accepted(world, await duel.result('eth_sendTransaction', [transaction]))
  await duel.result('hardhat_stopImpersonatingAccount', [from])
  await duel.result('hardhat_stopImpersonatingAccount', [from])
  await duel.same('eth_sendTransaction', [transaction])
  world.touch(from)
}

const STRANGER: Hex = '0x00000000000000000000000000000000000057a4'

/** Takes a transaction out of the mempool, and fills the gap that it leaves. */
export async function drop(world: World): Promise<void> {
  const { duel, random, pooled } = world
  await duel.result('hardhat_dropTransaction', [slot(random.below(2 ** 30))])
  if (pooled.size === 0) return
  const chosen = random.pick([...pooled.values()])
  await duel.result('hardhat_dropTransaction', [chosen.hash])
  pooled.delete(chosen.hash)
  await duel.result('eth_getTransactionByHash', [chosen.hash])
  await duel.own('preconf_advance', { ticks: 1 })
  await duel.result('eth_getTransactionCount', [chosen.from, 'pending'])
  if (!world.accounts.includes(chosen.from)) return
  const filler = {
    from: chosen.from,
    to: world.targets.token,
    nonce: numberToHex(chosen.nonce),
    data: encodeFunctionData({ ...token, functionName: 'mint', args: [chosen.from, 1n] }),
    gas: '0x30d40',
    ...CAPS,
  }
  await accepted(world, await duel.result('eth_sendTransaction', [filler]))
}
