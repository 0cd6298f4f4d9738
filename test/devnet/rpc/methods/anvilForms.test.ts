import { expect, test } from 'vitest'
import type { Hex } from '../../../../devnet/primitives/hex.ts'
import { START } from '../../../support/chain.ts'
import { createRpcChain, hex, INSTANCE } from './rpcChain.ts'

const ADDRESS: Hex = `0x${'ab'.repeat(20)}`
const HASH: Hex = `0x${'22'.repeat(32)}`

/** What anvil 1.7.1 answers, measured; a name without a space is one of `anvil_`. */
const MEASURED: readonly [method: string, params: readonly unknown[], result: unknown][] = [
  ['addBalance', [ADDRESS, '0x10'], null],
  ['autoImpersonateAccount', [false], null],
  ['dropAllTransactions', [], null],
  ['dropTransaction', [HASH], null],
  ['getAutomine', [], false],
  ['impersonateAccount', [ADDRESS], null],
  ['increaseTime', ['0x10'], 16],
  ['increaseTime', [16], 32],
  ['mine', ['0x2', '0x10'], null],
  ['removeBlockTimestampInterval', [], false],
  ['removePoolTransactions', [ADDRESS], null],
  ['reset', [], null],
  ['setAutomine', [false], null],
  ['setBalance', [ADDRESS, '0x10'], null],
  ['setBlockGasLimit', ['0x1c9c380'], true],
  ['setBlockTimestampInterval', [5], null],
  ['setChainId', [31337], null],
  ['setCode', [ADDRESS, '0x6001'], null],
  ['setCoinbase', [ADDRESS], null],
  ['setIntervalMining', [60], null],
  ['setNextBlockBaseFeePerGas', ['0x3b9aca00'], null],
  ['setNextBlockTimestamp', [START + 1000], null],
  ['setNonce', [ADDRESS, '0x5'], null],
  ['setPrevRandao', [HASH], null],
  ['setNextBlockPrevRandao', [HASH], null],
  ['setStorageAt', [ADDRESS, '0x0', HASH], true],
  ['stopImpersonatingAccount', [ADDRESS], null],
]

test('default: results of the anvil_ methods', async () => {
  const { call } = await createRpcChain()
  for (const [method, params, result] of MEASURED) {
    expect([method, await call(`anvil_${method}`, ...params)]).toEqual([method, result])
  }
})

test('hardhat_ and evm_ methods keep theirs', async () => {
  const { call } = await createRpcChain()
  expect(await call('hardhat_setBalance', ADDRESS, '0x10')).toBe(true)
  expect(await call('hardhat_addBalance', ADDRESS, '0x10')).toBe(true)
  expect(await call('evm_increaseTime', 16)).toBe('16')
  expect(await call('evm_setNextBlockTimestamp', START + 1000)).toBe(`${START + 1000}`)
  expect(await call('evm_mine')).toBe('0')
  expect(await call('evm_setIntervalMining', 0)).toBe(true)
  expect(await call('evm_setAutomine', false)).toBe(true)
  expect(await call('hardhat_mine', '0x1')).toBe(true)
  expect(await call('hardhat_stopImpersonatingAccount', ADDRESS)).toBe(false)
  expect(await call('hardhat_reset')).toBe(true)
})

test('both names do the same', async () => {
  const { call } = await createRpcChain()
  await call('anvil_setBalance', ADDRESS, '0x10')
  await call('anvil_addBalance', ADDRESS, '0x5')
  expect(await call('eth_getBalance', ADDRESS)).toBe('0x15')
  await call('evm_setAccountBalance', ADDRESS, '0x7')
  await call('evm_setAccountCode', ADDRESS, '0x6001')
  await call('evm_setAccountStorageAt', ADDRESS, '0x0', '0x9')
  expect(await call('eth_getBalance', ADDRESS)).toBe('0x7')
  expect(await call('eth_getCode', ADDRESS)).toBe('0x6001')
  expect(await call('eth_getStorageAt', ADDRESS, '0x0')).toBe(`0x${'0'.repeat(63)}9`)
  const id = await call('anvil_snapshot')
  await call('anvil_mine', '0x3')
  expect(await call('evm_revert', id)).toBe(true)
  expect(await call('eth_blockNumber')).toBe('0x0')
})

test('on anvil a nonce may go back', async () => {
  const { call, failure } = await createRpcChain()
  await call('anvil_setNonce', ADDRESS, '0x5')
  expect(await failure('hardhat_setNonce', ADDRESS, '0x4')).toMatchObject({ code: -32000 })
  expect(await call('anvil_setNonce', ADDRESS, '0x4')).toBeNull()
  expect(await call('evm_setAccountNonce', ADDRESS, '0x3')).toBeNull()
  expect(await call('eth_getTransactionCount', ADDRESS)).toBe('0x3')
})

test('a nonce that goes back behind a pre-confirmed transaction leaves that in its place', async () => {
  const { call, account } = await createRpcChain()
  const from = account(0).address
  const send = (value: Hex) => call<Hex>('eth_sendTransaction', { from, to: from, value })
  await send('0x0')
  await call('evm_mine')
  const preconfirmed = await send('0x0')
  await call('preconf_advance', { ticks: 1 })
  const waiting = await send('0x0')
  await call('anvil_setNonce', from, '0x0')
  expect(await call('eth_getTransactionCount', from, 'latest')).toBe('0x1')
  expect(await call('eth_getTransactionCount', from, 'pending')).toBe('0x0')
  expect(await call('preconf_status')).toMatchObject({
    pending: { transactions: [{ hash: preconfirmed }] },
    mempool: { runnable: 0, waiting: 1 },
    dropped: [],
  })
  // Not the earlier ones again: those are in the chain already.
  const again = [await send('0x1'), await send('0x1')]
  await call('evm_mine')
  expect(await call('eth_getBlockByNumber', 'latest')).toMatchObject({
    number: '0x2',
    transactions: [preconfirmed, ...again, waiting],
  })
})

test('anvil_mine: the first block is an interval after the newest, too', async () => {
  const { call, chain } = await createRpcChain()
  await call('evm_mine', START + 10)
  await call('anvil_mine', '0x3', '0x3c')
  await call('anvil_mine', 2)
  const timestamps = chain.history
    .entries()
    .flatMap((entry) => ('header' in entry ? Number(entry.header.timestamp) - START : []))
  expect(timestamps.slice(0, 5)).toEqual([0, 10, 70, 130, 190])
  const [fifth = 0, sixth] = timestamps.slice(5)
  expect(sixth).toBe(fifth + 1)
})

test('anvil_setIntervalMining is in seconds, and ends instant mode', async () => {
  const { call } = await createRpcChain()
  await call('anvil_setAutomine', true)
  await call('anvil_setIntervalMining', 60)
  expect(await call('anvil_getAutomine')).toBe(false)
  expect(await call('anvil_getIntervalMining')).toBe(60)
  expect(await call('hardhat_getIntervalMining')).toBe(60_000)
  await call('anvil_setIntervalMining', 0)
  expect(await call('anvil_getIntervalMining')).toBeNull()
})

test('default: anvil_metadata', async () => {
  const { call, chain } = await createRpcChain()
  await call('evm_mine')
  const { hash } = chain.head
  await call('evm_snapshot')
  expect(await call('anvil_metadata')).toEqual({
    clientVersion: expect.stringMatching(/^HardhatPendingNode\//),
    chainId: 31337,
    instanceId: INSTANCE,
    latestBlockNumber: 1,
    latestBlockHash: hash,
    forkedNetwork: null,
    snapshots: { '0x1': [1, hash] },
  })
  expect(await call('hardhat_metadata')).not.toHaveProperty('snapshots')
})

test('default: anvil_nodeInfo answers without the option', async () => {
  const { call } = await createRpcChain()
  expect(await call('anvil_nodeInfo')).toMatchObject({
    currentBlockNumber: '0x0',
    environment: { chainId: 31337 },
  })
})

test('args: anvil', async () => {
  const { call, chain } = await createRpcChain({ anvil: true })
  expect(await call('anvil_nodeInfo')).toEqual({
    currentBlockNumber: '0x0',
    currentBlockTimestamp: START,
    currentBlockHash: chain.head.hash,
    hardFork: 'Bpo2',
    transactionOrder: 'fifo',
    environment: {
      baseFee: hex(chain.pending.environment.baseFeePerGas),
      chainId: 31337,
      gasLimit: hex(60_000_000),
      gasPrice: await call('eth_gasPrice'),
    },
    forkConfig: { forkUrl: null, forkBlockNumber: null, forkRetryBackoff: null },
  })
  expect(await call('evm_increaseTime', 16)).toBe(16)
  expect(await call('evm_setNextBlockTimestamp', START + 1000)).toBeNull()
  expect(await call('evm_mine')).toBe('0x0')
  expect(await call('hardhat_setBalance', ADDRESS, '0x1')).toBeNull()
  await call('evm_setIntervalMining', 3)
  expect(await call('hardhat_getIntervalMining')).toBe(3)
})

test('args: with the option, quantities may be integers or decimal text', async () => {
  const { call, failure } = await createRpcChain({ anvil: true })
  const word: Hex = `0x${'2'.padStart(64, '0')}`
  for (const form of [(value: number) => value, String]) {
    expect(await call('anvil_setBalance', ADDRESS, form(1000))).toBeNull()
    expect(await call('anvil_addBalance', ADDRESS, form(10))).toBeNull()
    expect(await call('eth_getBalance', ADDRESS, 'latest')).toBe(hex(1010))
    expect(await call('anvil_setNonce', ADDRESS, form(5))).toBeNull()
    expect(await call('anvil_setStorageAt', ADDRESS, form(12), word)).toBe(true)
    expect(await call('eth_getStorageAt', ADDRESS, form(12), 'latest')).toBe(word)
    expect(await call('eth_getStorageAt', ADDRESS, '0xc', 'latest')).toBe(word)
    expect(await call('eth_getBlockByNumber', form(0), false)).toMatchObject({ number: '0x0' })
    // Returns the value: CALLVALUE, PUSH0, MSTORE, 32, PUSH0, RETURN.
    const request = { data: '0x345f5260205ff3', value: form(2), from: ADDRESS }
    expect(await call('eth_call', request, 'latest')).toBe(word)
    expect(await call('anvil_mine', form(2))).toBeNull()
    expect(await call('evm_increaseTime', form(16))).toEqual(expect.any(Number))
    expect(await call('anvil_setNextBlockBaseFeePerGas', form(7))).toBeNull()
  }
  expect(await call('eth_blockNumber')).toBe('0x4')
  expect(await call('evm_setNextBlockTimestamp', '4102444801')).toBeNull()
  for (const wrong of [1.5, -1, 2 ** 53, 'abc', '1'.repeat(80)]) {
    expect(await failure('anvil_setBalance', ADDRESS, wrong)).toMatchObject({ code: -32602 })
  }
})

test('default: without the option, they are hexadecimal', async () => {
  const { failure } = await createRpcChain()
  for (const value of [1000, '1000']) {
    expect(await failure('anvil_setBalance', ADDRESS, value)).toMatchObject({ code: -32602 })
    expect(await failure('eth_getBlockByNumber', value, false)).toMatchObject({ code: -32602 })
  }
})

test('args: with the option, the pool has its senders in lower case', async () => {
  const { call, account } = await createRpcChain({ anvil: true })
  const from = account(0).address
  const to = account(1).address
  await call('eth_sendTransaction', { from, to })
  const fees = `21000 gas × ${2n * 875_000_000n + 1_000_000_000n} wei`
  expect(await call('txpool_inspect')).toEqual({
    pending: { [from]: { 0: `${to}: 0 wei + ${fees}` } },
    queued: {},
  })
  expect(await call('txpool_content')).toMatchObject({ pending: { [from]: { 0: { from } } } })
})
