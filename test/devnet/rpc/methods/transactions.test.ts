import { privateKeyToAccount } from 'viem/accounts'
import { expect, test } from 'vitest'
import type { FormattedTransaction } from '../../../../devnet/json/formatTransaction.ts'
import type { FormattedReceipt } from '../../../../devnet/json/receiptForm.ts'
import type { Hex } from '../../../../devnet/primitives/hex.ts'
import { START } from '../../../support/chain.ts'
import { createRpcChain, hex, type RpcChain, ZERO_BLOOM, ZERO_HASH } from './rpcChain.ts'

const BASE_FEE = 875_000_000n
const GWEI = 1_000_000_000n
const SLOT: Hex = `0x${'0'.repeat(63)}1`
const BLOB: Hex = `0x01${'ab'.repeat(31)}`

/** One transaction of each type, signed by viem. */
async function signAll({ account }: RpcChain) {
  const sender = privateKeyToAccount(account(0).privateKey)
  const to = account(1).address
  const authority = privateKeyToAccount(account(2).privateKey)
  const authorization = await authority.signAuthorization({
    chainId: 31_337,
    address: to,
    nonce: 0,
  })
  const base = { chainId: 31_337, to, value: 7n, data: '0x0102', gas: 100_000n } as const
  const fees = { maxFeePerGas: 3n * GWEI, maxPriorityFeePerGas: GWEI / 2n } as const
  const accessList = [{ address: to, storageKeys: [SLOT] }]
  const raws = [
    await sender.signTransaction({ ...base, type: 'legacy', nonce: 0, gasPrice: 2n * GWEI }),
    await sender.signTransaction({
      ...base,
      type: 'eip2930',
      nonce: 1,
      gasPrice: 2n * GWEI,
      accessList,
    }),
    await sender.signTransaction({ ...base, type: 'eip1559', nonce: 2, ...fees, accessList }),
    await sender.signTransaction({
      ...base,
      type: 'eip4844',
      nonce: 3,
      ...fees,
      maxFeePerBlobGas: 5n,
      blobVersionedHashes: [BLOB],
    }),
    await sender.signTransaction({
      ...base,
      type: 'eip7702',
      nonce: 4,
      ...fees,
      authorizationList: [authorization],
    }),
  ]
  return { raws, to, authorization, accessList, from: account(0).address }
}

async function createWithAll() {
  const node = await createRpcChain()
  const signed = await signAll(node)
  const hashes: string[] = []
  for (const raw of signed.raws) hashes.push(await node.call('eth_sendRawTransaction', raw))
  const transaction = (index: number) =>
    node.call<FormattedTransaction & { yParity?: Hex }>('eth_getTransactionByHash', hashes[index])
  const receipt = (index: number) =>
    node.call<FormattedReceipt>('eth_getTransactionReceipt', hashes[index])
  return { ...node, ...signed, hashes, transaction, receipt }
}

test('default: pool form, pre-confirmed and sealed, of every type', async () => {
  const { call, chain, transaction, raws, hashes } = await createWithAll()
  const queued = await Promise.all(raws.map((_, index) => transaction(index)))
  await call('preconf_advance', { ticks: 1 })
  const preconfirmed = await Promise.all(raws.map((_, index) => transaction(index)))
  await call('preconf_seal')
  const sealed = await Promise.all(raws.map((_, index) => transaction(index)))
  for (const [index, one] of preconfirmed.entries()) {
    expect(one).toMatchObject({
      hash: hashes[index],
      type: hex(index),
      nonce: hex(index),
      blockHash: null,
      blockNumber: '0x1',
      blockTimestamp: hex(START + 2),
      transactionIndex: hex(index),
    })
    expect(sealed[index]).toEqual({ ...one, blockHash: chain.head.hash })
    expect(queued[index]).toEqual({
      ...one,
      blockNumber: null,
      blockTimestamp: null,
      transactionIndex: null,
      gasPrice: one.maxFeePerGas ?? one.gasPrice,
    })
  }
})

test('fields of each type', async () => {
  const { call, transaction, to, from, accessList, authorization } = await createWithAll()
  await call('preconf_advance', { ticks: 1 })
  const signature = { v: expect.anything(), r: expect.anything(), s: expect.anything() }
  const common = (index: number) => ({
    blockHash: null,
    blockNumber: '0x1',
    blockTimestamp: hex(START + 2),
    from,
    gas: hex(100_000),
    hash: expect.anything(),
    input: '0x0102',
    nonce: hex(index),
    to,
    transactionIndex: hex(index),
    value: '0x7',
    type: hex(index),
    chainId: '0x7a69',
    ...signature,
  })
  const fees = {
    gasPrice: hex(BASE_FEE + GWEI / 2n),
    maxFeePerGas: hex(3n * GWEI),
    maxPriorityFeePerGas: hex(GWEI / 2n),
  }
  const yParity = expect.stringMatching(/^0x[01]$/)
  const legacy = await transaction(0)
  expect(legacy).toEqual({ ...common(0), gasPrice: hex(2n * GWEI) })
  expect(['0xf4f5', '0xf4f6']).toContain(legacy.v)
  expect(await transaction(1)).toEqual({
    ...common(1),
    gasPrice: hex(2n * GWEI),
    accessList,
    yParity,
  })
  expect(await transaction(2)).toEqual({ ...common(2), ...fees, accessList, yParity })
  expect(await transaction(3)).toEqual({
    ...common(3),
    ...fees,
    maxFeePerBlobGas: '0x5',
    accessList: [],
    blobVersionedHashes: [BLOB],
    yParity,
  })
  const delegation = await transaction(4)
  expect(delegation).toEqual({
    ...common(4),
    ...fees,
    accessList: [],
    authorizationList: [
      {
        chainId: '0x7a69',
        address: to,
        nonce: '0x0',
        yParity: hex(authorization.yParity ?? 0),
        r: hex(BigInt(authorization.r)),
        s: hex(BigInt(authorization.s)),
      },
    ],
    yParity,
  })
  expect(delegation.v).toBe(delegation.yParity)
})

test('keys in the order of the recordings of execution-apis', async () => {
  const { call, transaction, receipt } = await createWithAll()
  await call('preconf_advance', { ticks: 1 })
  expect(Object.keys(await transaction(3))).toEqual([
    'blockHash',
    'blockNumber',
    'blockTimestamp',
    'from',
    'gas',
    'gasPrice',
    'maxFeePerGas',
    'maxPriorityFeePerGas',
    'maxFeePerBlobGas',
    'hash',
    'input',
    'nonce',
    'to',
    'transactionIndex',
    'value',
    'type',
    'accessList',
    'chainId',
    'blobVersionedHashes',
    'v',
    'r',
    's',
    'yParity',
  ])
  expect(Object.keys(await receipt(3))).toEqual([
    'blobGasPrice',
    'blobGasUsed',
    'blockHash',
    'blockNumber',
    'contractAddress',
    'cumulativeGasUsed',
    'effectiveGasPrice',
    'from',
    'gasUsed',
    'logs',
    'logsBloom',
    'status',
    'to',
    'transactionHash',
    'transactionIndex',
    'type',
  ])
})

test('default: receipts, pre-confirmed and sealed', async () => {
  const { call, chain, receipt, raws, hashes, from, to } = await createWithAll()
  expect(await receipt(0)).toBeNull()
  await call('preconf_advance', { ticks: 1 })
  const preconfirmed = await Promise.all(raws.map((_, index) => receipt(index)))
  expect(preconfirmed[0]).toEqual({
    blockHash: ZERO_HASH,
    blockNumber: '0x1',
    contractAddress: null,
    // The floor of the call data (EIP-7623): 40 for each byte that is not zero.
    cumulativeGasUsed: hex(21_080),
    effectiveGasPrice: hex(2n * GWEI),
    from,
    gasUsed: hex(21_080),
    logs: [],
    logsBloom: ZERO_BLOOM,
    status: '0x1',
    to,
    transactionHash: hashes[0],
    transactionIndex: '0x0',
    type: '0x0',
  })
  expect(preconfirmed[3]).toMatchObject({
    type: '0x3',
    blobGasPrice: '0x1',
    blobGasUsed: hex(131_072),
    effectiveGasPrice: hex(BASE_FEE + GWEI / 2n),
  })
  expect(await call('eth_getBlockReceipts', 'pending')).toEqual(preconfirmed)
  await call('preconf_seal')
  const sealed = preconfirmed.map((one) => ({ ...one, blockHash: chain.head.hash }))
  expect(await Promise.all(raws.map((_, index) => receipt(index)))).toEqual(sealed)
  expect(await call('eth_getBlockReceipts', 'latest')).toEqual(sealed)
  expect(await call('eth_getBlockReceipts', chain.head.hash)).toEqual(sealed)
  expect(await call('eth_getBlockReceipts', { blockHash: chain.head.hash })).toEqual(sealed)
  expect(await call('eth_getBlockReceipts', 'pending')).toEqual([])
})

test('receipts of creations, and of what failed', async () => {
  const { call, account } = await createRpcChain()
  const from = account(0).address
  const created = await call('eth_sendTransaction', { from, data: '0x6001600155' })
  // PUSH1 0, PUSH1 0, REVERT.
  const failed = await call('eth_sendTransaction', { from, data: '0x60006000fd' })
  await call('preconf_advance', { ticks: 1 })
  expect(await call('eth_getTransactionReceipt', created)).toMatchObject({
    contractAddress: '0x5fbdb2315678afecb367f032d93f642f64180aa3',
    to: null,
    status: '0x1',
  })
  expect(await call('eth_getTransactionReceipt', failed)).toMatchObject({
    contractAddress: '0xe7f1725e7734ce288f8367e1bb143e90bb3f0512',
    to: null,
    status: '0x0',
    logs: [],
  })
})

test('default: raw bytes', async () => {
  const { call, raws, hashes } = await createWithAll()
  const raw = (index: number) => call('eth_getRawTransactionByHash', hashes[index])
  const all = async () => await Promise.all(raws.map((_, index) => raw(index)))
  expect(await all()).toEqual(raws)
  await call('preconf_advance', { ticks: 1 })
  expect(await all()).toEqual(raws)
  await call('preconf_seal')
  expect(await all()).toEqual(raws)
})

test('null for an unknown hash', async () => {
  const { call } = await createRpcChain()
  const unknown = `0x${'ab'.repeat(32)}`
  expect([
    await call('eth_getTransactionByHash', unknown),
    await call('eth_getTransactionReceipt', unknown),
    await call('eth_getRawTransactionByHash', unknown),
  ]).toEqual([null, null, null])
})
