import { privateKeyToAccount } from 'viem/accounts'
import { expect, test } from 'vitest'
import type { Hex } from '../../../devnet/primitives/hex.ts'
import { EMITTER } from './emitterChain.ts'
import { createSubscribed } from './subscribedChain.ts'

interface Shred {
  readonly blockNumber: number
  readonly shredIdx: number
  readonly startingLogIndex: number
  readonly transactions: readonly {
    readonly transaction: { readonly hash: Hex; readonly signer: Hex }
    readonly receipt: { readonly status: Hex; readonly logs: readonly object[] }
  }[]
  readonly stateChanges: Readonly<Record<Hex, { nonce: number; storage: object; newCode: unknown }>>
}

const ZERO = `0x${'00'.repeat(32)}`

test('shreds: each tick that took transactions, with their receipts', async () => {
  const { subscribe, results, emit, tick, seal, call } = await createSubscribed({ profile: 'rise' })
  const id = await subscribe('shreds')
  const first = await emit(1)
  await tick()
  await tick()
  const second = await emit(2)
  await tick()
  await seal()
  const shreds = results<Shred>(id)
  expect(shreds).toMatchObject([
    {
      blockNumber: 1,
      shredIdx: 0,
      startingLogIndex: 0,
      transactions: [{ transaction: { hash: first }, receipt: { status: '0x1' } }],
      stateChanges: {},
    },
    { blockNumber: 1, shredIdx: 1, transactions: [{ transaction: { hash: second } }] },
  ])
  const { logs, from } = await call<{ logs: object[]; from: Hex }>(
    'eth_getTransactionReceipt',
    second,
  )
  expect(shreds[1]).toMatchObject({ startingLogIndex: logs.length })
  expect(shreds[1]?.transactions[0]?.receipt.logs.length).toBe(logs.length)
  expect(shreds[1]?.transactions[0]?.transaction.signer).toBe(from)
})

test('shreds: with true, the accounts after it, and the code of those that were created', async () => {
  const { subscribe, results, call, tick, account } = await createSubscribed({ profile: 'rise' })
  const id = await subscribe('shreds', true)
  const alice = account(0).address
  // Stores 1 in slot 0 and returns one byte of code, STOP.
  const data = '0x60015f5560015ff3'
  await call('eth_sendTransaction', { from: alice, data, gas: '0x30000' })
  await tick()
  const [shred] = results<Shred>(id)
  const changes = Object.entries(shred?.stateChanges ?? {})
  expect(changes.find(([address]) => address === alice)?.[1]).toMatchObject({
    nonce: 1,
    newCode: null,
    storage: {},
  })
  expect(changes.filter(([, { newCode }]) => newCode !== null)).toMatchObject([
    [
      expect.any(String),
      { nonce: 1, newCode: '0x00', storage: { [ZERO]: `${ZERO.slice(0, -1)}1` } },
    ],
  ])
})

test('shreds: a delegation is new code, once; other changes of its account are none', async () => {
  const { subscribe, results, call, tick, account } = await createSubscribed({ profile: 'rise' })
  const id = await subscribe('shreds', true)
  const signer = privateKeyToAccount(account(0).privateKey)
  const shared = { chainId: 31337, to: signer.address, gas: 100_000n, maxFeePerGas: 10n ** 10n }
  const delegation = { chainId: 31337, address: EMITTER, nonce: 1 }
  const authorizationList = [await signer.signAuthorization(delegation)]
  for (const fields of [{ nonce: 0, authorizationList }, { nonce: 2 }] as const) {
    await call('eth_sendRawTransaction', await signer.signTransaction({ ...shared, ...fields }))
    await tick()
  }
  const codes = results<Shred>(id).map(({ stateChanges }) => stateChanges[account(0).address])
  expect(codes).toMatchObject([
    { nonce: 2, newCode: `0xef0100${EMITTER.slice(2)}` },
    { nonce: 3, newCode: null },
  ])
})

test('logs come with their tick, without a block hash; the receipt has 32 zero bytes', async () => {
  const { subscribe, results, emit, tick, seal, call } = await createSubscribed({ profile: 'rise' })
  const id = await subscribe('logs', { address: EMITTER })
  const hash = await emit(1)
  await tick()
  const logs = results<object>(id)
  expect(logs).toMatchObject([
    { blockHash: null, blockNumber: '0x1', removed: false },
    { blockHash: null },
  ])
  expect(await call('eth_getTransactionReceipt', hash)).toMatchObject({ blockHash: ZERO })
  expect(await call('eth_getTransactionByHash', hash)).toMatchObject({
    blockHash: null,
    blockNumber: null,
  })
  await seal()
  expect(results(id).length).toBe(logs.length)
})

test('error: RISE has no kinds of Base', async () => {
  const { subscribe } = await createSubscribed({ profile: 'rise' })
  await expect(subscribe('newFlashblocks')).rejects.toMatchObject({ code: -32602 })
  await expect(subscribe('shreds', 'all')).rejects.toMatchObject({ code: -32602 })
})
