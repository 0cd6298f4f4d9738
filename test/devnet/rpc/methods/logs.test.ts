import { encodeFunctionData, type Hex, keccak256, pad, toHex } from 'viem'
import { expect, test, vi } from 'vitest'
import { createLogMatcher } from '../../../../devnet/json/logMatch.ts'
import type { FormattedLog, FormattedReceipt } from '../../../../devnet/json/receiptForm.ts'
import type { OptionsInput } from '../../../../devnet/options/options.ts'
import { START } from '../../../support/chain.ts'
import { artifact } from '../../../support/solidity.ts'
import { createRpcChain, hex, ZERO_HASH } from './rpcChain.ts'

const TRANSFER = keccak256(toHex('Transfer(address,address,uint256)'))
const token = artifact('Token')

/** A token created in block 1, with one transfer in each of the blocks 2 and 3, and one pre-confirmed in block 4. */
async function createWithLogs(options: OptionsInput = {}) {
  const node = await createRpcChain(options)
  const { call, account } = node
  const from = account(0).address
  const creation = await call('eth_sendTransaction', {
    from,
    data: `${token.bytecode}${pad('0x3e8').slice(2)}`,
  })
  await call('preconf_advance', { blocks: 1 })
  const { contractAddress } = await call<FormattedReceipt>('eth_getTransactionReceipt', creation)
  const transfer = (index: number, value: bigint) =>
    call<Hex>('eth_sendTransaction', {
      from,
      to: contractAddress,
      data: encodeFunctionData({
        abi: token.abi,
        functionName: 'transfer',
        args: [account(index).address, value],
      }),
    })
  await transfer(1, 1n)
  await call('preconf_advance', { blocks: 1 })
  await transfer(2, 2n)
  await call('preconf_advance', { blocks: 1 })
  await transfer(1, 3n)
  await call('preconf_advance', { ticks: 1 })
  const logs = (filter: object) => call<FormattedLog[]>('eth_getLogs', filter)
  /** Block numbers of the logs. */
  const blocks = async (filter: object) =>
    (await logs(filter)).map(({ blockNumber }) => Number(blockNumber))
  const topic = (index: number) => pad(account(index).address)
  return { ...node, from, contract: contractAddress, logs, blocks, topic, transfer }
}

const ALL = { fromBlock: 'earliest', toBlock: 'pending' }

test('default: a pre-confirmed log, and the same one sealed', async () => {
  const { call, chain, contract, from, account, logs } = await createWithLogs()
  const [preconfirmed] = await logs({ fromBlock: 'pending', toBlock: 'pending' })
  expect(preconfirmed).toEqual({
    address: contract,
    topics: [TRANSFER, pad(from), pad(account(1).address)],
    data: pad('0x3'),
    blockNumber: '0x4',
    transactionHash: chain.pending.executed[0]?.transaction.hash,
    transactionIndex: '0x0',
    blockHash: ZERO_HASH,
    blockTimestamp: hex(START + 8),
    logIndex: '0x0',
    removed: false,
  })
  await call('preconf_seal')
  expect(await logs({ fromBlock: 'latest' })).toEqual([
    { ...preconfirmed, blockHash: chain.head.hash },
  ])
  expect(await logs({ blockHash: chain.head.hash })).toEqual([
    { ...preconfirmed, blockHash: chain.head.hash },
  ])
})

test('args: range', async () => {
  const { blocks, chain } = await createWithLogs()
  expect({
    none: await blocks({}),
    latest: await blocks({ fromBlock: 'latest', toBlock: 'latest' }),
    all: await blocks(ALL),
    sealed: await blocks({ fromBlock: 'earliest' }),
    numbers: await blocks({ fromBlock: '0x1', toBlock: '0x2' }),
    latestToPending: await blocks({ fromBlock: 'latest', toBlock: 'pending' }),
    pendingOnly: await blocks({ fromBlock: 'pending', toBlock: 'pending' }),
    nextToPending: await blocks({ fromBlock: '0x4', toBlock: 'pending' }),
    pendingToLatest: await blocks({ fromBlock: 'pending', toBlock: 'latest' }),
    pendingToNothing: await blocks({ fromBlock: 'pending' }),
    blockHash: await blocks({ blockHash: chain.history.byNumber(2)?.hash }),
  }).toEqual({
    none: [3],
    latest: [3],
    all: [1, 2, 3, 4],
    sealed: [1, 2, 3],
    numbers: [1, 2],
    latestToPending: [3, 4],
    pendingOnly: [4],
    nextToPending: [4],
    pendingToLatest: [],
    pendingToNothing: [],
    blockHash: [2],
  })
})

test('no log twice, and none missing, when the pending block is sealed', async () => {
  const { call, blocks } = await createWithLogs()
  const before = await blocks(ALL)
  await call('preconf_seal')
  expect(await blocks(ALL)).toEqual(before)
})

test('args: address and topics', async () => {
  const { blocks, contract, topic } = await createWithLogs()
  const nobody = `0x${'ab'.repeat(20)}`
  const filter = (criteria: object) => blocks({ ...ALL, ...criteria })
  expect({
    address: await filter({ address: contract }),
    addresses: await filter({ address: [nobody, contract] }),
    otherAddress: await filter({ address: nobody }),
    noAddresses: await filter({ address: [] }),
    event: await filter({ topics: [TRANSFER] }),
    otherEvent: await filter({ topics: [ZERO_HASH] }),
    to1: await filter({ topics: [null, null, topic(1)] }),
    to1or2: await filter({ topics: [TRANSFER, [], [topic(1), topic(2)]] }),
    from0to2: await filter({ topics: [[TRANSFER, ZERO_HASH], topic(0), topic(2)] }),
    mixed: await filter({ address: contract, topics: [null, topic(1)] }),
    tooManyTopics: await filter({ topics: [null, null, null, null] }),
  }).toEqual({
    address: [1, 2, 3, 4],
    addresses: [1, 2, 3, 4],
    otherAddress: [],
    noAddresses: [1, 2, 3, 4],
    event: [1, 2, 3, 4],
    otherEvent: [],
    to1: [2, 4],
    to1or2: [2, 3, 4],
    from0to2: [3],
    mixed: [],
    tooManyTopics: [],
  })
})

test('log indexes run over the whole block', async () => {
  const { call, logs, transfer } = await createWithLogs()
  const second = await transfer(2, 4n)
  await call('preconf_advance', { ticks: 1 })
  const found = await logs({ fromBlock: 'pending', toBlock: 'pending' })
  expect(found.map(({ logIndex, transactionIndex }) => [logIndex, transactionIndex])).toEqual([
    ['0x0', '0x0'],
    ['0x1', '0x1'],
  ])
  const receipt = await call<FormattedReceipt>('eth_getTransactionReceipt', second)
  expect(receipt.logs).toEqual([found[1]])
})

test('ranges that make no sense', async () => {
  const { failure } = await createWithLogs()
  const range = (fromBlock: string | undefined, toBlock: string | undefined) =>
    failure('eth_getLogs', { fromBlock, toBlock })
  const invalid = { code: -32602, message: 'invalid block range params' }
  const beyond = { code: -32602, message: 'block range extends beyond current head block' }
  expect(await range('0x2', '0x1')).toEqual(invalid)
  expect(await range('latest', 'earliest')).toEqual(invalid)
  expect(await range('0x5', 'pending')).toEqual(invalid)
  expect(await range('0x1', '0x5')).toEqual(beyond)
  expect(await range('0x20', '0xffffffffffffffff')).toEqual(beyond)
})

test('unknown block hash', async () => {
  const { failure } = await createWithLogs()
  const blockHash = `0x${'ab'.repeat(32)}`
  expect(await failure('eth_getLogs', { blockHash })).toEqual({
    code: -32001,
    message: `block not found: ${blockHash}`,
  })
})

test('args: maxLogs', async () => {
  const { failure, blocks } = await createWithLogs({ maxLogs: 2 })
  expect(await blocks({ fromBlock: '0x1', toBlock: '0x2' })).toEqual([1, 2])
  const tooMany = (rest: string) => ({
    code: -32602,
    message: `query exceeds max results 2, ${rest}`,
  })
  expect(await failure('eth_getLogs', ALL)).toEqual(tooMany('retry with the range 0x0-0x2'))
  expect(await failure('eth_getLogs', { fromBlock: '0x2', toBlock: 'pending' })).toEqual(
    tooMany('retry with the range 0x2-0x3'),
  )
})

test('args: maxLogs exceeded by one block', async () => {
  const { call, failure, chain, transfer } = await createWithLogs({ maxLogs: 1 })
  await transfer(1, 1n)
  await call('preconf_advance', { ticks: 1 })
  const hint = 'query exceeds max results 1, retry with addresses or topics in the filter'
  const pending = { fromBlock: 'pending', toBlock: 'pending' }
  expect(await failure('eth_getLogs', pending)).toEqual({ code: -32602, message: hint })
  await call('preconf_seal')
  const { hash } = chain.head
  expect(await failure('eth_getLogs', { blockHash: hash })).toEqual({ code: -32602, message: hint })
})

test('args: keepBlocks', async () => {
  const { failure, blocks } = await createWithLogs({ keepBlocks: 2 })
  expect(await blocks(ALL)).toEqual([2, 3, 4])
  expect(await failure('eth_getLogs', { fromBlock: '0x1' })).toEqual({
    code: -32001,
    message:
      'block not found: 0x1: only the latest 2 blocks are kept; start with a larger --keep-blocks, or with 0 to keep all',
  })
})

/** Counts turns of the event loop until `work` is done; each look at the clock takes 6 ms. */
async function turnsDuring(work: () => Promise<unknown>): Promise<number> {
  let now = performance.now()
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => (now += 6))
  let isDone = false
  const [outcome, turns] = await Promise.all([
    Promise.allSettled([work()]).finally(() => {
      isDone = true
    }),
    (async () => {
      let count = 0
      for (; !isDone; count++) await new Promise((resolve) => setImmediate(resolve))
      return count
    })(),
  ])
  clock.mockRestore()
  if (outcome[0].status === 'rejected') throw outcome[0].reason
  return turns
}

test('a query over many blocks lets others in, and sees the chain of its beginning', async () => {
  const { call, blocks } = await createWithLogs()
  await call('hardhat_mine', '0x80')
  let found: number[] = []
  const turns = await turnsDuring(async () => {
    const querying = blocks(ALL)
    await call('evm_mine')
    found = await querying
  })
  expect(turns).toBeGreaterThan(0x80)
  expect(found).toEqual([1, 2, 3, 4])
})

test('a query lets others in between the logs of one transaction', async () => {
  const { call, logs, from } = await createWithLogs()
  const emitter: Hex = `0x${'e0'.repeat(20)}`
  // LOG0(0, 0), 200 times.
  await call('hardhat_setCode', emitter, `0x${'5f5fa0'.repeat(200)}`)
  await call('eth_sendTransaction', { from, to: emitter, gas: '0x30000' })
  await call('preconf_advance', { blocks: 1 })
  let found: FormattedLog[] = []
  const turns = await turnsDuring(async () => {
    found = await logs({ fromBlock: 'latest', address: emitter })
  })
  expect(turns).toBeGreaterThan(200)
  const firstIndex = Number(found[0]?.logIndex)
  expect(found.map(({ logIndex }) => Number(logIndex))).toEqual(
    Array.from({ length: 200 }, (_, index) => firstIndex + index),
  )
})

test('a client that hangs up ends its query', async () => {
  const { call, callAs } = await createWithLogs()
  await call('hardhat_mine', '0x80')
  const gone = AbortSignal.abort(new Error('gone'))
  const turns = turnsDuring(() => callAs({ signal: gone }, 'eth_getLogs', ALL))
  await expect(turns).rejects.toThrow('execution aborted (the request was withdrawn)')
})

test('the bloom of a block tells that it need not be looked into', async () => {
  const { chain, contract, topic } = await createWithLogs()
  if (contract === null) throw new Error('No token was created')
  const { logsBloom } = chain.head.header
  const mayMatch = (addresses: Hex[], topics: (Hex[] | null)[]) =>
    createLogMatcher({ addresses, topics }, chain.engine.crypto.keccak256).mayMatch(logsBloom)
  const nobody: Hex = `0x${'ab'.repeat(20)}`
  expect({
    everything: mayMatch([], []),
    address: mayMatch([nobody, contract], []),
    topics: mayMatch([contract], [[TRANSFER], null, [topic(2)]]),
    otherAddress: mayMatch([nobody], []),
    otherTopic: mayMatch([contract], [[TRANSFER], null, [topic(5)]]),
  }).toEqual({
    everything: true,
    address: true,
    topics: true,
    otherAddress: false,
    otherTopic: false,
  })
})
