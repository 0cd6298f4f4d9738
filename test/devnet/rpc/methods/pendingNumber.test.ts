import type { Hex } from 'viem'
import { describe, expect, test } from 'vitest'
import type { FormattedLog, FormattedReceipt } from '../../../../devnet/json/receiptForm.ts'
import { createRpcChain, hex, type RpcChain, ZERO_HASH } from './rpcChain.ts'

// A pre-confirmed receipt names block N+1: what clients ask for by that number, before the seal and after it.

const LOGGER: Hex = `0x${'c0'.repeat(20)}`
/** Stores 7 and emits a log without topics: PUSH1 7, PUSH0, SSTORE, PUSH0, PUSH0, LOG0. */
const LOGGER_CODE = '0x60075f555f5fa0'
const TO: Hex = `0x${'dd'.repeat(20)}`

interface Preconfirmed extends RpcChain {
  readonly from: Hex
  readonly receipt: FormattedReceipt
}

/** Block 1 is sealed; block 2 holds a pre-confirmed transaction that emits a log, and one that pays 5 wei to nobody. */
async function createPreconfirmed(): Promise<Preconfirmed> {
  const node = await createRpcChain()
  const { call } = node
  const from = node.account(0).address
  await call('hardhat_setCode', LOGGER, LOGGER_CODE)
  await call('hardhat_mine')
  const hash = await call('eth_sendTransaction', { from, to: LOGGER, gas: '0x186a0' })
  await call('eth_sendTransaction', { from, to: TO, value: '0x5' })
  await call('preconf_advance', { ticks: 1 })
  const receipt = await call<FormattedReceipt>('eth_getTransactionReceipt', hash)
  expect(receipt).toMatchObject({ blockNumber: '0x2', blockHash: ZERO_HASH })
  return { ...node, from, receipt }
}

/** Methods that read a state, with all but their last parameter. */
const READS: readonly { readonly method: string; readonly params: readonly unknown[] }[] = [
  { method: 'eth_getBalance', params: [TO] },
  { method: 'eth_getCode', params: [LOGGER] },
  { method: 'eth_getStorageAt', params: [LOGGER, '0x0'] },
  { method: 'eth_getStorageValues', params: [{ [LOGGER]: ['0x0'] }] },
  { method: 'eth_getAccountInfo', params: [TO] },
  { method: 'eth_getAccount', params: [TO] },
  { method: 'eth_getProof', params: [LOGGER, ['0x0']] },
  // NUMBER, PUSH0, MSTORE, PUSH1 32, PUSH0, RETURN
  { method: 'eth_call', params: [{ data: '0x435f5260205ff3' }] },
  { method: 'eth_estimateGas', params: [{ to: LOGGER }] },
  { method: 'eth_createAccessList', params: [{ to: LOGGER }] },
  { method: 'debug_traceCall', params: [{ to: LOGGER }] },
]

describe('before the seal', () => {
  test.each(READS)('default: $method', async ({ method, params }) => {
    const { call, receipt } = await createPreconfirmed()
    const pending = await call(method, ...params, 'pending')
    expect(await call(method, ...params, receipt.blockNumber)).toEqual(pending)
  })

  test('default: what a number is read for, and one before it', async () => {
    const { call, from, receipt } = await createPreconfirmed()
    const { blockNumber } = receipt
    expect(await call('eth_getBalance', TO, blockNumber)).toBe('0x5')
    expect(await call('eth_getBalance', TO, '0x1')).toBe('0x0')
    expect(await call('eth_getBalance', TO, { blockNumber })).toBe('0x5')
    expect(await call('eth_getTransactionCount', from, blockNumber)).toBe('0x2')
    expect(await call('eth_getTransactionCount', from, { blockNumber: '0x1' })).toBe('0x0')
  })

  test('no simulation after a block that is not sealed', async () => {
    const { failure, receipt } = await createPreconfirmed()
    const payload = { blockStateCalls: [{ calls: [{ to: LOGGER }] }] }
    expect(await failure('eth_simulateV1', payload, receipt.blockNumber)).toEqual({
      code: -32000,
      message: 'header not found',
    })
  })

  test('default: a transaction at its index', async () => {
    const { call, receipt } = await createPreconfirmed()
    const { blockNumber, transactionIndex, transactionHash } = receipt
    const place = [blockNumber, transactionIndex] as const
    expect(await call('eth_getTransactionByBlockNumberAndIndex', ...place)).toEqual(
      await call('eth_getTransactionByHash', transactionHash),
    )
    expect(await call('eth_getRawTransactionByBlockNumberAndIndex', ...place)).toBe(
      await call('eth_getRawTransactionByHash', transactionHash),
    )
    expect(await call('eth_getTransactionByBlockNumberAndIndex', blockNumber, '0x2')).toBeNull()
  })

  test('args: ranges of logs', async () => {
    const { call, receipt } = await createPreconfirmed()
    const logs = (fromBlock?: string, toBlock?: string) =>
      call<FormattedLog[]>('eth_getLogs', { fromBlock, toBlock })
    const two = receipt.blockNumber
    for (const range of [
      [two, two],
      [two, undefined],
      [two, 'latest'],
      [two, 'pending'],
      ['0x0', two],
      ['earliest', two],
      ['latest', two],
      ['pending', two],
      [undefined, two],
    ]) {
      expect(await logs(...range), String(range)).toEqual(receipt.logs)
    }
    expect(await logs('0x0')).toEqual([])
    expect(await logs('0x0', 'latest')).toEqual([])
    expect(await logs('pending', 'latest')).toEqual([])
  })

  test('a filter gives what is sealed, whatever number it begins or ends at', async () => {
    const { call, receipt, chain } = await createPreconfirmed()
    const { blockNumber } = receipt
    const ids = [
      await call('eth_newFilter', { fromBlock: blockNumber }),
      await call('eth_newFilter', { fromBlock: blockNumber, toBlock: blockNumber }),
    ]
    for (const id of ids) expect(await call('eth_getFilterLogs', id)).toEqual([])
    for (const id of ids) expect(await call('eth_getFilterChanges', id)).toEqual([])
    await call('preconf_seal')
    const sealed = receipt.logs.map((log) => ({ ...log, blockHash: chain.head.hash }))
    for (const id of ids) expect(await call('eth_getFilterChanges', id)).toEqual(sealed)
    for (const id of ids) expect(await call('eth_getFilterLogs', id)).toEqual(sealed)
  })

  test('the block itself is not there, so that nobody takes it for sealed', async () => {
    const { call, failure, receipt } = await createPreconfirmed()
    const { blockNumber } = receipt
    for (const method of [
      'eth_getBlockByNumber',
      'eth_getHeaderByNumber',
      'eth_getBlockReceipts',
      'eth_getBlockTransactionCountByNumber',
      'eth_getUncleCountByBlockNumber',
    ]) {
      expect(await call(method, blockNumber), method).toBeNull()
      expect(await call(method, 'pending'), method).not.toBeNull()
    }
    for (const method of ['debug_getRawBlock', 'debug_getRawHeader', 'debug_traceBlockByNumber']) {
      expect(await failure(method, blockNumber)).toEqual({
        code: -32000,
        message: 'block not found: 0x2',
      })
    }
    expect(await failure('eth_feeHistory', '0x1', blockNumber)).toEqual({
      code: -32001,
      message: 'block not found: 0x2',
    })
    expect(await call('eth_blockNumber')).toBe('0x1')
  })

  test('the zero hash of the receipt finds it', async () => {
    const { call, receipt } = await createPreconfirmed()
    const { blockHash } = receipt
    expect(await call('eth_getBlockByHash', blockHash, true)).toEqual(
      await call('eth_getBlockByNumber', 'pending', true),
    )
    expect(await call('eth_getBlockTransactionCountByHash', blockHash)).toBe('0x2')
    expect(await call('eth_getBalance', TO, { blockHash })).toBe('0x5')
    expect(await call('eth_getLogs', { blockHash })).toEqual(receipt.logs)
  })

  test('later numbers are refused', async () => {
    const { call, failure } = await createPreconfirmed()
    for (const block of ['0x3', '0xffffffffffffffff']) {
      const missing = { code: -32001, message: `block not found: ${block}` }
      expect(await failure('eth_getBalance', TO, block)).toEqual(missing)
      expect(await failure('eth_call', { to: TO }, { blockNumber: block })).toEqual(missing)
      expect(await failure('eth_getLogs', { fromBlock: '0x2', toBlock: block })).toMatchObject({
        code: -32602,
      })
      expect(await failure('eth_getLogs', { fromBlock: block })).toMatchObject({ code: -32602 })
      expect(await call('eth_getTransactionByBlockNumberAndIndex', block, '0x0')).toBeNull()
    }
  })
})

test('without a pre-confirmed transaction no receipt names the block', async () => {
  const { call, failure } = await createRpcChain()
  const missing = { code: -32001, message: 'block not found: 0x1' }
  expect(await failure('eth_getBalance', TO, '0x1')).toEqual(missing)
  expect(await failure('eth_getBalance', TO, ZERO_HASH)).toEqual({
    code: -32001,
    message: `block not found: ${ZERO_HASH}`,
  })
  expect(await failure('eth_getLogs', { fromBlock: '0x1' })).toMatchObject({ code: -32602 })
  expect(await failure('eth_getLogs', { fromBlock: '0x0', toBlock: '0x1' })).toMatchObject({
    code: -32602,
  })
  expect(await call('eth_getBlockByHash', ZERO_HASH, false)).toBeNull()
})

test('the same answers by number before and after the seal', async () => {
  const { call, chain, receipt } = await createPreconfirmed()
  const { blockNumber } = receipt
  const ask = async () => ({
    balance: await call('eth_getBalance', TO, blockNumber),
    number: await call('eth_call', { data: '0x435f5260205ff3' }, blockNumber),
    logs: await call<FormattedLog[]>('eth_getLogs', { fromBlock: blockNumber }),
  })
  const before = await ask()
  await call('preconf_seal')
  const after = await ask()
  expect(hex(chain.head.number)).toBe(blockNumber)
  expect(after).toEqual({
    ...before,
    logs: before.logs.map((log) => ({ ...log, blockHash: chain.head.hash })),
  })
})
