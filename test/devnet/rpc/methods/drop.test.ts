import { expect, test } from 'vitest'
import type { Hex } from '../../../../devnet/primitives/hex.ts'
import type { Status } from '../../../../devnet/types.ts'
import { createRpcChain } from './rpcChain.ts'

/** Three pre-confirmed transactions of account 0, one of account 1, and one of account 0 that waits. */
async function createBusy() {
  const node = await createRpcChain()
  const { call, account } = node
  const [first, second] = [account(0).address, account(1).address]
  const send = (from: Hex, value: Hex) =>
    call<Hex>('eth_sendTransaction', { from, to: from, value, gas: '0x5208' })
  const own = [await send(first, '0x1'), await send(first, '0x2'), await send(first, '0x3')]
  const other = await send(second, '0x4')
  await call('preconf_advance', { ticks: 1 })
  const waiting = await send(first, '0x5')
  return { ...node, first, second, send, own, other, waiting }
}

const preconfirmed = async ({ call }: { call: <Result>(method: string) => Promise<Result> }) =>
  (await call<Status>('preconf_status')).pending.transactions.map(({ hash }) => hash)

test('default: one that waits', async () => {
  const node = await createBusy()
  expect(await node.call('hardhat_dropTransaction', node.waiting)).toBe(true)
  expect(await node.call('eth_getTransactionByHash', node.waiting)).toBeNull()
  expect(await preconfirmed(node)).toEqual([...node.own, node.other])
  expect(await node.call('preconf_status')).toMatchObject({
    mempool: { runnable: 0, waiting: 0 },
    dropped: [{ hash: node.waiting, reason: 'dropped by hardhat_dropTransaction' }],
  })
})

test('a pre-confirmed one: the others are executed anew, its followers wait for its nonce', async () => {
  const node = await createBusy()
  const { call, own, other, first, waiting } = node
  expect(await call('hardhat_dropTransaction', own[1])).toBe(true)
  expect(await preconfirmed(node)).toEqual([own[0], other])
  expect(await call('eth_getTransactionReceipt', own[1])).toBeNull()
  expect(await call('eth_getTransactionCount', first, 'pending')).toBe('0x1')
  // The other has moved up, in its receipt, too.
  expect(await call('eth_getTransactionReceipt', other)).toMatchObject({
    transactionIndex: '0x1',
    cumulativeGasUsed: '0xa410',
  })
  expect(await call('preconf_status')).toMatchObject({
    mempool: { runnable: 0, waiting: 2 },
    dropped: [{ hash: own[1] }],
    reexecuted: [other],
  })
  const again = await node.send(first, '0x9')
  await call('evm_mine')
  const { transactions } = await call<{ transactions: Hex[] }>('eth_getBlockByNumber', 'latest')
  expect(transactions).toEqual([own[0], other, again, own[2], waiting])
})

test('a dropped one can be sent again', async () => {
  const node = await createBusy()
  const raw = await node.call('eth_getRawTransactionByHash', node.other)
  await node.call('hardhat_dropTransaction', node.other)
  expect(await node.call('eth_sendRawTransaction', raw)).toBe(node.other)
  await node.call('evm_mine')
  expect(await node.call('eth_getTransactionReceipt', node.other)).toMatchObject({ status: '0x1' })
})

test('one that is not there, and one that is sealed', async () => {
  const node = await createBusy()
  const nowhere: Hex = `0x${'11'.repeat(32)}`
  expect(await node.call('hardhat_dropTransaction', nowhere)).toBe(false)
  await node.call('preconf_seal')
  expect(await node.failure('hardhat_dropTransaction', node.other)).toEqual({
    code: -32602,
    message: `Transaction ${node.other} cannot be dropped because it's already mined`,
  })
  expect(await node.call('anvil_dropTransaction', node.other)).toBeNull()
  expect(await node.call('anvil_dropTransaction', nowhere)).toBeNull()
  expect(await node.call('anvil_dropTransaction', node.waiting)).toBe(node.waiting)
})

test('default: hardhat_removePoolTransactions', async () => {
  const node = await createBusy()
  expect(await node.call('hardhat_removePoolTransactions', node.first)).toBe(true)
  expect(await preconfirmed(node)).toEqual([node.other])
  expect(await node.call('txpool_status')).toEqual({ pending: '0x1', queued: '0x0' })
  expect(await node.call('anvil_removePoolTransactions', node.first)).toBeNull()
})

test('default: hardhat_dropAllTransactions', async () => {
  const node = await createBusy()
  expect(await node.call('hardhat_dropAllTransactions')).toBe(true)
  expect(await preconfirmed(node)).toEqual([])
  expect(await node.call('txpool_status')).toEqual({ pending: '0x0', queued: '0x0' })
  await node.call('evm_mine')
  expect(await node.call('eth_getBlockByNumber', 'latest')).toMatchObject({
    number: '0x1',
    transactions: [],
  })
  expect(await node.call('eth_getTransactionCount', node.first, 'pending')).toBe('0x0')
})
