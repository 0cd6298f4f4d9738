import { keccak256, parseTransaction } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { expect, test } from 'vitest'
import type { Hex } from '../../../../devnet/primitives/hex.ts'
import { createRpcChain, hex } from './rpcChain.ts'

const GWEI = 1_000_000_000n
/** Of the first pending block. */
const BASE_FEE = 875_000_000n
const SLOT: Hex = `0x${'0'.repeat(63)}1`

interface Filled {
  readonly raw: `0x02${string}`
  readonly tx: Readonly<Record<string, unknown>>
}

async function createFiller() {
  const node = await createRpcChain()
  const from = node.account(0).address
  const to = node.account(1).address
  const fill = (fields: object = {}) =>
    node.call<Filled>('eth_fillTransaction', { from, to, ...fields })
  const refuse = (fields: object) => node.failure('eth_fillTransaction', { from, to, ...fields })
  return { ...node, from, to, fill, refuse }
}

test('default: what is left out, and the unsigned bytes', async () => {
  const { fill, from, to, chain } = await createFiller()
  const { raw, tx } = await fill({ value: '0x5' })
  expect(tx).toEqual({
    type: '0x2',
    chainId: '0x7a69',
    nonce: '0x0',
    from,
    to,
    gas: hex(21_000),
    gasPrice: null,
    maxPriorityFeePerGas: hex(GWEI),
    maxFeePerGas: hex(2n * BASE_FEE + GWEI),
    value: '0x5',
    input: '0x',
    accessList: [],
    v: '0x0',
    r: '0x0',
    s: '0x0',
    yParity: '0x0',
    hash: keccak256(raw),
  })
  expect(parseTransaction(raw)).toMatchObject({
    type: 'eip1559',
    chainId: 31_337,
    gas: 21_000n,
    maxFeePerGas: 2n * BASE_FEE + GWEI,
    to,
    value: 5n,
  })
  expect(chain.mempool.size).toBe(0)
})

test('what was filled can be signed and sent', async () => {
  const { fill, call, account, from } = await createFiller()
  const { raw } = await fill({ value: '0x5' })
  const signer = privateKeyToAccount(account(0).privateKey)
  const { r, s, v, yParity, ...transaction } = parseTransaction(raw)
  const signed = await signer.signTransaction({ ...transaction, nonce: transaction.nonce ?? 0 })
  const hash = await call('eth_sendRawTransaction', signed)
  expect(await call('eth_getTransactionByHash', hash)).toMatchObject({ from, value: '0x5' })
})

test('args: types and fees as eth_sendTransaction takes them', async () => {
  const { fill, call, from, to } = await createFiller()
  const accessList = [{ address: to, storageKeys: [SLOT] }]
  const legacy = await fill({ gasPrice: hex(3n * GWEI) })
  expect(legacy.tx).toMatchObject({ type: '0x0', gasPrice: hex(3n * GWEI), v: '0x0' })
  expect(legacy.tx).not.toHaveProperty('maxFeePerGas')
  expect((await fill({ gasPrice: hex(GWEI), accessList })).tx).toMatchObject({
    type: '0x1',
    gasPrice: hex(GWEI),
    accessList,
    gas: await call('eth_estimateGas', { from, to, gasPrice: hex(GWEI), accessList }),
  })
  const blobs = await fill({ blobVersionedHashes: [`0x01${'ab'.repeat(31)}`] })
  expect(blobs.tx).toMatchObject({ type: '0x3', maxFeePerBlobGas: '0x2', gasPrice: null })
  const fees = { maxFeePerGas: hex(9n * GWEI), maxPriorityFeePerGas: '0x0' }
  expect((await fill({ ...fees, gas: '0x7777', nonce: '0x33' })).tx).toMatchObject({
    ...fees,
    gas: '0x7777',
    nonce: '0x33',
  })
})

test('gas is estimated on pending, the nonce follows on the mempool', async () => {
  const { fill, call, from } = await createFiller()
  // SSTORE(1, 2), as the code of a contract.
  const data = '0x6460026001556000526005601bf3'
  const hash = await call('eth_sendTransaction', { from, data })
  await call('preconf_advance', { ticks: 1 })
  const { contractAddress: to } = await call<{ contractAddress: Hex }>(
    'eth_getTransactionReceipt',
    hash,
  )
  await call('eth_sendTransaction', { from, to: from })
  const { tx } = await fill({ to })
  expect(tx).toMatchObject({ nonce: '0x2', gas: await call('eth_estimateGas', { from, to }) })
  expect(Number(tx.gas)).toBeGreaterThan(40_000)
})

test('an account that the node has no key of', async () => {
  const { fill } = await createFiller()
  const from = `0x${'ab'.repeat(20)}`
  expect((await fill({ from })).tx).toMatchObject({ from, nonce: '0x0' })
})

test('what makes no transaction is refused', async () => {
  const { refuse } = await createFiller()
  expect(await refuse({ to: undefined })).toEqual({
    code: -32000,
    message: 'contract creation without any data provided',
  })
  expect(await refuse({ type: '0x0', maxFeePerGas: '0x1' })).toMatchObject({ code: -32602 })
  expect(await refuse({ chainId: '0x5' })).toMatchObject({ code: -32000 })
  expect(await refuse({ gasPrice: '0x1', maxFeePerGas: '0x1' })).toMatchObject({ code: -32000 })
  // PUSH1 0, PUSH1 0, REVERT.
  expect(await refuse({ to: undefined, data: '0x60006000fd' })).toEqual({
    code: 3,
    message: 'execution reverted',
    data: '0x',
  })
  const gas = '0xffff'
  for (const fields of [
    { gas, blobVersionedHashes: [] },
    { gas, type: '0x3' },
    { gas, authorizationList: [] },
  ]) {
    expect(await refuse(fields), JSON.stringify(fields)).toMatchObject({
      code: -32602,
      message: expect.stringMatching(/^invalid transaction: /),
    })
  }
  expect(await refuse({ gas, maxFeePerGas: '0x1', maxPriorityFeePerGas: '0x2' })).toEqual({
    code: -32000,
    message:
      'max priority fee per gas higher than max fee per gas: maxPriorityFeePerGas: 2, maxFeePerGas: 1',
  })
})
