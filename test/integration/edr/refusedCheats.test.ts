import type { Hex } from 'viem'
import { describe, test } from 'vitest'
import { useArena } from './arena.ts'
import { type Case, play } from './cases.ts'
import { slot } from './slots.ts'
import type { World } from './world.ts'

const world = useArena('npx vitest run test/integration/edr/refusedCheats.test.ts')

const ACCOUNT: Hex = '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266'
const OTHER: Hex = '0x70997970c51812dc3a010c7d01b50e0d17dc79c8'
const HASH = `0x${'11'.repeat(32)}`

const head = async ({ head }: World) => head.timestamp

const CHEATS: readonly Case[] = [
  { name: 'a time in the past', method: 'evm_setNextBlockTimestamp', params: [5] },
  {
    name: 'the time of the head',
    method: 'evm_setNextBlockTimestamp',
    params: async (w) => [await head(w)],
  },
  { name: 'no time', method: 'evm_setNextBlockTimestamp', params: ['x'] },
  { name: 'a block in the past', method: 'evm_mine', params: [5] },
  {
    name: 'a block at the time of the head',
    method: 'evm_mine',
    params: async (w) => [await head(w)],
    only: { refuses: 'ours', why: 'as evm_setNextBlockTimestamp, where EDR refuses it too' },
  },
  { name: 'time back', method: 'evm_increaseTime', params: [-1] },
  { name: 'no time to move by', method: 'evm_increaseTime', params: [] },
  { name: 'no snapshot', method: 'evm_revert', params: [] },
  { name: 'a nonce that goes back', method: 'hardhat_setNonce', params: [ACCOUNT, '0x0'] },
  {
    name: 'a nonce while something waits',
    method: 'hardhat_setNonce',
    before: sendOne,
    params: [OTHER, '0x9'],
    only: { refuses: 'EDR', why: 'here a nonce can change behind what is pre-confirmed' },
  },
  { name: 'a balance that is no number', method: 'hardhat_setBalance', params: [ACCOUNT, 'zz'] },
  { name: 'no balance', method: 'hardhat_setBalance', params: [ACCOUNT] },
  { name: 'code of half a byte', method: 'hardhat_setCode', params: [ACCOUNT, '0x1'] },
  {
    name: 'a slot of 33 bytes',
    method: 'hardhat_setStorageAt',
    params: [ACCOUNT, `0x01${'00'.repeat(32)}`, slot(1)],
  },
  {
    name: 'a value of less than 32 bytes',
    method: 'hardhat_setStorageAt',
    params: [ACCOUNT, '0x0', '0x1'],
    only: { refuses: 'EDR', why: 'it can mean one thing only' },
  },
  {
    name: 'a prevRandao of less than 32 bytes',
    method: 'hardhat_setPrevRandao',
    params: ['0x01'],
    only: { refuses: 'EDR', why: 'likewise' },
  },
  { name: 'half a coinbase', method: 'hardhat_setCoinbase', params: ['0x12'] },
  { name: 'a block without gas', method: 'evm_setBlockGasLimit', params: ['0x0'] },
  { name: 'an interval below zero', method: 'evm_setIntervalMining', params: [-1] },
  { name: 'automine neither on nor off', method: 'evm_setAutomine', params: ['x'] },
  { name: 'a price before the base fee', method: 'hardhat_setMinGasPrice', params: ['0x1'] },
  {
    name: 'a transaction that is sealed',
    method: 'hardhat_dropTransaction',
    params: async ({ sealed }) => [sealed[0]],
  },
  { name: 'a method that is none', method: 'hardhat_foo', params: [] },
]

const READS: readonly Case[] = [
  { name: 'a block that is none', method: 'eth_getBalance', params: [ACCOUNT, '0x9999'] },
  {
    name: 'a block hash that is none',
    method: 'eth_getBalance',
    params: [ACCOUNT, { blockHash: HASH }],
  },
  { name: 'a tag that is none', method: 'eth_getBlockByNumber', params: ['foo', false] },
  { name: 'code at a block that is none', method: 'eth_getCode', params: [ACCOUNT, '0x9999'] },
  {
    name: 'a nonce at a block that is none',
    method: 'eth_getTransactionCount',
    params: [ACCOUNT, '0x9999'],
  },
  {
    name: 'a slot of 33 bytes',
    method: 'eth_getStorageAt',
    params: [ACCOUNT, `0x${'00'.repeat(33)}`],
  },
  { name: 'no hash', method: 'eth_getTransactionReceipt', params: [] },
  { name: 'half a hash', method: 'eth_getTransactionReceipt', params: ['0x12'] },
  { name: 'logs of a block that is none', method: 'eth_getLogs', params: [{ blockHash: HASH }] },
  {
    name: 'logs of a block and a range',
    method: 'eth_getLogs',
    params: [{ blockHash: HASH, fromBlock: '0x1' }],
  },
  { name: 'half a topic', method: 'eth_getLogs', params: [{ topics: ['0x12'] }] },
  {
    name: 'logs from after the head',
    method: 'eth_getLogs',
    params: [{ fromBlock: '0x9999' }],
    only: { refuses: 'ours', why: 'as geth: it cannot be meant' },
  },
  {
    name: 'logs of a range that goes back',
    method: 'eth_getLogs',
    params: [{ fromBlock: '0x1', toBlock: '0x0' }],
    only: { refuses: 'ours', why: 'likewise' },
  },
  { name: 'fees of no block', method: 'eth_feeHistory', params: ['0x0', 'latest', []] },
  { name: 'fees of too many blocks', method: 'eth_feeHistory', params: ['0x401', 'latest', []] },
  { name: 'a percentile above 100', method: 'eth_feeHistory', params: ['0x1', 'latest', [101]] },
  { name: 'percentiles that fall', method: 'eth_feeHistory', params: ['0x1', 'latest', [50, 10]] },
  { name: 'a signature by a stranger', method: 'eth_sign', params: [slot(1).slice(0, 42), '0x12'] },
  { name: 'typed data that is none', method: 'eth_signTypedData_v4', params: [ACCOUNT, 'x'] },
]

describe.each([
  ['cheats', CHEATS],
  ['reads', READS],
] as const)('%s', (_, cases) => {
  test.each(cases)('$method, $name', (one) => play(world(), one))
})

test('what is not there is answered alike', async () => {
  const { duel } = world()
  duel.begin('not there')
  for (const [method, ...params] of [
    ['evm_revert', '0x7777'],
    ['hardhat_dropTransaction', HASH],
    ['hardhat_stopImpersonatingAccount', OTHER],
    ['eth_getBlockByNumber', '0x9999', false],
    ['eth_getBlockByHash', HASH, false],
    ['eth_getTransactionByHash', HASH],
    ['eth_getTransactionReceipt', HASH],
    ['eth_getTransactionByBlockNumberAndIndex', '0x9999', '0x0'],
    ['eth_getTransactionByBlockNumberAndIndex', '0x1', '0x77'],
    ['eth_getTransactionByBlockHashAndIndex', HASH, '0x0'],
    ['eth_getBlockTransactionCountByNumber', '0x9999'],
    ['eth_getBlockTransactionCountByHash', HASH],
  ] as const) {
    await duel.result(method, params)
  }
})

async function sendOne({ duel }: World): Promise<void> {
  const transaction = {
    from: ACCOUNT,
    to: OTHER,
    gas: '0x5208',
    maxFeePerGas: '0x12a05f200',
    maxPriorityFeePerGas: '0x1',
  }
  await duel.result('eth_sendTransaction', [transaction])
}
