import { expect, test } from 'vitest'
import { createRpcChain, hex } from './rpcChain.ts'

/** A transfer of 5 wei from account 0 to account 1 is pre-confirmed. */
async function createPreconfirmed() {
  const node = await createRpcChain()
  const from = node.account(0).address
  const to = node.account(1).address
  await node.call('eth_sendTransaction', { from, to, value: '0x5' })
  await node.call('preconf_advance', { ticks: 1 })
  return { ...node, from, to }
}

test('default: after latest, and with pending after what is pre-confirmed', async () => {
  const { call, chain, from, to } = await createPreconfirmed()
  const value = await call<string>('eth_getBalance', to, 'pending')
  const payload = { blockStateCalls: [{ calls: [{ from: to, to: from, value }] }] }
  const result = [
    {
      number: '0x1',
      parentHash: chain.head.hash,
      stateRoot: `0x${'0'.repeat(64)}`,
      calls: [{ status: '0x1', gasUsed: hex(21_000) }],
    },
  ]
  expect(await call('eth_simulateV1', payload, 'pending')).toMatchObject(result)
  // The 5 wei are not there before the seal.
  await expect(call('eth_simulateV1', payload, 'latest')).rejects.toMatchObject({ code: -38014 })
  await expect(call('eth_simulateV1', payload)).rejects.toMatchObject({ code: -38014 })
  expect(chain.pending.executed.length).toBe(1)
})

test('args: returnFullTransactions', async () => {
  const { call, from, to } = await createPreconfirmed()
  const blockStateCalls = [{ calls: [{ from, to, value: '0x1' }] }]
  const [hashes] = await call<[{ transactions: string[]; hash: string }]>(
    'eth_simulateV1',
    { blockStateCalls },
    'pending',
  )
  const [full] = await call<[{ transactions: object[] }]>(
    'eth_simulateV1',
    { blockStateCalls, returnFullTransactions: true },
    'pending',
  )
  expect(full.transactions).toMatchObject([
    {
      hash: hashes.transactions[0],
      blockHash: hashes.hash,
      blockNumber: '0x1',
      transactionIndex: '0x0',
      from,
      to,
      value: '0x1',
      type: '0x2',
      nonce: '0x1',
      v: '0x0',
      r: '0x0',
      s: '0x0',
    },
  ])
})

test('args: unknown block', async () => {
  const { failure } = await createRpcChain()
  expect(await failure('eth_simulateV1', { blockStateCalls: [{}] }, '0x64')).toEqual({
    code: -32000,
    message: 'header not found',
  })
})

test('args: limits are those of the options', async () => {
  const { failure } = await createRpcChain({ simulateBlocks: 2 })
  expect(await failure('eth_simulateV1', { blockStateCalls: [{}, {}, {}] })).toMatchObject({
    code: -38026,
  })
})
