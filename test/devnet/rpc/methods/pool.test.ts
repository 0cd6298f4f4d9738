import { getAddress } from 'viem'
import { expect, test } from 'vitest'
import { createRpcChain } from './rpcChain.ts'

/** From account 0: one pre-confirmed, one runnable; from account 1: one behind a gap. */
async function createPool() {
  const node = await createRpcChain()
  const { call, account } = node
  const alice = account(0).address
  const bob = account(1).address
  const send = (fields: object) =>
    call<string>('eth_sendTransaction', { gas: '0xf4240', gasPrice: '0x77359400', ...fields })
  const preconfirmed = await send({ from: alice, to: bob, value: '0x5' })
  await call('preconf_advance', { ticks: 1 })
  const runnable = await send({ from: alice, data: '0x6001' })
  const queued = await send({ from: bob, to: alice, nonce: '0x3' })
  /** In the pool form, which the pre-confirmed one has left. */
  const transaction = async (hash: string) => ({
    ...(await call<object>('eth_getTransactionByHash', hash)),
    blockHash: null,
    blockNumber: null,
    blockTimestamp: null,
    transactionIndex: null,
  })
  return { ...node, alice, bob, preconfirmed, runnable, queued, transaction }
}

test('default: txpool_status', async () => {
  const { call } = await createPool()
  expect(await call('txpool_status')).toEqual({ pending: '0x2', queued: '0x1' })
  await call('preconf_advance', { blocks: 1 })
  expect(await call('txpool_status')).toEqual({ pending: '0x0', queued: '0x1' })
})

test('default: txpool_content, each as eth_getTransactionByHash has it in the mempool', async () => {
  const { call, alice, bob, preconfirmed, runnable, queued, transaction } = await createPool()
  expect(await call('txpool_content')).toEqual({
    pending: {
      [getAddress(alice)]: {
        0: await transaction(preconfirmed),
        1: await transaction(runnable),
      },
    },
    queued: { [getAddress(bob)]: { 3: await transaction(queued) } },
  })
})

test('default: txpool_contentFrom', async () => {
  const { call, alice, bob, preconfirmed, runnable, queued, transaction, account } =
    await createPool()
  expect(await call('txpool_contentFrom', getAddress(alice))).toEqual({
    pending: { 0: await transaction(preconfirmed), 1: await transaction(runnable) },
    queued: {},
  })
  expect(await call('txpool_contentFrom', bob)).toEqual({
    pending: {},
    queued: { 3: await transaction(queued) },
  })
  expect(await call('txpool_contentFrom', account(5).address)).toEqual({ pending: {}, queued: {} })
})

test('default: txpool_inspect', async () => {
  const { call, alice, bob } = await createPool()
  expect(await call('txpool_inspect')).toEqual({
    pending: {
      [getAddress(alice)]: {
        0: `${getAddress(bob)}: 5 wei + 1000000 gas × 2000000000 wei`,
        1: 'contract creation: 0 wei + 1000000 gas × 2000000000 wei',
      },
    },
    queued: {
      [getAddress(bob)]: { 3: `${getAddress(alice)}: 0 wei + 1000000 gas × 2000000000 wei` },
    },
  })
})

test('default: eth_pendingTransactions', async () => {
  const { call, preconfirmed, runnable, queued, transaction } = await createPool()
  expect(await call('eth_pendingTransactions')).toEqual([
    await transaction(preconfirmed),
    await transaction(runnable),
    await transaction(queued),
  ])
})
