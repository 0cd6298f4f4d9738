import { encodeFunctionData, type Hex, numberToHex } from 'viem'
import { artifact } from '../../support/solidity.ts'
import { seal } from './blocks.ts'
import { transactionForm } from './forms.ts'
import { CAPS, draft } from './transactions.ts'
import { hexOf, record } from './values.ts'
import type { World } from './world.ts'

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

/** Lets both sign a transaction, which both must accept. */
async function send(world: World, transaction: object): Promise<void> {
  await accepted(world, await world.duel.result('eth_sendTransaction', [transaction]))
}

/** A transaction that the node signs. */
export async function sendTransaction(world: World): Promise<void> {
  const sender = world.random.below(world.accounts.length)
  await send(world, draft(world, sender))
  world.traffic.takeNonce(sender)
}

/** Sends what has to wait for a nonce before its own, then something else, then that one. */
export async function sendAhead(world: World): Promise<void> {
  const { duel, random, traffic } = world
  const sender = random.below(world.accounts.length)
  const from = world.account(sender)
  const first = traffic.takeNonce(sender)
  for (let after = random.below(3); after >= 0; after--) {
    await send(world, { ...draft(world, sender), nonce: numberToHex(first + 1 + after) })
    traffic.takeNonce(sender)
  }
  await duel.result('eth_getTransactionCount', [from, 'pending'])
  const other = (sender + 1) % world.accounts.length
  await send(world, draft(world, other))
  traffic.takeNonce(other)
  await send(world, { ...draft(world, sender), nonce: numberToHex(first) })
}

/** What both must refuse, whatever waits; refusedSends.test.ts has more. */
export async function sendRefused(world: World): Promise<void> {
  const { duel, random, traffic } = world
  const sender = random.below(world.accounts.length)
  const good = { from: world.account(sender), to: world.account(0), gas: '0xea60', ...CAPS }
  // EDR tells balances and nonces of `latest`, ours those of what is pre-confirmed.
  const isQuiet = world.pooled.size === 0
  const bad = random.pick([
    ...(isQuiet ? [{ value: numberToHex(10n ** 24n) }] : []),
    ...(isQuiet && (traffic.nonces[sender] ?? 0) > 0 ? [{ nonce: '0x0' }] : []),
    { gas: '0x5207' },
    { gas: '0xffffffff' },
    { maxPriorityFeePerGas: numberToHex(51n * 10n ** 9n) },
    { from: STRANGER },
    { data: `0x${'01'.repeat(3000)}` },
    { to: undefined },
  ])
  const outcomes = await duel.ask('eth_sendTransaction', [{ ...good, ...bad }])
  if (outcomes.some((outcome) => 'result' in outcome)) duel.differs('both must refuse', outcomes)
  duel.compare(`eth_sendTransaction with ${JSON.stringify(bad)}`, outcomes)
}

/** Sends for an account that has no key, and perhaps code. */
export async function impersonate(world: World): Promise<void> {
  const { duel, random, targets } = world
  // Not the playground, which also uses up nonces when it creates: EDR then seals no block any more.
  const from = random.pick([targets.token, STRANGER])
  const transaction = { from, to: world.account(0), gas: '0xc350', value: '0x1', ...CAPS }
  await duel.same('eth_sendTransaction', [transaction])
  await duel.result('hardhat_setBalance', [from, numberToHex(10n ** 20n)])
  await duel.result('hardhat_impersonateAccount', [from])
  await send(world, transaction)
  await duel.result('hardhat_stopImpersonatingAccount', [from])
  await duel.result('hardhat_stopImpersonatingAccount', [from])
  await duel.same('eth_sendTransaction', [transaction])
  world.touch(from)
}

const STRANGER: Hex = '0x00000000000000000000000000000000000057a4'

/** Takes a transaction out of the mempool, and fills the gap that it leaves. */
export async function drop(world: World): Promise<void> {
  const { duel, random, pooled, targets } = world
  // Of impersonated accounts nothing would fill the gap, and EDR takes its mempool for not empty then.
  const droppable = [...pooled.values()].filter(({ from }) => world.accounts.includes(from))
  if (droppable.length === 0) return
  const { hash, from, nonce } = random.pick(droppable)
  await duel.result('hardhat_dropTransaction', [hash])
  pooled.delete(hash)
  await duel.result('eth_getTransactionByHash', [hash])
  await duel.result('hardhat_dropTransaction', [hash])
  await duel.result('eth_getTransactionCount', [from, 'pending'])
  await send(world, {
    from,
    to: targets.token,
    nonce: numberToHex(nonce),
    data: encodeFunctionData({ ...artifact('Token'), functionName: 'mint', args: [from, 1n] }),
    gas: '0x30d40',
    ...CAPS,
  })
}
