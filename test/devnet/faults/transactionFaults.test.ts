import { expect, test } from 'vitest'
import type { FaultRule } from '../../../devnet/faults/types.ts'
import type { Hex } from '../../../devnet/primitives/hex.ts'
import type { Status } from '../../../devnet/types.ts'
import { createRpcChain, SLOW_CLOCKS } from '../rpc/methods/rpcChain.ts'

/** A node under rules, whose clocks beat only by command. */
async function nodeUnder(rules: readonly FaultRule[], seed?: number) {
  const node = await createRpcChain(SLOW_CLOCKS)
  const { account, call } = node
  await call('preconf_faults', { rules, seed })
  return {
    ...node,
    send: (from: number, request: object = {}) =>
      call<Hex>('eth_sendTransaction', {
        from: account(from).address,
        to: account(9).address,
        ...request,
      }),
    tick: () => call<Status>('preconf_advance', { ticks: 1 }),
    seal: () => call<Status>('preconf_seal'),
    latest: async () => {
      const block = await call<{ transactions: Hex[] }>('eth_getBlockByNumber', 'latest', false)
      return block.transactions
    },
    receipt: (hash: Hex) => call<object | null>('eth_getTransactionReceipt', hash),
  }
}

const fired = ({ faults }: Status) => faults?.rules.map((rule) => rule.fired)

test('default: drop takes a pre-confirmed transaction out of its block at the seal', async () => {
  const node = await nodeUnder([{ kind: 'drop', next: 1 }])
  const [lost, kept] = [await node.send(0), await node.send(1)]
  const { pending } = await node.tick()
  expect(pending.transactions.map(({ hash }) => hash)).toEqual([lost, kept])
  expect(await node.receipt(lost)).toMatchObject({ transactionHash: lost })
  const status = await node.seal()
  expect(await node.latest()).toEqual([kept])
  expect(await node.receipt(lost)).toBeNull()
  expect(status.dropped).toEqual([{ hash: lost, reason: 'dropped by fault 0', preconfirmed: true }])
  expect(status.reexecuted).toEqual([kept])
  expect(fired(status)).toEqual([1])
})

test('behavior: drop at a tick takes it back in the tick after its own', async () => {
  const node = await nodeUnder([{ kind: 'drop', at: 'tick', next: 1 }])
  const hash = await node.send(0)
  expect((await node.tick()).pending.transactions).toHaveLength(1)
  const { pending, dropped } = await node.tick()
  expect(pending.transactions).toEqual([])
  expect(dropped).toMatchObject([{ hash, preconfirmed: true }])
})

test('behavior: a later transaction of the sender waits for the nonce of a dropped one', async () => {
  const node = await nodeUnder([{ kind: 'drop', nonce: 0, from: account(0) }])
  const [first, second] = [await node.send(0), await node.send(0)]
  await node.tick()
  const { mempool, dropped } = await node.seal()
  expect(await node.latest()).toEqual([])
  expect(mempool).toEqual({ runnable: 0, waiting: 1 })
  expect(dropped).toMatchObject([{ hash: first }])
  expect(await node.call('eth_getTransactionByHash', second)).toMatchObject({ blockNumber: null })
})

test.each([
  ['from', () => ({ from: account(1) }), 1],
  ['nonce', () => ({ nonce: 1 }), 2],
  ['hash', (hashes: readonly Hex[]) => ({ hash: hashes[0] }), 0],
  ['address', () => ({ address: account(7) }), 2],
  ['tick', () => ({ tick: 1 }), 2],
] as const)('behavior: drop by %s', async (_name, limit, index) => {
  const node = await nodeUnder([])
  const hashes = [await node.send(0), await node.send(1)]
  await node.tick()
  hashes.push(await node.send(0, { to: account(7) }))
  await node.tick()
  await node.call('preconf_faults', { rules: [{ kind: 'drop', ...limit(hashes) }] })
  const { dropped } = await node.seal()
  expect(dropped.map(({ hash }) => hash)).toEqual([hashes[index]])
})

test('behavior: drop by the address of a log or of a created contract', async () => {
  const node = await nodeUnder([])
  // Logs and creates in the constructor.
  const created = await node.send(0, {
    to: undefined,
    data: '0x5f5fa0600060005360015ff3',
    gas: '0x30d40',
  })
  await node.tick()
  const { contractAddress } = (await node.receipt(created)) as { contractAddress: Hex }
  await node.call('preconf_faults', { rules: [{ kind: 'drop', address: contractAddress }] })
  expect((await node.seal()).dropped.map(({ hash }) => hash)).toEqual([created])
})

test('behavior: a block that the rule does not name is left alone', async () => {
  const node = await nodeUnder([{ kind: 'drop', block: 2 }])
  const first = await node.send(0)
  await node.seal()
  expect(await node.latest()).toEqual([first])
  await node.send(0)
  await node.seal()
  expect(await node.latest()).toEqual([])
})

test('behavior: probability is drawn from the seed, once for each transaction', async () => {
  const dropped = async (seed: number) => {
    const node = await nodeUnder([{ kind: 'drop', probability: 0.5 }], seed)
    for (let sender = 0; sender < 9; sender++) await node.send(sender)
    return (await node.seal()).dropped.map(({ hash }) => hash)
  }
  const [one, same, other] = [await dropped(1), await dropped(1), await dropped(2)]
  expect(one).toEqual(same)
  expect(one).not.toEqual(other)
  expect(one.length).toBeGreaterThan(0)
  expect(one.length).toBeLessThan(9)
})

test('behavior: hold keeps a transaction in the mempool, and the later ones of its sender', async () => {
  const node = await nodeUnder([{ kind: 'hold', from: account(0), nonce: 0 }])
  const [held, behind, other] = [await node.send(0), await node.send(0), await node.send(1)]
  for (let ticks = 0; ticks < 3; ticks++) {
    const { pending, mempool } = await node.tick()
    expect(pending.transactions.map(({ hash }) => hash)).toEqual([other])
    expect(mempool.runnable).toBe(2)
  }
  await node.seal()
  expect(await node.latest()).toEqual([other])
  const status = await node.call<Status>('preconf_faults', { rules: [] })
  expect(status.faults).toBeUndefined()
  await node.seal()
  expect(await node.latest()).toEqual([held, behind])
})

test('behavior: hold for some ticks, each of which passes the transaction by', async () => {
  const node = await nodeUnder([{ kind: 'hold', ticks: 2 }])
  const hash = await node.send(0)
  expect((await node.tick()).pending.transactions).toEqual([])
  expect((await node.tick()).pending.transactions).toEqual([])
  const { pending, ...status } = await node.tick()
  expect(pending.transactions.map((one) => one.hash)).toEqual([hash])
  expect(fired({ pending, ...status })).toEqual([1])
})

test('behavior: after the last tick of a hold, a seal takes the transaction', async () => {
  const node = await nodeUnder([{ kind: 'hold', ticks: 1 }])
  const hash = await node.send(0)
  expect((await node.tick()).pending.transactions).toEqual([])
  await node.seal()
  expect(await node.latest()).toEqual([hash])
})

function account(index: number): Hex {
  return ACCOUNTS[index] ?? '0x'
}

/** Those of the default mnemonic. */
const ACCOUNTS: readonly Hex[] = [
  '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266',
  '0x70997970c51812dc3a010c7d01b50e0d17dc79c8',
  '0x3c44cdddb6a900fa2b585dd299e03d12fa4293bc',
  '0x90f79bf6eb2c4f870365e785982e1f101e93b906',
  '0x15d34aaf54267db7d7c367839aaf71a00a2c6a65',
  '0x9965507d1a55bcc2695c58ba16fb37d819b0a4dc',
  '0x976ea74026e726554db657fa54763abd0c3a0aa9',
  '0x14dc79964da2c08b23698b3d3cc7ca32193d9955',
]
