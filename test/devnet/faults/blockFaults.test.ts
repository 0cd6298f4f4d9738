import { describe, expect, test } from 'vitest'
import type { FaultRule } from '../../../devnet/faults/types.ts'
import type { Hex } from '../../../devnet/primitives/hex.ts'
import type { Status } from '../../../devnet/types.ts'
import { expectAllLinked } from '../chain/linkage.ts'
import { fired, nodeUnder } from './faultyNode.ts'

test('default: reorder seals another order, in which those of one sender keep theirs', async () => {
  const node = await nodeUnder([{ kind: 'reorder' }])
  const hashes: Hex[] = []
  for (const sender of [0, 1, 0, 1, 2]) hashes.push(await node.send(sender))
  const { pending } = await node.tick()
  expect(pending.transactions.map(({ hash }) => hash)).toEqual(hashes)
  const status = await node.seal()
  const sealed = await node.block()
  expect(sealed).not.toEqual(hashes)
  expect(sealed.toSorted()).toEqual(hashes.toSorted())
  const places = hashes.map((hash) => sealed.indexOf(hash))
  expect(places[0]).toBeLessThan(places[2] ?? 0)
  expect(places[1]).toBeLessThan(places[3] ?? 0)
  expect(fired(status)).toEqual([1])
  // The receipts are those of the new order.
  const receipts = await node.call<{ transactionHash: Hex; transactionIndex: Hex }[]>(
    'eth_getBlockReceipts',
    'latest',
  )
  expect(receipts.map(({ transactionHash }) => transactionHash)).toEqual(sealed)
})

test('two transactions of two senders always change places', async () => {
  for (let seed = 1; seed < 9; seed++) {
    const node = await nodeUnder([{ kind: 'reorder' }], { seed })
    const hashes = [await node.send(0), await node.send(1)]
    await node.seal()
    expect(await node.block()).toEqual(hashes.toReversed())
  }
})

test('a filter tells of each log once, whatever was read before the order changed', async () => {
  const node = await nodeUnder([{ kind: 'reorder' }])
  const to: Hex = `0x${'e0'.repeat(20)}`
  // LOG0 without data.
  await node.call('hardhat_setCode', to, '0x60006000a000')
  const filter = await node.call<Hex>('eth_newFilter', { address: to, toBlock: 'pending' })
  const changes = async () => {
    const logs = await node.call<{ transactionHash: Hex }[]>('eth_getFilterChanges', filter)
    return logs.map(({ transactionHash }) => transactionHash)
  }
  const read = await node.send(0, { to })
  await node.tick()
  expect(await changes()).toEqual([read])
  const unread = await node.send(1, { to })
  await node.seal()
  expect(await node.block()).toEqual([unread, read])
  expect(await changes()).toEqual([unread])
  expect(await changes()).toEqual([])
})

test('a block without a choice of orders is no chance to fire', async () => {
  const node = await nodeUnder([{ kind: 'reorder', next: 1 }])
  const hashes = [await node.send(0), await node.send(0)]
  expect(fired(await node.seal())).toEqual([0])
  expect(await node.block()).toEqual(hashes)
})

test('what was sent before a command stays before it', async () => {
  const node = await nodeUnder([{ kind: 'reorder' }])
  const first = [await node.send(0), await node.send(1)]
  await node.call('hardhat_setBalance', node.account(5).address, '0x7')
  const second = [await node.send(2), await node.send(3)]
  await node.seal()
  expect(await node.block()).toEqual([...first.toReversed(), ...second.toReversed()])
  expect(await node.call('eth_getBalance', node.account(5).address)).toBe('0x7')
})

test('default: truncate seals without the last slice, which the next block takes', async () => {
  const node = await nodeUnder([{ kind: 'truncate', next: 1 }])
  const kept = await node.send(0)
  await node.tick()
  const lost = [await node.send(0), await node.send(1)]
  await node.tick()
  // A tick that took nothing is no slice.
  await node.tick()
  const { mempool, dropped } = await node.seal()
  expect(await node.block()).toEqual([kept])
  expect(mempool).toEqual({ runnable: 2, waiting: 0 })
  expect(dropped).toEqual([])
  expect(await node.receipt(lost[1] ?? '0x')).toBeNull()
  await node.seal()
  expect(await node.block()).toEqual(lost)
})

test('options: slices', async () => {
  const node = await nodeUnder([{ kind: 'truncate', slices: 2 }])
  const hashes: Hex[] = []
  for (let count = 0; count < 3; count++) {
    hashes.push(await node.send(count))
    await node.tick()
  }
  await node.seal()
  expect(await node.block()).toEqual(hashes.slice(0, 1))
})

test('a truncated block ends a read of its own writes', async () => {
  // Each block has room for one transfer, and loses it again.
  const node = await nodeUnder([{ kind: 'truncate' }], { gasLimit: 30_000, readOwnWrites: true })
  await node.send(0, { gas: '0x5208' })
  await node.send(1, { gas: '0x5208' })
  expect(await node.call('eth_getTransactionCount', node.account(0).address, 'pending')).toBe('0x0')
  const { latest } = await node.call<Status>('preconf_status')
  expect(latest.number).toBe(1)
})

test('in instant mode, truncate does nothing and drop refuses', async () => {
  const node = await nodeUnder([{ kind: 'truncate' }, { kind: 'drop', nonce: 1 }], {
    instant: true,
  })
  const hash = await node.send(0)
  expect(await node.block()).toEqual([hash])
  await expect(node.send(0)).rejects.toThrow('dropped by fault 1')
  expect(await node.block()).toEqual([])
})

describe('reorg', () => {
  test('default: the block just sealed is replaced, and its transactions wait again', async () => {
    const node = await nodeUnder([{ kind: 'reorg', block: 2, next: 1 }])
    const first = await node.send(0)
    await node.seal()
    const second = await node.send(0)
    const status = await node.seal()
    expect(fired(status)).toEqual([1])
    expect(status.latest.number).toBe(2)
    expect(await node.block('0x1')).toEqual([first])
    expect(await node.block('0x2')).toEqual([])
    expect(await node.receipt(second)).toBeNull()
    await node.seal()
    expect(await node.block('0x3')).toEqual([second])
  })

  test('options: depth, no deeper than the chain is', async () => {
    const node = await nodeUnder([{ kind: 'reorg', depth: 100, block: 3 }])
    const hashes: Hex[] = []
    for (let block = 0; block < 3; block++) {
      hashes.push(await node.send(0))
      await node.seal()
    }
    for (const number of ['0x1', '0x2', '0x3']) expect(await node.block(number)).toEqual([])
    await node.seal()
    expect(await node.block()).toEqual(hashes)
  })

  test('options: drops, also in instant mode', async () => {
    const node = await nodeUnder([{ kind: 'reorg', drops: true, block: 1 }], { instant: true })
    const reason = 'block 1, which held it, was reorganised'
    await expect(node.send(0)).rejects.toThrow(reason)
    const { latest, dropped } = await node.call<Status>('preconf_status')
    expect(latest.number).toBe(1)
    expect(dropped).toMatchObject([{ reason, preconfirmed: true }])
  })

  test('in instant mode, it fires only so', async () => {
    const node = await nodeUnder([{ kind: 'reorg' }], { instant: true })
    const hash = await node.send(0)
    expect(await node.block()).toEqual([hash])
    expect(fired(await node.call<Status>('preconf_status'))).toEqual([0])
  })

  test('a block that is always reorganised ends a read of its own writes', async () => {
    const options = { gasLimit: 30_000, readOwnWrites: true }
    const node = await nodeUnder([{ kind: 'reorg' }], options)
    await node.send(0, { gas: '0x5208' })
    await node.send(1, { gas: '0x5208' })
    await node.call('eth_getTransactionCount', node.account(0).address, 'pending')
    expect((await node.call<Status>('preconf_status')).latest.number).toBe(1)
  })

  test('subscriptions hear of it', async () => {
    const node = await nodeUnder([])
    const heads: number[] = []
    const logs: boolean[] = []
    node.chain.events.sealed.add(({ number }) => heads.push(number))
    node.chain.events.abandoned.add((blocks) => logs.push(blocks.length === 2))
    await node.seal()
    await node.seal()
    await node.call('preconf_faults', { rules: [{ kind: 'reorg', depth: 2, next: 1 }] })
    await node.seal()
    expect(heads).toEqual([1, 2, 3, 2, 3])
    expect(logs).toEqual([true])
  })
})

describe('deposits of the OP Stack', () => {
  async function rollupUnder(...rules: readonly FaultRule[]) {
    const node = await nodeUnder(rules, { profile: 'base-flashblocks', order: 'fifo' })
    const deposit = () =>
      node.call<Hex>('preconf_deposit', {
        from: `0x${'d0'.repeat(20)}`,
        to: node.account(9).address,
        mint: '0x1',
      })
    return { ...node, deposit }
  }

  test.each([false, true])('reorg leaves them in their blocks, drops %s', async (drops) => {
    const node = await rollupUnder({ kind: 'reorg', depth: 2, block: 2, drops })
    const first = await node.deposit()
    const lost = await node.send(0)
    await node.seal()
    const second = await node.deposit()
    const { dropped } = await node.seal()
    expect((await node.block('0x1')).slice(1)).toEqual([first])
    expect((await node.block('0x2')).slice(1)).toEqual([second])
    expect(dropped.map(({ hash }) => hash)).toEqual(drops ? [lost] : [])
    await node.seal()
    expect((await node.block()).slice(1)).toEqual(drops ? [] : [lost])
    expect(await node.receipt(first)).toMatchObject({ status: '0x1', depositNonce: '0x0' })
    expect(await node.receipt(second)).toMatchObject({ status: '0x1', depositNonce: '0x1' })
  })

  test('reorder moves none', async () => {
    const node = await rollupUnder({ kind: 'reorder' })
    const hashes: Hex[] = []
    for (const sender of [0, 1]) hashes.push(await node.send(sender))
    await node.tick()
    hashes.push(await node.deposit())
    for (const sender of [2, 3]) hashes.push(await node.send(sender))
    await node.seal()
    const sealed = (await node.block()).slice(1)
    expect(sealed).not.toEqual(hashes)
    expect(sealed.toSorted()).toEqual(hashes.toSorted())
    expect(sealed[2]).toBe(hashes[2])
  })
})

test('a node that stops amid a reorganisation has no fewer blocks', async () => {
  const node = await nodeUnder([])
  for (let block = 0; block < 60; block++) await node.seal()
  await node.call('preconf_faults', { rules: [{ kind: 'reorg', depth: 50 }] })
  let replaced = 0
  const stopping = Promise.withResolvers<void>()
  node.chain.events.sealed.add(({ number }) => {
    // The 61st block, then its replacements from the 12th on.
    if (number === 61 || ++replaced !== 3) return
    node.clocks.stop()
    stopping.resolve(node.chain.close())
  })
  await node.seal()
  await stopping.promise
  expect(node.chain.head.number).toBe(61)
  expectAllLinked(node.chain)
})
