import { getContractAddress, parseGwei } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { FormattedBlock } from '../../../../devnet/json/formatBlock.ts'
import type { FormattedLog } from '../../../../devnet/json/receiptForm.ts'
import type { OptionsInput } from '../../../../devnet/options/options.ts'
import type { Hex } from '../../../../devnet/primitives/hex.ts'
import { createTestChain, forkTestChain } from '../../../support/chain.ts'
import { MemorySource } from '../../../support/memorySource.ts'
import { createEmitterChain, EMITTER, summary, topicOf } from '../../stream/emitterChain.ts'
import { createSubscribed } from '../../stream/subscribedChain.ts'
import { createRpcChain, hex, type RpcChain, rpcChain, SLOW_CLOCKS } from './rpcChain.ts'

const OTHER: Hex = `0x${'aa'.repeat(20)}`

const payment = ({ account }: RpcChain, value: number, from = 0) => ({
  from: account(from).address,
  to: OTHER,
  value: hex(value),
})

const pay = (node: RpcChain, value: number, from = 0) =>
  node.call<Hex>('eth_sendTransaction', { ...payment(node, value, from), gas: '0x5208' })

const blockOf = ({ call }: RpcChain, name: string | number) =>
  call<FormattedBlock>('eth_getBlockByNumber', typeof name === 'number' ? hex(name) : name, false)

/** A chain of `count` blocks, each with a payment of its own number. */
async function createPaid(count: number, options: OptionsInput = {}) {
  const node = await createRpcChain(options)
  const hashes = await createPaidOn(node, count)
  const balance = (at = 'latest') => node.call<Hex>('eth_getBalance', OTHER, at)
  return { ...node, hashes, balance }
}

async function createPaidOn(node: RpcChain, count: number): Promise<Hex[]> {
  const hashes: Hex[] = []
  for (let number = 1; number <= count; number++) {
    hashes.push(await pay(node, number))
    await node.call('evm_mine')
  }
  return hashes
}

/** Number, parent and time of all blocks, and what they hold. */
const outline = async (node: RpcChain) => {
  const blocks = []
  for (let number = 0; number <= node.chain.head.number; number++) {
    const { hash, parentHash, timestamp, gasLimit, miner, transactions } = await blockOf(
      node,
      number,
    )
    blocks.push({ hash, parentHash, timestamp, gasLimit, miner, transactions })
  }
  return blocks
}

test('default: as many other blocks, which are empty', async () => {
  const node = await createPaid(4)
  const { call, hashes, balance, chain, clocks, account } = node
  const before = await outline(node)
  const { now } = clocks

  expect(await call('anvil_reorg', 2)).toBeNull()
  const after = await outline(node)
  expect(after.slice(0, 3)).toEqual(before.slice(0, 3))
  for (const [number, old] of before.entries()) {
    const { hash, parentHash, transactions, ...same } = after[number] ?? {}
    if (number < 3) continue
    expect(hash).not.toBe(old.hash)
    expect(parentHash).toBe(after[number - 1]?.hash)
    expect(transactions).toEqual([])
    expect(old).toMatchObject(same)
    expect(await call('eth_getBlockByHash', old.hash, false)).toBeNull()
    expect(await call('eth_getBlockByHash', hash, false)).toMatchObject({ number: hex(number) })
  }
  expect(clocks.now).toBe(now)
  expect(await balance()).toBe(hex(1 + 2))
  expect(await call('eth_getTransactionCount', account(0).address, 'pending')).toBe('0x2')
  for (const hash of hashes.slice(2)) {
    expect(await call('eth_getTransactionReceipt', hash)).toBeNull()
    expect(await call('eth_getTransactionByHash', hash)).toBeNull()
  }
  expect(chain.mempool.size).toBe(0)
  expect(chain.dropped).toEqual([
    { hash: hashes[2], reason: 'block 3, which held it, was reorganised', preconfirmed: true },
    { hash: hashes[3], reason: 'block 4, which held it, was reorganised', preconfirmed: true },
  ])

  // The nonces are free again, and the chain goes on.
  await pay(node, 50)
  await call('evm_mine')
  expect(await balance()).toBe(hex(53))
  expect(await blockOf(node, 5)).toMatchObject({ parentHash: after[4]?.hash })
})

test('again and again, always other hashes, and equal commands give equal ones', async () => {
  const play = async () => {
    const node = await createPaid(3)
    const hashes = [node.chain.head.hash]
    for (const depth of [1, 2, 2, 1]) {
      await node.call('anvil_reorg', depth)
      hashes.push(node.chain.head.hash)
    }
    await node.call('evm_mine')
    return [...hashes, node.chain.head.hash]
  }
  const hashes = await play()
  expect(new Set(hashes).size).toBe(6)
  expect(await play()).toEqual(hashes)
})

test.each([
  ['number', 2],
  ['quantity', '0x2'],
  ['zero', 0],
  ['all', 3],
])('args: depth as %s', async (_, depth) => {
  const node = await createPaid(3)
  const before = await outline(node)
  await node.call('anvil_reorg', depth, [])
  const after = await outline(node)
  expect(after).toHaveLength(4)
  const kept = after.filter(({ hash }, number) => hash === before[number]?.hash)
  expect(kept).toHaveLength(4 - Number(depth))
})

describe('transactions of the new blocks', () => {
  test('args: requests and signed ones, in their blocks, with nonces from the common block on', async () => {
    const node = await createPaid(4)
    const { call, chain, account, engine, balance } = node
    const signed = await privateKeyToAccount(account(1).privateKey).signTransaction({
      type: 'eip1559',
      to: OTHER,
      value: 1000n,
      nonce: 0,
      gas: 21_000n,
      maxFeePerGas: parseGwei('10'),
      chainId: engine.chainId,
    })
    const creator = account(2).address
    await call('anvil_reorg', 3, [
      [payment(node, 500), 2],
      [signed, 0],
      [payment(node, 100), 0],
      [payment(node, 200), 0],
      [{ from: creator, data: '0x600160005260206000f3' }, 2],
    ])
    expect(chain.head.number).toBe(4)
    const counts = [2, 3, 4].map((number) => chain.history.byNumber(number)?.executed.length)
    expect(counts).toEqual([3, 0, 2])
    const values = chain.history.byNumber(2)?.executed.map(({ transaction }) => transaction.value)
    expect(values).toEqual([1000n, 100n, 200n])
    expect(await balance()).toBe(hex(1 + 1000 + 100 + 200 + 500))
    expect(await call('eth_getTransactionCount', account(0).address)).toBe('0x4')
    const created = getContractAddress({ from: creator, nonce: 0n })
    expect(await call('eth_getCode', created, 'latest')).toBe(`0x${'00'.repeat(31)}01`)
    expect(chain.head.executed.every(({ success }) => success)).toBe(true)
  })

  test('a transaction of an abandoned block may come again, in another one', async () => {
    const node = await createPaid(3)
    const { call, chain, hashes, balance } = node
    const raw = await call<Hex>('eth_getRawTransactionByHash', hashes[1])
    await call('anvil_reorg', 2, [[raw, 1]])
    expect(await call('eth_getTransactionReceipt', hashes[1])).toMatchObject({
      blockNumber: '0x3',
      blockHash: chain.head.hash,
    })
    expect(await balance()).toBe(hex(1 + 2))
    expect(chain.dropped.map(({ hash }) => hash)).toEqual([hashes[2]])
  })

  test('impersonated senders, and gas as it is estimated on the common block', async () => {
    const node = await createPaid(2, { hardfork: 'prague' })
    const { call, chain } = node
    await call('hardhat_impersonateAccount', EMITTER)
    await call('hardhat_setBalance', EMITTER, hex(10n ** 20n))
    await call('evm_mine')
    await call('anvil_reorg', 1, [
      [{ from: EMITTER, to: OTHER, value: '0x7' }, 0],
      [{ from: EMITTER, to: OTHER, value: '0x8' }, 0],
    ])
    expect(chain.head.executed.map(({ transaction }) => transaction.gasLimit)).toEqual([
      21_000n,
      21_000n,
    ])
  })

  test('what its block cannot hold is dropped, with the reason', async () => {
    const node = await createPaid(2)
    const { call, chain, account } = node
    await call('anvil_reorg', 2, [
      [{ ...payment(node, 1), nonce: '0x5', gas: '0x5208' }, 0],
      [{ ...payment(node, 2, 1), value: hex(10n ** 30n), gas: '0x5208' }, 1],
      [{ ...payment(node, 3, 2), gas: '0x5208' }, 1],
      [{ ...payment(node, 4, 3), gas: '0x5208', gasPrice: '0x1' }, 1],
    ])
    expect(chain.head.executed.map(({ transaction: { sender } }) => sender)).toEqual([
      account(2).address,
    ])
    expect(chain.mempool.size).toBe(0)
    expect(chain.dropped.map(({ reason }) => reason)).toEqual([
      'block 1 could not hold it: nonce gap: next nonce 0, tx nonce 5',
      expect.stringMatching(/^block 2 could not hold it: insufficient funds for gas \* price/),
      expect.stringMatching(/^block 2 could not hold it: max fee per gas less than block base fee/),
      'block 1, which held it, was reorganised',
      'block 2, which held it, was reorganised',
    ])
  })
})

describe('errors', () => {
  test('error: depth and places, in the words of anvil', async () => {
    const node = await createPaid(2)
    const { failure, chain, account, call } = node
    const { hash } = chain.head
    expect(await failure('anvil_reorg', 3, [[payment(node, 1), 9]])).toEqual({
      code: -32602,
      message: 'Reorg depth must not exceed current chain height: current height 2, depth 3',
    })
    expect(await failure('anvil_reorg', 2, [[payment(node, 1), 2]])).toEqual({
      code: -32602,
      message:
        'Block number for reorg tx will exceed the reorged chain height. Block number 2 must not exceed (depth-1) 1',
    })
    const undecodable = await failure('eth_sendRawTransaction', '0x1234')
    expect(await failure('anvil_reorg', 1, [['0x1234', 0]])).toEqual(undecodable)
    expect(await failure('anvil_reorg', 1, [payment(node, 1)])).toEqual({
      code: -32602,
      message:
        'invalid argument 1: [0]: want a list of a transaction and a block index, got an object',
    })
    expect(await failure('anvil_reorg', 1, [[{ from: OTHER }, 0]])).toEqual({
      code: -32000,
      message: `Unknown account ${OTHER}`,
    })
    expect(chain.head.hash).toBe(hash)
    expect(await call('eth_getTransactionCount', account(0).address, 'pending')).toBe('0x2')
  })

  test('error: blocks that are not kept', async () => {
    const { call, failure, chain } = await createRpcChain({ keepBlocks: 3 })
    await call('hardhat_mine', '0xa')
    expect(await failure('anvil_reorg', 3)).toEqual({
      code: -32000,
      message: 'block 7 is final: want a reorg to block 8 or later',
    })
    await call('anvil_reorg', 2)
    expect([chain.head.number, chain.history.oldest]).toEqual([10, 8])
  })
})

describe('what stands on the abandoned blocks', () => {
  test('what was pre-confirmed or waits runs again, behind the new blocks', async () => {
    const node = await createPaid(2)
    const { call, chain, clocks, balance } = node
    const preconfirmed = await pay(node, 100, 1)
    const gap = await pay(node, 9)
    await call('preconf_advance', { ticks: 1 })
    const waiting = await pay(node, 1000, 1)
    const undone: unknown[] = []
    chain.events.undone.add((undo) => undone.push(undo))

    const reorg = await clocks.reorg({ depth: 1, requeues: false })
    expect(reorg).toMatchObject({ requeued: [], unconfirmed: [preconfirmed, gap] })
    expect(undone).toEqual([{ command: 'reorg', dropped: 1, reexecuted: 0, replaced: 1 }])
    expect(await balance('pending')).toBe('0x1')
    // The payer's nonce 1 was in the block that is gone, so its nonce 2 is behind a gap.
    expect(await call('txpool_status')).toEqual({ pending: '0x2', queued: '0x1' })
    expect(await call('eth_getTransactionReceipt', preconfirmed)).toBeNull()
    await call('preconf_advance', { ticks: 1 })
    const again = chain.pending.executed.map(({ transaction }) => transaction.hash)
    expect(again).toEqual([preconfirmed, waiting])
    await pay(node, 2)
    await call('evm_mine')
    expect(await call('eth_getTransactionReceipt', gap)).toMatchObject({ status: '0x1' })
    expect(await balance()).toBe(hex(1 + 100 + 1000 + 2 + 9))
  })

  test('args: requeues: as on geth, the transactions wait and come again', async () => {
    const node = await createPaid(3)
    const { call, chain, clocks, hashes, balance } = node
    const preconfirmed = await pay(node, 10)
    await call('preconf_advance', { ticks: 1 })
    const { common, ...reorg } = await clocks.reorg({ depth: 2, requeues: true })
    expect(common.number).toBe(1)
    expect(reorg).toEqual({
      requeued: hashes.slice(1),
      unconfirmed: [preconfirmed],
      dropped: [],
    })
    expect([chain.head.number, await balance()]).toEqual([3, '0x1'])
    expect(await call('eth_getTransactionReceipt', hashes[2])).toBeNull()
    expect(await call('eth_getTransactionByHash', hashes[2])).toMatchObject({ blockHash: null })
    await call('evm_mine')
    expect(chain.head.executed.map(({ transaction }) => transaction.hash)).toEqual([
      ...hashes.slice(1),
      preconfirmed,
    ])
    expect(await balance()).toBe(hex(1 + 2 + 3 + 10))
    expect(chain.dropped).toEqual([])
  })

  test('a sync send goes on waiting, or ends with the reason', async () => {
    const node = await createPaid(2)
    const { call, clocks, failure } = node
    const request = { ...payment(node, 5), gas: '0x5208' }
    const sent = call<{ blockNumber: Hex }>('eth_sendTransactionSync', request, 60_000)
    await node.chain.settled()
    await clocks.reorg({ depth: 1, requeues: true })
    await call('preconf_advance', { ticks: 1 })
    expect(await sent).toMatchObject({ blockNumber: '0x3' })

    const late = failure('eth_sendTransactionSync', { ...payment(node, 6), gas: '0x5208' }, 60_000)
    await node.chain.settled()
    const { hash } = node.chain.mempool.transactions().at(-1) ?? {}
    const replacements = [7, 8, 9, 10].map((value) => [payment(node, value), 0])
    await call('anvil_reorg', 2, replacements)
    expect(await late).toEqual({
      code: 5,
      message: 'The transaction was rejected: nonce too low: next nonce 4, tx nonce 3',
      data: hash,
    })
  })

  test('cheats on an abandoned block are gone, those before it stay', async () => {
    const node = await createPaid(1)
    const { call, chain, balance } = node
    await call('hardhat_setBalance', OTHER, '0x64')
    await call('hardhat_mine', '0x2')
    await call('hardhat_setBalance', OTHER, '0xff')
    await call('anvil_reorg', 2)
    expect(await balance()).toBe('0x64')
    expect(await balance('0x2')).toBe('0x64')
    expect(chain.stateTrie(chain.head).root()).toEqual(chain.head.header.stateRoot)
  })

  test('settings and choices for the next block stay', async () => {
    const node = await createPaid(2)
    const { call, chain, clocks } = node
    await call('evm_setBlockGasLimit', 100_000_000)
    await call('hardhat_setCoinbase', OTHER)
    await call('evm_mine')
    const { timestamp } = await blockOf(node, 'latest')
    const later = Number(timestamp) + 1000
    await call('evm_setNextBlockTimestamp', later)
    await call('hardhat_setNextBlockBaseFeePerGas', '0x7')
    const { now } = clocks
    await call('anvil_reorg', 2)
    expect(clocks.now).toBe(now)
    const [second, third] = [await blockOf(node, 2), await blockOf(node, 3)]
    expect(second.gasLimit).toBe(hex(60_000_000))
    expect(third).toMatchObject({ gasLimit: hex(100_000_000), miner: OTHER, timestamp })
    expect(chain.settings.gasLimit).toBe(100_000_000n)
    await call('evm_mine')
    expect(await blockOf(node, 4)).toMatchObject({
      timestamp: hex(later),
      baseFeePerGas: '0x7',
      gasLimit: hex(100_000_000),
      miner: OTHER,
    })
    expect(clocks.now).toBe(later * 1000)
  })

  test('snapshots of blocks that are gone are gone, others stay', async () => {
    const { call, chain, balance } = await createPaid(2)
    const kept = await call('evm_snapshot')
    await call('evm_mine')
    const gone = await call('evm_snapshot')
    await call('anvil_reorg', 1)
    expect(await call('evm_revert', gone)).toBe(false)
    expect(await call('evm_revert', kept)).toBe(true)
    expect([chain.head.number, await balance()]).toEqual([2, '0x3'])
    await call('evm_mine')
  })

  test('a reset and a state file after it', async () => {
    const node = await createPaid(3)
    const { call, chain } = node
    await call('anvil_reorg', 3, [[payment(node, 70), 1]])
    const state = await call('hardhat_dumpState')
    const { hash } = chain.head
    await call('hardhat_reset')
    expect(chain.head.number).toBe(0)
    await call('hardhat_loadState', state)
    expect(chain.head.hash).toBe(hash)
    expect(await call('eth_getBalance', OTHER, 'latest')).toBe(hex(70))
  })

  test('histories of addresses know the new blocks only', async () => {
    const node = await createPaid(3)
    const { call, chain, hashes } = node
    const search = async () => {
      type Page = { txs: { hash: Hex }[] }
      const { txs } = await call<Page>('ots_searchTransactionsBefore', OTHER, 0, 25)
      return txs.map(({ hash }) => hash)
    }
    expect(await search()).toEqual(hashes.toReversed())
    await call('anvil_reorg', 2, [[payment(node, 70), 1]])
    expect(await search()).toEqual([chain.head.executed[0]?.transaction.hash, hashes[0]])
  })
})

describe('modes', () => {
  test('instant mode goes on', async () => {
    const node = await createRpcChain({ instant: true, frozenTicks: false })
    for (const value of [1, 2, 3]) await pay(node, value)
    await node.call('anvil_reorg', 2)
    expect(node.chain.head.number).toBe(3)
    await pay(node, 10)
    expect(node.chain.head.number).toBe(4)
    expect(await node.call('eth_getBalance', OTHER, 'latest')).toBe('0xb')
    // What returns to the mempool is sealed at once.
    const { requeued } = await node.clocks.reorg({ depth: 1, requeues: true })
    await node.clocks.arrivals
    expect(requeued).toHaveLength(1)
    expect(node.chain.head).toMatchObject({ number: 5, executed: { length: 1 } })
  })

  test('clocks that run seal what follows as before', async () => {
    const node = await createRpcChain(SLOW_CLOCKS)
    const { call, chain, clocks } = node
    await pay(node, 1)
    await call('preconf_advance', { blocks: 2 })
    const next = clocks.seals.next
    const { timestamp } = chain.pending.environment
    await call('anvil_reorg', 2)
    expect(clocks.seals.next).toBe(next)
    expect(chain.pending.environment).toMatchObject({ timestamp, number: 3n })
  })

  test('reserved blocks are reserved again, but for those with transactions', async () => {
    const node = await createPaid(2)
    const { call, chain } = node
    await call('hardhat_mine', '0x3b9aca00', '0x2')
    const last = chain.head.number
    const old = [5, 1000, last - 1, last].map((number) => chain.history.byNumber(number))
    await call('anvil_reorg', last - 1, [[payment(node, 7), 998]])
    expect(chain.head.number).toBe(last)
    expect(chain.history.entries().length).toBeLessThan(10)
    for (const block of old) {
      const { number = 0, header } = block ?? {}
      const now = await blockOf(node, number)
      expect(now.hash).not.toBe(block?.hash)
      expect(now.timestamp).toBe(hex(header?.timestamp ?? 0n))
      const parent = await blockOf(node, number - 1)
      expect(now.parentHash).toBe(parent.hash)
    }
    expect(chain.history.byNumber(1000)?.executed).toHaveLength(1)
    expect(await call('eth_getBalance', OTHER, 'latest')).toBe(hex(1 + 7))
    // Into the range.
    await call('anvil_reorg', 500_000)
    expect(chain.head.number).toBe(last)
    await pay(node, 9)
    await call('evm_mine')
    expect(await call('eth_getBalance', OTHER, 'latest')).toBe(hex(1 + 7 + 9))
  })

  test('args: profile base-flashblocks: each new block opens with L1 attributes of its own', async () => {
    const node = await createPaid(3, { profile: 'base-flashblocks' })
    const { call, chain, clocks, hashes } = node
    const from = node.account(5).address
    const deposit = await call<Hex>('preconf_deposit', {
      from,
      to: OTHER,
      mint: '0x9',
      value: '0x9',
    })
    await call('evm_mine')
    const { requeued } = await clocks.reorg({ depth: 3, requeues: true })
    // L1 has decided on the deposit.
    expect(requeued).toEqual([hashes[1], hashes[2]])
    const types = (number: number) =>
      chain.history.byNumber(number)?.executed.map(({ transaction }) => transaction.type)
    expect([2, 3, 4].map(types)).toEqual([[0x7e], [0x7e], [0x7e, 0x7e]])
    expect(chain.findTransaction(deposit)).toMatchObject({ at: 'sealed', block: { number: 4 } })
    await call('evm_mine')
    expect(types(5)).toEqual([0x7e, 2, 2])
    expect(await node.balance()).toBe(hex(1 + 2 + 3 + 9))
  })

  test.each(['london', 'shanghai'] as const)('args: hardfork %s', async (hardfork) => {
    const node = await createPaid(3, { hardfork })
    const { hash } = node.chain.head
    await node.call('anvil_reorg', 2, [[payment(node, 7), 0]])
    expect(node.chain.head.hash).not.toBe(hash)
    expect(await node.balance()).toBe(hex(1 + 7))
  })
})

describe('forked chains', () => {
  async function createFork() {
    const upstream = await createTestChain()
    const { store, head } = upstream.chain
    const source = new MemorySource(store.view(head.version).retain())
    const node = rpcChain(await forkTestChain(upstream, source))
    onTestFinished(() => node.chain.close())
    return { ...node, source }
  }

  test('down to the fork block, whose first base fee stays; senders are loaded', async () => {
    const node = await createFork()
    const { call, chain, account, source } = node
    const first = await createPaidOn(node, 3)
    const { baseFeePerGas } = await blockOf(node, 1)
    const signed = await privateKeyToAccount(account(6).privateKey).signTransaction({
      type: 'eip1559',
      to: OTHER,
      value: 1000n,
      nonce: 0,
      gas: 21_000n,
      maxFeePerGas: parseGwei('10'),
      chainId: node.engine.chainId,
    })
    await call('anvil_reorg', 3, [
      [signed, 0],
      [payment(node, 7, 5), 2],
    ])
    expect(chain.head.number).toBe(3)
    expect(await blockOf(node, 1)).toMatchObject({ baseFeePerGas })
    expect(await call('eth_getBalance', OTHER, 'latest')).toBe(hex(1000 + 7))
    expect(chain.dropped.map(({ hash }) => hash)).toEqual(first)
    expect(source.asked.length).toBeGreaterThan(0)
  })

  test('error: below the fork block', async () => {
    const upstream = await createTestChain()
    await upstream.clocks.advanceBlocks(4)
    const { store, head } = upstream.chain
    const source = new MemorySource(store.view(head.version).retain())
    const { call, failure, chain } = rpcChain(await forkTestChain(upstream, source))
    onTestFinished(() => chain.close())
    await call('evm_mine')
    expect(await failure('anvil_reorg', 2)).toEqual({
      code: -32000,
      message: 'block 3 is final: want a reorg to block 4 or later',
    })
    await call('anvil_reorg', 1)
    expect(chain.head.number).toBe(5)
  })
})

describe('subscriptions', () => {
  test('default: removed logs, oldest first, then each new block with its logs', async () => {
    const node = await createSubscribed()
    const { call, subscribe, results, emit, tick, seal, account, connection } = node
    const logs = await subscribe('logs', { address: EMITTER })
    const one = await subscribe('logs', { topics: [topicOf(2)] })
    const heads = await subscribe('newHeads')
    for (const number of [1, 2, 3]) {
      await emit(number)
      await tick()
      await seal()
    }
    const given = results<FormattedLog>(logs)
    expect(given).toHaveLength(6)
    connection.sent.splice(0)
    const sent = { from: account(1).address, to: EMITTER, data: topicOf(9) }
    await call('anvil_reorg', 2, [[sent, 1]])

    const again = results<FormattedLog>(logs)
    expect(again.slice(0, 4)).toEqual(given.slice(2).map((log) => ({ ...log, removed: true })))
    expect(again.slice(4)).toEqual(await call('eth_getLogs', { fromBlock: '0x2' }))
    expect(again.slice(4)).toMatchObject([
      { blockNumber: '0x3', removed: false, topics: [topicOf(9)] },
      { blockNumber: '0x3', removed: false, topics: [] },
    ])
    expect(results<FormattedLog>(one).map(({ removed }) => removed)).toEqual([true])
    const hashes = [2, 3].map((number) => node.chain.history.byNumber(number)?.hash)
    expect(results<{ hash: Hex }>(heads).map(({ hash }) => hash)).toEqual(hashes)
    // What is removed comes before anything of the new chain.
    const kinds = connection.sent.map(({ params }) => {
      const { subscription, result } = params as { subscription: Hex; result: { removed?: true } }
      return subscription === heads ? 'head' : String(result.removed)
    })
    expect(kinds.lastIndexOf('true')).toBeLessThan(kinds.indexOf('head'))
  })

  test('pre-confirmed again, so sent again', async () => {
    const { clocks, subscribe, results, emit, tick, seal } = await createSubscribed()
    const pending = await subscribe('pendingLogs', { topics: [topicOf(1)] })
    const transactions = await subscribe('newFlashblockTransactions')
    const hash = await emit(1)
    await tick()
    await seal()
    await clocks.reorg({ depth: 1, requeues: true })
    await tick()
    expect(results(transactions)).toEqual([hash, hash])
    expect(summary(results(pending))).toEqual([
      [1, 1],
      [2, 1],
    ])
  })
})

describe('filters', () => {
  test('default: what was given comes again as removed, then the new chain', async () => {
    const { call, changes, emit, seal, tick, account } = await createEmitterChain()
    const read = await call<Hex>('eth_newFilter', { fromBlock: '0x1' })
    const late = await call<Hex>('eth_newFilter', {})
    const blocks = await call<Hex>('eth_newBlockFilter')
    const given: FormattedLog[][] = []
    for (const number of [1, 2, 3]) {
      await emit(number)
      await tick()
      await seal()
      given.push(await changes<FormattedLog>(read))
    }
    expect(await changes(blocks)).toHaveLength(3)
    const sent = { from: account(1).address, to: EMITTER, data: topicOf(9) }
    await call('anvil_reorg', 2, [[sent, 0]])
    const fresh = await call<FormattedLog[]>('eth_getLogs', { fromBlock: '0x2' })
    expect(await changes(read)).toEqual([
      ...given.slice(1).flatMap((logs) => logs.map((log) => ({ ...log, removed: true }))),
      ...fresh,
    ])
    expect(await changes(read)).toEqual([])
    // What was unread comes as on geth: as if it had been read at once.
    const unread = await changes<FormattedLog>(late)
    expect(unread).toEqual([
      ...given.flat(),
      ...given.slice(1).flatMap((logs) => logs.map((log) => ({ ...log, removed: true }))),
      ...fresh,
    ])
    const hashes = await changes<Hex>(blocks)
    expect(hashes).toHaveLength(2)
    const numbers = hashes.map((hash) => call('eth_getBlockByHash', hash, false))
    expect(await Promise.all(numbers)).toMatchObject([{ number: '0x2' }, { number: '0x3' }])
    expect(await call('eth_getFilterLogs', read)).toHaveLength(2 + 2)
  })

  test('args: toBlock pending: what was given before its seal is removed, too', async () => {
    const { call, changes, clocks, emit, seal, tick } = await createEmitterChain()
    const id = await call<Hex>('eth_newFilter', { toBlock: 'pending', topics: [topicOf(1)] })
    await emit(1)
    await tick()
    expect(summary(await changes(id))).toEqual([[1, 1]])
    await seal()
    await clocks.reorg({ depth: 1, requeues: true })
    expect(await changes(id)).toMatchObject([{ blockNumber: '0x1', removed: true }])
    await tick()
    expect(await changes(id)).toMatchObject([{ blockNumber: '0x2', removed: false }])
    await seal()
    expect(await changes(id)).toEqual([])
  })

  test('unread logs and hashes of several branches come in the order of events', async () => {
    const { call, changes, clocks, emit, seal, tick } = await createEmitterChain()
    const topic = { topics: [[1, 2, 3, 4, 5, 6].map(topicOf)] }
    const logs = await call<Hex>('eth_newFilter', topic)
    const blocks = await call<Hex>('eth_newBlockFilter')
    const block = async (number: number) => {
      await emit(number)
      await tick()
      await seal()
    }
    const drop = (depth: number) => clocks.reorg({ depth, requeues: false })
    for (const number of [1, 2, 3]) await block(number)
    const old = await Promise.all(
      ['0x1', '0x2', '0x3'].map((number) => call<{ hash: Hex }>('eth_getBlockByNumber', number)),
    )
    await drop(1)
    await block(4)
    await drop(3)
    await block(5)
    await drop(1)
    await block(6)
    const read = await changes<FormattedLog>(logs)
    expect(read.map(({ removed, topics }) => [removed, Number(topics[0])])).toEqual([
      ...[1, 2, 3].map((topic) => [false, topic]),
      [true, 3],
      [false, 4],
      ...[2, 4].map((topic) => [true, topic]),
      [false, 5],
      [true, 5],
      [false, 6],
    ])
    const hashes = await changes<Hex>(blocks)
    expect(hashes.slice(0, 3)).toEqual(old.map(({ hash }) => hash))
    // Blocks 1 to 3; 3 and 4; 2, 3, 4 and 5; 5 and 6.
    expect(hashes).toHaveLength(3 + 2 + 4 + 2)
    expect(new Set(hashes).size).toBe(hashes.length)
    expect([await changes(logs), await changes(blocks)]).toEqual([[], []])
  })

  test('args: toBlock and blockHash: unread logs out of the range do not come', async () => {
    const { call, changes, clocks, emit, seal, tick } = await createEmitterChain({ safeDepth: 1 })
    const filters = [
      { toBlock: '0x1' },
      { toBlock: '0x3' },
      { fromBlock: '0x2' },
      { toBlock: 'safe' },
    ]
    const ids = await Promise.all(filters.map((filter) => call<Hex>('eth_newFilter', filter)))
    for (const number of [1, 2]) {
      await emit(number)
      await tick()
      await seal()
    }
    const { hash } = await call<{ hash: Hex }>('eth_getBlockByNumber', '0x2')
    ids.push(await call<Hex>('eth_newFilter', { blockHash: hash }))
    await clocks.reorg({ depth: 2, requeues: false })
    const read = await Promise.all(ids.map((id) => changes<FormattedLog>(id)))
    expect(read.map((logs) => summary(logs).map(([block]) => block))).toEqual([
      [1, 1],
      [1, 2, 1, 2],
      [2, 2],
      [],
      [2, 2],
    ])
  })

  test('args: maxLogs: more unread logs do not come, nor are they removed', async () => {
    const { call, changes, clocks, emit, seal, tick } = await createEmitterChain({ maxLogs: 4 })
    const id = await call<Hex>('eth_newFilter', {})
    const block = async (...numbers: readonly number[]) => {
      for (const number of numbers) await emit(number)
      await tick()
      await seal()
    }
    await block(1, 2)
    await clocks.reorg({ depth: 1, requeues: false })
    await block(3)
    await clocks.reorg({ depth: 1, requeues: false })
    await block(4)
    const read: FormattedLog[][] = []
    do read.push(await changes<FormattedLog>(id))
    while (read.at(-1)?.length !== 0)
    expect(read.map(({ length }) => length)).toEqual([4, 4, 2, 0])
    expect(summary(read.flat()).map(([, topic]) => topic)).toEqual([1, 2, 1, 2, 4])
  })

  test('args: maxLogs: removed logs come in several reads, too', async () => {
    const node = await createEmitterChain({ maxLogs: 3 })
    const { call, changes, emit, seal, tick } = node
    const id = await call<Hex>('eth_newFilter', {})
    for (const number of [1, 2]) await emit(number)
    await tick()
    await seal()
    await emit(3)
    await tick()
    await seal()
    // Of block 1 one transaction in the first read.
    expect(summary(await changes(id))).toEqual([
      [1, 1],
      [1, 2],
    ])
    await call('anvil_reorg', 2)
    const reads = [await changes<FormattedLog>(id), await changes<FormattedLog>(id)]
    expect(reads.map((logs) => logs.map((log) => log.removed))).toEqual([
      // Those of block 2 had not been read.
      [false, false, true, true],
      [true, true, true, true],
    ])
    expect(await changes(id)).toEqual([])
  })
})
