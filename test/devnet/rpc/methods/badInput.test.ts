import { expect, test } from 'vitest'
import { methodTable } from '../../../../devnet/rpc/methodTable.ts'
import { createRpcChain } from './rpcChain.ts'

const ADDRESS = `0x${'ab'.repeat(20)}`
const HASH = `0x${'cd'.repeat(32)}`

/** Of each kind of parameter a good value, then bad ones. */
const PARAMETERS: Record<string, readonly [good: unknown, bad: readonly unknown[]]> = {
  account: [ADDRESS, ['0x', ADDRESS.slice(0, -1), `${ADDRESS}00`, 'ab', 5, {}, [], true]],
  hash: [HASH, ['0x', ADDRESS, `${HASH}00`, HASH.slice(2), 5, {}, []]],
  block: ['latest', ['newest', '0x', 0, '10', {}, { blockNumber: 'x' }, [], true]],
  number: ['latest', ['newest', '0x', 0, '10', {}, { blockNumber: '0x0' }, [], HASH]],
  data: ['0x1234', ['0x1', '0xgg', '12', 5, {}, []]],
  quantity: ['0x5', ['0x', 'x', '5', -1, 1.5, {}, [], `0x1${'0'.repeat(64)}`]],
  flag: [true, ['true', 1, {}, []]],
  slot: ['0x0', ['0x', `0x${'0'.repeat(65)}`, 5, {}, []]],
  request: [{ to: ADDRESS }, ['0x', 5, [], { to: 5 }, { from: '0x1' }, { value: 'x' }]],
  filter: [{}, ['0x', 5, [], { address: 5 }, { topics: {} }, { fromBlock: 5 }]],
  percentiles: [[], ['0x', 5, {}, ['x']]],
  typedData: [{ types: {}, primaryType: '', domain: {}, message: {} }, ['{', 5, [], {}]],
  beats: [{ ticks: 1 }, [5, [], 'x', {}, { ticks: '1' }]],
  ticks: [{}, [5, [], 'x', { ticks: 1 }, { other: 1 }]],
  simulation: [{ blockStateCalls: [{}] }, [5, [], 'x', {}, { blockStateCalls: {} }]],
  overrides: [{}, [5, [], 'x', { x: {} }]],
  blockFields: [{}, [5, [], 'x', { number: 'x' }]],
}

/** Kinds of the parameters of every method; one with `?` may be left out. */
const METHODS: Record<string, readonly string[]> = {
  eth_accounts: [],
  eth_baseFee: [],
  eth_blobBaseFee: [],
  eth_blockNumber: [],
  eth_call: ['request', 'block?', 'overrides?', 'blockFields?'],
  eth_chainId: [],
  eth_coinbase: [],
  eth_estimateGas: ['request', 'block?', 'overrides?', 'blockFields?'],
  eth_feeHistory: ['quantity', 'number', 'percentiles?'],
  eth_gasPrice: [],
  eth_getBalance: ['account', 'block?'],
  eth_getBlockByHash: ['hash', 'flag?'],
  eth_getBlockByNumber: ['number', 'flag?'],
  eth_getBlockReceipts: ['block'],
  eth_getBlockTransactionCountByHash: ['hash'],
  eth_getBlockTransactionCountByNumber: ['number'],
  eth_getCode: ['account', 'block?'],
  eth_getLogs: ['filter'],
  eth_getRawTransactionByHash: ['hash'],
  eth_getStorageAt: ['account', 'slot', 'block?'],
  eth_getTransactionByBlockHashAndIndex: ['hash', 'quantity'],
  eth_getTransactionByBlockNumberAndIndex: ['number', 'quantity'],
  eth_getTransactionByHash: ['hash'],
  eth_getTransactionCount: ['account', 'block?'],
  eth_getTransactionReceipt: ['hash'],
  eth_maxPriorityFeePerGas: [],
  eth_pendingTransactions: [],
  eth_sendRawTransaction: ['data'],
  eth_sendTransaction: ['request'],
  eth_sign: ['account', 'data'],
  eth_signTransaction: ['request'],
  eth_signTypedData_v4: ['account', 'typedData'],
  eth_simulateV1: ['simulation', 'block?'],
  eth_syncing: [],
  evm_increaseTime: ['quantity'],
  evm_mine: ['quantity?'],
  evm_revert: ['quantity'],
  evm_setNextBlockTimestamp: ['quantity'],
  evm_snapshot: [],
  hardhat_getAutomine: [],
  hardhat_metadata: [],
  hardhat_mine: ['quantity?', 'quantity?'],
  hardhat_setBalance: ['account', 'quantity'],
  hardhat_setCode: ['account', 'data'],
  hardhat_setCoinbase: ['account'],
  hardhat_setNextBlockBaseFeePerGas: ['quantity'],
  hardhat_setNonce: ['account', 'quantity'],
  hardhat_setPrevRandao: ['slot'],
  hardhat_setStorageAt: ['account', 'slot', 'slot'],
  net_listening: [],
  net_version: [],
  personal_sign: ['data', 'account'],
  preconf_advance: ['beats'],
  preconf_freeze: ['ticks?'],
  preconf_resume: [],
  preconf_seal: [],
  preconf_status: [],
  txpool_content: [],
  txpool_contentFrom: ['account'],
  txpool_inspect: [],
  txpool_status: [],
  web3_clientVersion: [],
  web3_sha3: ['data'],
}

/** Tested with the connections that they need. */
const ELSEWHERE = ['eth_subscribe', 'eth_unsubscribe']

function parameter(kind: string): readonly [good: unknown, bad: readonly unknown[]] {
  const found = PARAMETERS[kind.replace('?', '')]
  if (found === undefined) throw new Error(`No parameters of kind ${kind}`)
  return found
}

test('default: every method is listed', () => {
  expect([...Object.keys(METHODS), ...ELSEWHERE].sort()).toEqual(Object.keys(methodTable).sort())
})

test.each(Object.entries(METHODS))('behavior: %s refuses bad parameters', async (method, kinds) => {
  const { failure, chain } = await createRpcChain()
  const good = kinds.map((kind) => parameter(kind)[0])
  const refused = { code: -32602, message: expect.any(String) }
  const before = chain.pending
  expect(await failure(method, ...good, '0x0')).toEqual({
    code: -32602,
    message: `too many arguments, want at most ${kinds.length}`,
  })
  for (const [index, kind] of kinds.entries()) {
    for (const bad of parameter(kind)[1]) {
      const params = good.with(index, bad)
      const error = await failure(method, ...params)
      expect(error, `${method} ${JSON.stringify(params)}`).toEqual(refused)
      expect(error).toMatchObject({ message: expect.stringContaining(`argument ${index}`) })
    }
    if (kind.endsWith('?')) continue
    const missing = { code: -32602, message: `missing value for required argument ${index}` }
    expect(await failure(method, ...good.slice(0, index))).toEqual(missing)
    expect(await failure(method, ...good.with(index, null))).toEqual(missing)
  }
  // Nothing has happened.
  expect(chain.pending).toBe(before)
  expect(chain.mempool.size).toBe(0)
})
