import { expect, test } from 'vitest'
import { type FormattedBlock, formatHeader } from '../../../../devnet/json/formatBlock.ts'
import type { FormattedTransaction } from '../../../../devnet/json/formatTransaction.ts'
import { START } from '../../../support/chain.ts'
import { createRpcChain, hex, ZERO_BLOOM, ZERO_HASH } from './rpcChain.ts'

const EMPTY_ROOT = '0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421'
const EMPTY_UNCLES = '0x1dcc4de8dec75d7aab85b567b6ccd41ad312451b948a7413f0a142fd40d49347'
const EMPTY_REQUESTS = '0xe3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'
const COINBASE = '0xc014ba5ec014ba5ec014ba5ec014ba5ec014ba5e'

/** In the order of the recordings of execution-apis. */
const BLOCK_KEYS = [
  'baseFeePerGas',
  'blobGasUsed',
  'difficulty',
  'excessBlobGas',
  'extraData',
  'gasLimit',
  'gasUsed',
  'hash',
  'logsBloom',
  'miner',
  'mixHash',
  'nonce',
  'number',
  'parentBeaconBlockRoot',
  'parentHash',
  'receiptsRoot',
  'requestsHash',
  'sha3Uncles',
  'size',
  'stateRoot',
  'timestamp',
  'transactions',
  'transactionsRoot',
  'uncles',
  'withdrawals',
  'withdrawalsRoot',
]

async function createWithTransfer() {
  const node = await createRpcChain()
  const hash = await node.call<string>('eth_sendTransaction', {
    from: node.account(0).address,
    to: node.account(1).address,
    value: '0x1',
  })
  await node.call('preconf_advance', { ticks: 1 })
  const block = (reference: unknown, full?: boolean) =>
    node.call<FormattedBlock>('eth_getBlockByNumber', reference, full)
  return { ...node, hash, block }
}

test('default: the pending block before anything is pre-confirmed', async () => {
  const { call, chain } = await createRpcChain()
  const block = await call<FormattedBlock>('eth_getBlockByNumber', 'pending')
  expect(block).toEqual({
    baseFeePerGas: hex(875_000_000),
    blobGasUsed: '0x0',
    difficulty: '0x0',
    excessBlobGas: '0x0',
    extraData: '0x',
    gasLimit: hex(60_000_000),
    gasUsed: '0x0',
    hash: ZERO_HASH,
    logsBloom: ZERO_BLOOM,
    miner: COINBASE,
    mixHash: block.mixHash,
    nonce: '0x0000000000000000',
    number: '0x1',
    parentBeaconBlockRoot: ZERO_HASH,
    parentHash: chain.head.hash,
    receiptsRoot: EMPTY_ROOT,
    requestsHash: EMPTY_REQUESTS,
    sha3Uncles: EMPTY_UNCLES,
    size: block.size,
    stateRoot: ZERO_HASH,
    timestamp: hex(START + 2),
    transactions: [],
    transactionsRoot: EMPTY_ROOT,
    uncles: [],
    withdrawals: [],
    withdrawalsRoot: EMPTY_ROOT,
  })
  expect(block.mixHash).toMatch(/^0x[0-9a-f]{64}$/)
  expect(block.mixHash).not.toBe(ZERO_HASH)
})

test('sealing changes nothing of the pending block but hash and state root', async () => {
  const { call, chain, hash, block } = await createWithTransfer()
  const pending = await block('pending')
  await call('preconf_seal')
  const sealed = await block('latest')
  expect(pending.transactions).toEqual([hash])
  expect(pending).toEqual({ ...sealed, hash: ZERO_HASH, stateRoot: ZERO_HASH })
  expect(sealed.hash).toBe(chain.head.hash)
  expect(sealed.stateRoot).not.toBe(ZERO_HASH)
  expect(Object.keys(sealed)).toEqual(BLOCK_KEYS)
})

test('args: full transactions', async () => {
  const { call, hash, block } = await createWithTransfer()
  const pending = await block('pending', true)
  const transaction = await call<FormattedTransaction>('eth_getTransactionByHash', hash)
  expect(pending.transactions).toEqual([transaction])
  await call('preconf_seal')
  const sealed = await block('latest', true)
  expect(sealed.transactions).toEqual([{ ...transaction, blockHash: sealed.hash }])
  expect(await call('eth_getBlockByHash', sealed.hash, true)).toEqual(sealed)
})

test('args: block', async () => {
  const { call, block, chain } = await createWithTransfer()
  await call('preconf_seal')
  const numbers: Record<string, unknown> = {}
  for (const tag of ['latest', 'safe', 'finalized', 'earliest', 'pending', '0x1', '0x0']) {
    numbers[tag] = (await block(tag)).number
  }
  expect(numbers).toEqual({
    latest: '0x1',
    safe: '0x1',
    finalized: '0x1',
    earliest: '0x0',
    pending: '0x2',
    '0x1': '0x1',
    '0x0': '0x0',
  })
  expect(await call('eth_getBlockByHash', chain.head.hash)).toEqual(await block('0x1'))
})

test('null for unknown blocks, and for the number of the pending one', async () => {
  const { call } = await createWithTransfer()
  for (const number of ['0x1', '0x2', '0xffffffffffffffff']) {
    expect(await call('eth_getBlockByNumber', number, true)).toBeNull()
    expect(await call('eth_getBlockTransactionCountByNumber', number)).toBeNull()
    expect(await call('eth_getHeaderByNumber', number)).toBeNull()
    expect(await call('eth_getUncleCountByBlockNumber', number)).toBeNull()
    expect(await call('eth_getBlockReceipts', number)).toBeNull()
  }
  const hash = `0x${'ab'.repeat(32)}`
  expect(await call('eth_getBlockByHash', hash, true)).toBeNull()
  expect(await call('eth_getBlockTransactionCountByHash', hash)).toBeNull()
  expect(await call('eth_getTransactionByBlockHashAndIndex', hash, '0x0')).toBeNull()
  expect(await call('eth_getBlockReceipts', hash)).toBeNull()
})

test('null for blocks that are not kept', async () => {
  const { call } = await createRpcChain({ keepBlocks: 2 })
  await call('hardhat_mine', '0x5')
  expect(await call('eth_getBlockByNumber', '0x3', false)).toBeNull()
  expect(await call('eth_getBlockByNumber', 'earliest', false)).toMatchObject({ number: '0x4' })
})

test('default: transaction counts', async () => {
  const { call, chain } = await createWithTransfer()
  const count = (block: string) => call('eth_getBlockTransactionCountByNumber', block)
  expect([await count('pending'), await count('latest'), await count('0x0')]).toEqual([
    '0x1',
    '0x0',
    '0x0',
  ])
  await call('preconf_seal')
  expect([await count('pending'), await count('latest'), await count('0x1')]).toEqual([
    '0x0',
    '0x1',
    '0x1',
  ])
  expect(await call('eth_getBlockTransactionCountByHash', chain.head.hash)).toBe('0x1')
})

test('default: transactions by index', async () => {
  const { call, chain, hash } = await createWithTransfer()
  const pending = await call<FormattedTransaction>('eth_getTransactionByHash', hash)
  const byNumber = (block: string, index: string) =>
    call('eth_getTransactionByBlockNumberAndIndex', block, index)
  expect(await byNumber('pending', '0x0')).toEqual(pending)
  expect(await byNumber('pending', '0x1')).toBeNull()
  expect(await byNumber('latest', '0x0')).toBeNull()
  await call('preconf_seal')
  const sealed = { ...pending, blockHash: chain.head.hash }
  expect(await byNumber('latest', '0x0')).toEqual(sealed)
  expect(await byNumber('latest', '0xffffffffffffffff')).toBeNull()
  const byHash = (index: string) =>
    call('eth_getTransactionByBlockHashAndIndex', chain.head.hash, index)
  expect(await byHash('0x0')).toEqual(sealed)
  expect(await byHash('0x1')).toBeNull()
})

test('args: hardfork decides which fields there are', async () => {
  const keys = async (hardfork: 'london' | 'shanghai' | 'cancun') => {
    const { call } = await createRpcChain({ hardfork })
    const pending = Object.keys(await call<object>('eth_getBlockByNumber', 'pending'))
    await call('preconf_seal')
    expect(Object.keys(await call<object>('eth_getBlockByNumber', 'latest'))).toEqual(pending)
    return pending
  }
  const withdrawals = ['withdrawals', 'withdrawalsRoot']
  const blobs = ['blobGasUsed', 'excessBlobGas', 'parentBeaconBlockRoot']
  const without = (...names: string[]) => BLOCK_KEYS.filter((key) => !names.includes(key))
  expect(await keys('london')).toEqual(without('requestsHash', ...blobs, ...withdrawals))
  expect(await keys('shanghai')).toEqual(without('requestsHash', ...blobs))
  expect(await keys('cancun')).toEqual(without('requestsHash'))
})

test('default: a header for newHeads has the fields of geth in the order of geth', async () => {
  const { call, chain, block } = await createWithTransfer()
  await call('preconf_seal')
  const header = formatHeader(chain.head)
  expect(Object.keys(header)).toEqual([
    'parentHash',
    'sha3Uncles',
    'miner',
    'stateRoot',
    'transactionsRoot',
    'receiptsRoot',
    'logsBloom',
    'difficulty',
    'number',
    'gasLimit',
    'gasUsed',
    'timestamp',
    'extraData',
    'mixHash',
    'nonce',
    'baseFeePerGas',
    'withdrawalsRoot',
    'blobGasUsed',
    'excessBlobGas',
    'parentBeaconBlockRoot',
    'requestsHash',
    'hash',
  ])
  expect(await block('latest')).toMatchObject(header)
})
