import { expect, test } from 'vitest'
import type { Hex } from '../../../devnet/primitives/hex.ts'
import type { Status } from '../../../devnet/types.ts'
import { account, fired, nodeUnder } from './faultyNode.ts'

test('default: drop takes a pre-confirmed transaction out of its block at the seal', async () => {
  const node = await nodeUnder([{ kind: 'drop', next: 1 }])
  const [lost, kept] = [await node.send(0), await node.send(1)]
  const { pending } = await node.tick()
  expect(pending.transactions.map(({ hash }) => hash)).toEqual([lost, kept])
  expect(await node.receipt(lost)).toMatchObject({ transactionHash: lost })
  const status = await node.seal()
  expect(await node.block()).toEqual([kept])
  expect(await node.receipt(lost)).toBeNull()
  expect(status.dropped).toEqual([{ hash: lost, reason: 'dropped by fault 0', preconfirmed: true }])
  expect(status.reexecuted).toEqual([kept])
  expect(fired(status)).toEqual([1])
})

test('drop at a tick takes it back in the tick after its own', async () => {
  const node = await nodeUnder([{ kind: 'drop', at: 'tick', next: 1 }])
  const hash = await node.send(0)
  expect((await node.tick()).pending.transactions).toHaveLength(1)
  const { pending, dropped } = await node.tick()
  expect(pending.transactions).toEqual([])
  expect(dropped).toMatchObject([{ hash, preconfirmed: true }])
})

test('a later transaction of the sender waits for the nonce of a dropped one', async () => {
  const node = await nodeUnder([{ kind: 'drop', nonce: 0, from: account(0) }])
  const [first, second] = [await node.send(0), await node.send(0)]
  await node.tick()
  const { mempool, dropped } = await node.seal()
  expect(await node.block()).toEqual([])
  expect(mempool).toEqual({ runnable: 0, waiting: 1 })
  expect(dropped).toMatchObject([{ hash: first }])
  expect(await node.call('eth_getTransactionByHash', second)).toMatchObject({ blockNumber: null })
})

test.each([
  ['from', () => ({ from: account(1) }), 1],
  ['nonce', () => ({ nonce: 1 }), 2],
  ['hash', (hashes: readonly Hex[]) => ({ hash: hashes[0] }), 0],
  ['address', () => ({ address: account(3) }), 2],
  ['tick', () => ({ tick: 1 }), 2],
] as const)('drop by %s', async (_name, limit, index) => {
  const node = await nodeUnder([])
  const hashes = [await node.send(0), await node.send(1)]
  await node.tick()
  hashes.push(await node.send(0, { to: account(3) }))
  await node.tick()
  await node.call('preconf_faults', { rules: [{ kind: 'drop', ...limit(hashes) }] })
  const { dropped } = await node.seal()
  expect(dropped.map(({ hash }) => hash)).toEqual([hashes[index]])
})

test('drop by the address of a log or of a created contract', async () => {
  const node = await nodeUnder([])
  // Logs and creates in the constructor.
  const created = await node.send(0, {
    to: undefined,
    data: '0x5f5fa0600060005360015ff3',
    gas: '0x30d40',
  })
  await node.tick()
  const { contractAddress } = await node.call<{ contractAddress: Hex }>(
    'eth_getTransactionReceipt',
    created,
  )
  await node.call('preconf_faults', { rules: [{ kind: 'drop', address: contractAddress }] })
  expect((await node.seal()).dropped.map(({ hash }) => hash)).toEqual([created])
})

test('drop by the address of a contract that another one calls, if it logs', async () => {
  const node = await nodeUnder([])
  const [caller, emitter, silent]: Hex[] = ['c1', 'e1', '51'].map(
    (byte) => `0x${byte.repeat(20)}` as const,
  )
  const callOf = (to = '0x') => `5f5f5f5f5f73${to.slice(2)}5af150`
  await node.call('hardhat_setCode', caller, `0x${callOf(emitter)}${callOf(silent)}`)
  await node.call('hardhat_setCode', emitter, '0x5f5fa0')
  await node.call('hardhat_setCode', silent, '0x00')
  const hash = await node.send(0, { to: caller, gas: '0x30d40' })
  await node.tick()
  const rules = [silent, emitter].map((address) => ({ kind: 'drop', address }))
  await node.call('preconf_faults', { rules })
  const { dropped } = await node.seal()
  expect(dropped).toEqual([{ hash, reason: 'dropped by fault 1', preconfirmed: true }])
})

test('hold by the recipient', async () => {
  const node = await nodeUnder([{ kind: 'hold', address: account(3) }])
  await node.send(0, { to: account(3) })
  const other = await node.send(1)
  const { pending } = await node.tick()
  expect(pending.transactions.map(({ hash }) => hash)).toEqual([other])
})

test('a block that the rule does not name is left alone', async () => {
  const node = await nodeUnder([{ kind: 'drop', block: 2 }])
  const first = await node.send(0)
  await node.seal()
  expect(await node.block()).toEqual([first])
  await node.send(0)
  await node.seal()
  expect(await node.block()).toEqual([])
})

test('probability is drawn from the seed, once for each transaction', async () => {
  const dropped = async (seed: number) => {
    const node = await nodeUnder([{ kind: 'drop', probability: 0.5 }], { seed })
    for (let sender = 0; sender < 9; sender++) await node.send(sender)
    return (await node.seal()).dropped.map(({ hash }) => hash)
  }
  const [one, same, other] = [await dropped(1), await dropped(1), await dropped(2)]
  expect(one).toEqual(same)
  expect(one).not.toEqual(other)
  expect(one.length).toBeGreaterThan(0)
  expect(one.length).toBeLessThan(9)
})

test('hold keeps a transaction in the mempool, and the later ones of its sender', async () => {
  const node = await nodeUnder([{ kind: 'hold', from: account(0), nonce: 0 }])
  const [held, behind, other] = [await node.send(0), await node.send(0), await node.send(1)]
  for (let ticks = 0; ticks < 3; ticks++) {
    const { pending, mempool } = await node.tick()
    expect(pending.transactions.map(({ hash }) => hash)).toEqual([other])
    expect(mempool.runnable).toBe(2)
  }
  await node.seal()
  expect(await node.block()).toEqual([other])
  const status = await node.call<Status>('preconf_faults', { rules: [] })
  expect(status.faults).toBeUndefined()
  await node.seal()
  expect(await node.block()).toEqual([held, behind])
})

test('hold for some ticks, each of which passes the transaction by', async () => {
  const node = await nodeUnder([{ kind: 'hold', ticks: 2 }])
  const hash = await node.send(0)
  expect((await node.tick()).pending.transactions).toEqual([])
  expect((await node.tick()).pending.transactions).toEqual([])
  const { pending, ...status } = await node.tick()
  expect(pending.transactions.map((one) => one.hash)).toEqual([hash])
  expect(fired({ pending, ...status })).toEqual([1])
})

test('after the last tick of a hold, a seal takes the transaction', async () => {
  const node = await nodeUnder([{ kind: 'hold', ticks: 1 }])
  const hash = await node.send(0)
  expect((await node.tick()).pending.transactions).toEqual([])
  await node.seal()
  expect(await node.block()).toEqual([hash])
})
