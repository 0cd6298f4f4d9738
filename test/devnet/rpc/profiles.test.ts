import { keccak256 } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { describe, expect, test } from 'vitest'
import type { FormattedBlock } from '../../../devnet/json/formatBlock.ts'
import type { FormattedTransaction } from '../../../devnet/json/formatTransaction.ts'
import type { FormattedLog, FormattedReceipt } from '../../../devnet/json/receiptForm.ts'
import type { ProfileName } from '../../../devnet/options/optionTable.ts'
import { profileOf } from '../../../devnet/options/profileTable.ts'
import { type Hex, toHex } from '../../../devnet/primitives/hex.ts'
import { EMPTY_ROOT } from '../../../devnet/state/trie/persistentTrie.ts'
import { flashblocks } from '../../../devnet/stream/raw/flashblock.ts'
import { EMITTER, topicOf } from '../stream/emitterChain.ts'
import { fakeConnection } from '../stream/fakeConnection.ts'
import type { Message } from '../stream/raw/follower.ts'
import { createSubscribed } from '../stream/subscribedChain.ts'
import { hex, ZERO_HASH } from './methods/rpcChain.ts'

/** Returns slot 0 without calldata, and adds 1 to it with some. */
const COUNTER: Hex = `0x${'c0'.repeat(20)}`
const COUNTER_CODE = '0x36600c575f545f5260205ff35b5f546001015f5500'
/** Returns NUMBER. */
const CLOCK: Hex = `0x${'c1'.repeat(20)}`
const CLOCK_CODE = '0x435f5260205ff3'
const STRANGER: Hex = '0x1234567890123456789012345678901234567890'
const word = (number: number): Hex => `0x${number.toString(16).padStart(64, '0')}`

const BASE_KINDS = ['newFlashblocks', 'newFlashblockTransactions', 'pendingLogs']

/** What the networks differ in, written down apart from the table that the node reads. */
const NETWORKS = {
  plain: {
    empty: '0x1',
    readsCode: true,
    callsIn: 1,
    estimatesOn: 'pending',
    simulates: true,
    findsLogs: true,
    findsBlockReceipts: true,
    fundsCode: -32000,
    kinds: BASE_KINDS,
    silent: [],
  },
  'base-flashblocks': {
    empty: '0x0',
    readsCode: false,
    callsIn: 0,
    estimatesOn: 'latest',
    simulates: true,
    findsLogs: true,
    findsBlockReceipts: false,
    fundsCode: -32003,
    kinds: BASE_KINDS,
    silent: ['newPendingTransactions'],
  },
  'op-subblocks': {
    empty: '0x0',
    readsCode: true,
    callsIn: 1,
    estimatesOn: 'latest',
    simulates: false,
    findsLogs: false,
    findsBlockReceipts: false,
    fundsCode: -32003,
    kinds: [],
    silent: ['newPendingTransactions'],
  },
  unichain: {
    empty: '0x0',
    readsCode: false,
    callsIn: 0,
    estimatesOn: 'latest',
    simulates: true,
    findsLogs: true,
    findsBlockReceipts: false,
    fundsCode: -32003,
    kinds: BASE_KINDS,
    silent: ['newPendingTransactions'],
  },
  xlayer: {
    empty: '0x0',
    readsCode: true,
    callsIn: 1,
    estimatesOn: 'latest',
    simulates: false,
    findsLogs: true,
    findsBlockReceipts: true,
    fundsCode: -32003,
    kinds: ['flashblocks'],
    silent: [],
  },
  rise: {
    empty: '0x0',
    readsCode: false,
    callsIn: 0,
    estimatesOn: 'latest',
    simulates: true,
    findsLogs: true,
    findsBlockReceipts: false,
    fundsCode: -32003,
    kinds: ['shreds'],
    silent: ['newPendingTransactions'],
  },
} satisfies Partial<Record<ProfileName, object>>

type Network = keyof typeof NETWORKS

/** How many transactions each block opens with: the deposit of the L1 attributes, or none. */
const opening = (profile: Network) =>
  ['base-flashblocks', 'op-subblocks', 'unichain'].includes(profile) ? 1 : 0

/** A transfer of 1 wei to STRANGER, whose hash is known before it is sent. */
async function signedTransfer(privateKey: Hex) {
  const raw = await privateKeyToAccount(privateKey).signTransaction({
    chainId: 31337,
    to: STRANGER,
    value: 1n,
    gas: 21_000n,
    gasPrice: 5_000_000_000n,
  })
  const submit = (call: (method: string, raw: Hex) => Promise<unknown>) =>
    call('eth_sendRawTransaction', raw)
  return { hash: keccak256(raw), submit }
}

/** A node of a network, with the contracts and the accounts of the tests. */
async function network(profile: ProfileName) {
  const node = await createSubscribed({ profile })
  const { account, call, emit, failure, tick } = node
  await call('hardhat_setCode', COUNTER, COUNTER_CODE)
  await call('hardhat_setCode', CLOCK, CLOCK_CODE)
  const [alice, bob] = [account(0).address, account(1).address]
  const send = (from: Hex, fields: object) =>
    call<Hex>('eth_sendTransaction', { from, gas: '0x186a0', gasPrice: '0x12a05f200', ...fields })
  return {
    ...node,
    alice,
    bob,
    send,
    block: (tag: string) => call<FormattedBlock>('eth_getBlockByNumber', tag, false),
    logs: (filter: object) => call<FormattedLog[]>('eth_getLogs', filter),
    receipt: (hash: Hex) => call<FormattedReceipt | null>('eth_getTransactionReceipt', hash),
    found: (hash: Hex) => call<FormattedTransaction | null>('eth_getTransactionByHash', hash),
    /** One slice of one transfer. */
    async first() {
      const hash = await send(alice, { to: STRANGER, value: '0x1' })
      await tick()
      return hash
    },
    /** A second slice of five: a transfer of 4660 wei, two increments, two emitters. */
    async second() {
      const hashes = [
        await send(alice, { to: STRANGER, value: '0x1234' }),
        await send(bob, { to: COUNTER, data: '0x01' }),
        await send(bob, { to: COUNTER, data: '0x01' }),
        await emit(1, 1),
        await emit(2, 1),
      ]
      await tick()
      return hashes
    },
    /** Code of the error. */
    codeOf: async (method: string, ...params: unknown[]) =>
      ((await failure(method, ...params)) as { code: number }).code,
  }
}

describe.each(Object.keys(NETWORKS) as Network[])('%s', (profile) => {
  const expected = NETWORKS[profile]
  const pendingHash = (block: FormattedBlock) => (profile === 'xlayer' ? block.hash : ZERO_HASH)

  test('the pending block: latest while it is empty, then it grows', async () => {
    const { block, call, first, second } = await network(profile)
    const count = (tag: string) => call('eth_getBlockTransactionCountByNumber', tag)
    expect((await block('pending')).number).toBe(expected.empty)
    await first()
    expect(await block('pending')).toMatchObject({ number: '0x1' })
    expect((await block('pending')).transactions).toHaveLength(1 + opening(profile))
    await second()
    const pending = await block('pending')
    const size = 6 + opening(profile)
    expect(pending.transactions).toHaveLength(size)
    expect(await block('latest')).toMatchObject({ number: '0x0', transactions: [] })
    // OP's specification does not name the count.
    expect(await count('pending')).toBe(profile === 'op-subblocks' ? '0x0' : hex(size))
    expect(await count('latest')).toBe('0x0')
  })

  test('fields of the pending header', async () => {
    const { block, first, second, seal } = await network(profile)
    await first()
    const before = await block('pending')
    await second()
    const pending = await block('pending')
    expect(pending).toMatchObject({
      hash: pendingHash(pending),
      stateRoot: ZERO_HASH,
      parentHash: (await block('latest')).hash,
      withdrawals: [],
      uncles: [],
      difficulty: '0x0',
      nonce: '0x0000000000000000',
      excessBlobGas: '0x0',
      requestsHash: '0xe3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
      withdrawalsRoot: profile === 'op-subblocks' ? ZERO_HASH : toHex(EMPTY_ROOT),
    })
    expect(pending.transactionsRoot).not.toBe(before.transactionsRoot)
    expect(pending.receiptsRoot).not.toBe(before.receiptsRoot)
    const { parentBeaconBlockRoot } = pending
    expect(parentBeaconBlockRoot).toMatch(/^0x[0-9a-f]{64}$/)
    expect(Number(pending.gasUsed)).toBeGreaterThan(Number(before.gasUsed))
    if (profile === 'xlayer') expect(new Set([before.hash, pending.hash, ZERO_HASH]).size).toBe(3)
    await seal()
    expect(await block('latest')).toMatchObject({
      parentBeaconBlockRoot,
      receiptsRoot: pending.receiptsRoot,
      transactionsRoot: pending.transactionsRoot,
      withdrawalsRoot: toHex(EMPTY_ROOT),
    })
  })

  test('balances and nonces', async () => {
    const { alice, bob, call, first, second } = await network(profile)
    const count = (address: Hex, tag: string) => call('eth_getTransactionCount', address, tag)
    expect(await count(alice, 'pending')).toBe('0x0')
    await first()
    await second()
    expect(await call('eth_getBalance', STRANGER, 'pending')).toBe('0x1235')
    expect(await call('eth_getBalance', STRANGER, 'latest')).toBe('0x0')
    expect(await call('eth_getBalance', STRANGER)).toBe('0x0')
    expect([await count(alice, 'pending'), await count(bob, 'pending')]).toEqual(['0x2', '0x4'])
    expect([await count(alice, 'latest'), await count(bob, 'latest')]).toEqual(['0x0', '0x0'])
  })

  test('a transaction and its receipt by hash: at once together; the seal adds the hash', async () => {
    const { account, alice, block, call, found, receipt, first, second, seal } =
      await network(profile)
    const { hash: signed, submit } = await signedTransfer(account(3).privateKey)
    expect([await found(signed), await receipt(signed)]).toEqual([null, null])
    await submit(call)
    const own = await first()
    expect(await found(own)).toMatchObject({ from: alice, to: STRANGER, value: '0x1' })
    for (const hash of [own, signed]) {
      expect(await receipt(hash)).toMatchObject({ gasUsed: '0x5208', status: '0x1' })
    }
    expect(await receipt(signed)).toMatchObject({ from: account(3).address, to: STRANGER })
    const [, , , emitter = ZERO_HASH] = await second()
    const pending = await block('pending')
    const [one, its] = [await found(emitter), await receipt(emitter)]
    const shownHash = pendingHash(pending)
    // On RISE only the receipt has a block before the seal.
    const isPlaced = profile !== 'rise'
    expect(one).toMatchObject({
      blockHash: profile === 'xlayer' ? shownHash : null,
      blockNumber: isPlaced ? '0x1' : null,
      transactionIndex: isPlaced ? hex(5 + opening(profile)) : null,
    })
    expect(its).toMatchObject({ blockHash: shownHash, blockNumber: '0x1', status: '0x1' })
    expect(its?.logs.map(({ blockHash, logIndex }) => [blockHash, logIndex])).toEqual([
      [shownHash, '0x0'],
      [shownHash, '0x1'],
    ])
    await seal()
    const { hash: blockHash } = await block('latest')
    if (isPlaced) expect(await found(emitter)).toEqual({ ...one, blockHash })
    else expect(await found(emitter)).toMatchObject({ hash: emitter, blockHash })
    const logs = its?.logs.map((log) => ({ ...log, blockHash }))
    expect(await receipt(emitter)).toEqual({ ...its, blockHash, logs })
  })

  test('code, storage and receipts of the block, for those that know them', async () => {
    const { alice, call, first, second, send, receipt, tick } = await network(profile)
    await first()
    await second()
    const deployed = await send(alice, { data: '0x60015f5360015ff3' })
    await tick()
    const { contractAddress = null } = (await receipt(deployed)) ?? {}
    const { readsCode } = expected
    expect(await call('eth_getCode', contractAddress, 'pending')).toBe(readsCode ? '0x01' : '0x')
    expect(await call('eth_getStorageAt', COUNTER, '0x0', 'pending')).toBe(word(readsCode ? 2 : 0))
    const receipts = await call<unknown[]>('eth_getBlockReceipts', 'pending')
    expect(receipts).toHaveLength(expected.findsBlockReceipts ? 7 : 0)
  })

  test('calls and estimates: the pending state, in the block of the network', async () => {
    const { bob, call, failure, first, second, send, tick } = await network(profile)
    await first()
    await second()
    const callOn = (to: Hex, tag?: string) =>
      call('eth_call', { to }, ...(tag === undefined ? [] : [tag]))
    expect(await callOn(COUNTER, 'pending')).toBe(word(2))
    expect([await callOn(COUNTER, 'latest'), await callOn(COUNTER)]).toEqual([word(0), word(0)])
    expect(await callOn(CLOCK, 'pending')).toBe(word(expected.callsIn))
    const estimate = (...block: string[]) =>
      call<Hex>('eth_estimateGas', { from: bob, to: COUNTER, data: '0x01' }, ...block)
    expect(await estimate()).toBe(await estimate(expected.estimatesOn))
    // The first write to the slot costs more.
    expect(Number(await estimate('latest'))).toBeGreaterThan(Number(await estimate('pending')))
    const transfer = { from: bob, to: STRANGER, value: '0x21e19e0c9bab2400000' }
    const gone = await call<Hex>('eth_getBalance', bob, 'pending')
    const spare = 10n ** 18n
    await send(bob, { to: STRANGER, value: `0x${(BigInt(gone) - spare).toString(16)}` })
    const small = { ...transfer, value: `0x${(2n * spare).toString(16)}` }
    expect(await call('eth_call', small, 'pending')).toBe('0x')
    expect(await call('eth_estimateGas', small, 'pending')).toBe('0x5208')
    await tick()
    const message = expect.stringContaining('insufficient funds for gas')
    const lacking = { code: expected.fundsCode, message }
    expect(await failure('eth_call', small, 'pending')).toMatchObject(lacking)
    expect(await failure('eth_estimateGas', small, 'pending')).toMatchObject(lacking)
    expect(await call('eth_call', small, 'latest')).toBe('0x')
    expect(await call('eth_estimateGas', small, 'latest')).toBe('0x5208')
  })

  test('eth_simulateV1 on top of what is pre-confirmed, or of latest', async () => {
    const { bob, call, first, second } = await network(profile)
    await first()
    await second()
    const from = { from: bob, to: COUNTER, maxFeePerGas: '0x12a05f200', gas: '0x186a0' }
    const calls = [from, { ...from, data: '0x01' }, from]
    const simulate = (validation: boolean) =>
      call<{ number: Hex; calls: { returnData: Hex }[]; transactions: object[] }[]>(
        'eth_simulateV1',
        { blockStateCalls: [{ calls }], validation, returnFullTransactions: true },
        'pending',
      )
    const [block] = await simulate(true)
    const [unchecked] = await simulate(false)
    expect(unchecked?.calls.map(({ returnData }) => returnData)).toEqual(
      block?.calls.map(({ returnData }) => returnData),
    )
    // What the simulation runs on has taken bob's nonces.
    const nonce = expected.simulates ? 4 : 0
    expect(block?.transactions).toMatchObject(
      [0, 1, 2].map((index) => ({ from: bob, to: COUNTER, nonce: hex(nonce + index) })),
    )
    const start = expected.simulates ? 2 : 0
    expect(block?.number).toBe('0x1')
    expect(block?.calls.map(({ returnData }) => returnData)).toEqual([
      word(start),
      '0x',
      word(start + 1),
    ])
  })

  test('eth_getLogs: what is pre-confirmed comes last, if the range ends at pending', async () => {
    const { logs, first, second, seal, emit, tick } = await network(profile)
    await emit(7)
    await tick()
    await seal()
    await first()
    await second()
    const topics = (found: FormattedLog[]) =>
      found.flatMap(({ topics: [topic] }) => (topic === undefined ? [] : [Number(topic)]))
    const pending = expected.findsLogs ? [1, 2] : []
    const all = { address: EMITTER, toBlock: 'pending' }
    for (const fromBlock of ['earliest', '0x0', '0x1']) {
      expect(topics(await logs({ ...all, fromBlock }))).toEqual([7, ...pending])
    }
    expect(topics(await logs({ ...all, fromBlock: 'latest' }))).toEqual([7, ...pending])
    expect(topics(await logs({ ...all, fromBlock: 'earliest', topics: [topicOf(2)] }))).toEqual(
      expected.findsLogs ? [2] : [],
    )
    expect(await logs({ ...all, fromBlock: 'earliest', address: STRANGER })).toEqual([])
    expect(topics(await logs({ fromBlock: 'earliest', toBlock: 'latest' }))).toEqual([7])
    if (!expected.findsLogs) return
    expect(topics(await logs({ ...all, fromBlock: 'pending' }))).toEqual(pending)
    expect(await logs({ fromBlock: 'pending', toBlock: 'latest' })).toEqual([])
  })

  test('eth_subscribe: the kinds of the network, and no others', async () => {
    const { call, callAs, failure, subscribe, results, emit, tick, seal, connection } =
      await network(profile)
    const ids = new Map<string, Hex>()
    for (const kind of ['newHeads', 'newPendingTransactions', ...expected.kinds]) {
      ids.set(
        kind,
        await subscribe(kind, kind === 'flashblocks' ? { headerInfo: true } : undefined),
      )
    }
    const others = [...BASE_KINDS, 'flashblocks', 'shreds', 'miniBlocks', 'stateChanges'].filter(
      (kind) => !expected.kinds.some((own) => own === kind),
    )
    const caller = { subscribe: () => connection }
    for (const kind of others) {
      await expect(callAs(caller, 'eth_subscribe', kind)).rejects.toMatchObject({ code: -32602 })
    }
    expect(await failure('eth_subscribe', 'newHeads')).toMatchObject({ code: -32601 })
    const hash = await emit(1)
    await tick()
    const sent = (kind: string) => results<object>(ids.get(kind))
    expect(sent('newPendingTransactions')).toEqual(expected.silent.length > 0 ? [] : [hash])
    expect(sent('newHeads')).toEqual([])
    if (expected.kinds === BASE_KINDS) {
      const [flashblock, ...others] = results<FormattedBlock>(ids.get('newFlashblocks'))
      expect(flashblock).toMatchObject({ number: '0x1', hash: ZERO_HASH })
      expect(flashblock?.transactions.at(-1)).toMatchObject({ hash, blockHash: null })
      expect(others).toEqual([])
      const hashes = sent('newFlashblockTransactions')
      expect([hashes.length, hashes.at(-1)]).toEqual([1 + opening(profile), hash])
      expect(sent('pendingLogs')).toHaveLength(2)
    }
    await seal()
    expect(sent('newHeads')).toHaveLength(1)
    const heads = ids.get('newHeads')
    expect(await callAs(caller, 'eth_unsubscribe', heads)).toBe(true)
    await seal()
    expect(sent('newHeads')).toHaveLength(1)
    expect(
      await call('eth_getFilterChanges', await call('eth_newPendingTransactionFilter')),
    ).toEqual([])
  })

  test('by number and by the hash of receipts', async () => {
    const { call, codeOf, block, first, receipt } = await network(profile)
    const { blockHash } = (await receipt(await first())) ?? {}
    const isWhole = profile === 'xlayer'
    expect(await block('0x1')).toEqual(isWhole ? await block('pending') : null)
    const byHash = await call('eth_getBlockByHash', blockHash, false)
    const isFound = isWhole || profile === 'plain'
    expect(byHash).toEqual(isFound ? await block('pending') : null)
    if (isFound) {
      expect(await call('eth_getBalance', STRANGER, '0x1')).toBe('0x1')
    } else {
      expect(await codeOf('eth_getBalance', STRANGER, '0x1')).toBe(-32001)
      expect(await codeOf('eth_getLogs', { fromBlock: '0x0', toBlock: '0x1' })).toBe(-32602)
    }
    expect(await block('0x2')).toBe(null)
  })

  test('a transaction that waits for its tick', async () => {
    const { alice, call, found, receipt, send } = await network(profile)
    const pool = await call<Hex>('eth_newPendingTransactionFilter')
    const hash = await send(alice, { to: STRANGER, value: '0x1' })
    expect(await receipt(hash)).toBe(null)
    const seen = await found(hash)
    // Nobody could see on op-subblocks that a transaction was replaced.
    if (profile === 'op-subblocks') expect(seen).toBe(null)
    else expect(seen).toMatchObject({ blockHash: null, blockNumber: null, transactionIndex: null })
    const isTold = profile === 'plain' || profile === 'xlayer'
    expect(await call('eth_getFilterChanges', pool)).toEqual(isTold ? [hash] : [])
    const nonce = await call('eth_getTransactionCount', alice, 'pending')
    expect(nonce).toBe(profile === 'xlayer' ? '0x1' : '0x0')
    // Tools of the node see all of it.
    expect(await call('txpool_status')).toEqual({ pending: '0x1', queued: '0x0' })
  })

  test('what cheats and snapshots do is the same', async () => {
    const { call, first, block } = await network(profile)
    const snapshot = await call('evm_snapshot')
    await first()
    await call('hardhat_setBalance', STRANGER, '0x7')
    expect(await call('eth_getBalance', STRANGER, 'pending')).toBe('0x7')
    await call('evm_revert', snapshot)
    expect(await call('eth_getBalance', STRANGER, 'pending')).toBe('0x0')
    expect((await block('pending')).number).toBe(expected.empty)
    await call('hardhat_setBalance', STRANGER, '0x8')
    expect(await call('eth_getBalance', STRANGER, 'pending')).toBe('0x8')
  })
})

/** Set-up of Base's tests: slice A is index 0 with a deposit, slice B holds nine transactions. */
async function twoSlices(profile: 'base-flashblocks' | 'unichain') {
  const node = await network(profile)
  const { account, call, second, send, emit, alice, bob, seal, tick } = node
  // The first block of a node gets its deposit with a tick.
  await tick()
  return {
    ...node,
    /** Opens block 2. */
    sliceA: () => seal(),
    /** {@link network}'s five, a deposit, a creation, a transfer and an emitter. */
    async sliceB() {
      await call('preconf_deposit', { from: account(4).address, to: STRANGER, value: '0x1' })
      await send(bob, { data: '0x60015f5360015ff3' })
      await send(alice, { to: STRANGER, value: '0x2' })
      await emit(3, 2)
      return await second()
    },
  }
}

describe.each(['base-flashblocks', 'unichain'] as const)('subscriptions of %s', (profile) => {
  test('newFlashblocks: 1 transaction in index 0, then 10; empty slices too; each client', async () => {
    const { subscribe, results, sliceA, sliceB, tick } = await twoSlices(profile)
    const other = fakeConnection()
    const mine = await subscribe('newFlashblocks')
    const theirs = await subscribe('newFlashblocks', undefined, other)
    await sliceA()
    await sliceB()
    await tick()
    for (const found of [results<FormattedBlock>(mine), results<FormattedBlock>(theirs, other)]) {
      expect(found.map(({ number, transactions }) => [number, transactions.length])).toEqual([
        ['0x2', 1],
        ['0x2', 10],
        ['0x2', 10],
      ])
      expect(found[0]?.transactions).toMatchObject([{ type: '0x7e', blockHash: null }])
    }
  })

  test('newFlashblockTransactions: 1 message, then 9, one for each transaction', async () => {
    const { block, connection, subscribe, results, sliceA, sliceB } = await twoSlices(profile)
    const hashes = await subscribe('newFlashblockTransactions')
    const full = await subscribe('newFlashblockTransactions', true)
    const filtered = await subscribe('newFlashblockTransactions', { topics: [topicOf(2)] })
    const logs = await subscribe('pendingLogs')
    await sliceA()
    expect([results(hashes).length, results(full).length]).toEqual([1, 1])
    expect(results<FormattedTransaction>(full)).toMatchObject([{ type: '0x7e' }])
    const before = connection.sent.length
    await sliceB()
    const { transactions } = await block('pending')
    expect(results(hashes)).toEqual(transactions)
    const found = results<FormattedTransaction & { logs: FormattedLog[] }>(full)
    expect(found.map(({ hash, blockNumber }) => [hash, blockNumber])).toEqual(
      transactions.map((hash) => [hash, '0x2']),
    )
    const emitted = found.filter((one) => one.logs.length > 0)
    expect(emitted.map((one) => one.logs.length)).toEqual([2, 2, 2])
    expect(results(filtered)).toEqual(
      emitted.filter((one) => one.logs.some(({ topics }) => topics[0] === topicOf(2))),
    )
    expect(results(logs)).toEqual(emitted.flatMap((one) => one.logs))
    // Nine of each of two kinds, one of the filter, six logs.
    expect(connection.sent.length - before).toBe(9 + 9 + 1 + 6)
  })

  test('a deposit has a receipt of its own gas', async () => {
    const { alice, call, found, receipt, tick } = await network(profile)
    const hash = await call<Hex>('preconf_deposit', { from: alice, to: STRANGER, value: '0x1' })
    expect([await found(hash), await receipt(hash)]).toEqual([null, null])
    await tick()
    expect(await found(hash)).toMatchObject({ from: alice, type: '0x7e', gasPrice: '0x0' })
    expect(await receipt(hash)).toMatchObject({ from: alice, gasUsed: '0x5208', type: '0x7e' })
  })

  test('a cheat is no slice, and leaves the opening deposit in its block', async () => {
    const { call, block, chain, subscribe, results, sliceA, sliceB, tick } =
      await twoSlices(profile)
    const messages: Message[] = []
    const stop = flashblocks(profileOf(profile))(chain).add(({ text }) => {
      messages.push(JSON.parse(text.text))
    })
    const id = await subscribe('newFlashblocks')
    const placed = () => messages.map(({ index, diff }) => [index, diff.transactions.length])
    await sliceA()
    await sliceB()
    await call('hardhat_setBalance', STRANGER, '0x7')
    expect(await call('eth_getBalance', STRANGER, 'pending')).toBe('0x7')
    await tick()
    expect(placed()).toEqual([
      [0, 1],
      [1, 9],
      [2, 0],
    ])
    expect(results(id)).toHaveLength(3)
    // On an empty block, it changes the state before the deposit, so the block is built anew.
    await sliceA()
    const [{ payload_id: opened } = { payload_id: '' }] = messages.splice(0).slice(-1)
    await call('hardhat_setBalance', STRANGER, '0x8')
    await call('evm_increaseTime', '0x64')
    expect(placed()).toEqual([
      [0, 1],
      [0, 1],
    ])
    expect(messages.map(({ payload_id: id }) => id)).not.toContain(opened)
    expect((await block('pending')).transactions).toHaveLength(1)
    expect(await call('eth_getBalance', STRANGER, 'latest')).toBe('0x8')
    stop()
  })
})

test('plain: each client of newFlashblocks and newFlashblockTransactions is served', async () => {
  const { subscribe, results, first, second } = await network('plain')
  const other = fakeConnection()
  const kinds = ['newFlashblocks', 'newFlashblockTransactions'] as const
  const mine = await Promise.all(kinds.map((kind) => subscribe(kind)))
  const theirs = await Promise.all(kinds.map((kind) => subscribe(kind, undefined, other)))
  const own = await first()
  const hashes = await second()
  for (const [[blocks, sent], of] of [
    [mine, undefined],
    [theirs, other],
  ] as const) {
    expect(results<FormattedBlock>(blocks, of).map((one) => one.transactions.length)).toEqual([
      1, 6,
    ])
    expect(results(sent, of)).toEqual([own, ...hashes])
  }
})

describe('xlayer', () => {
  test('flashblocks: each client is served, and a cheat is no slice', async () => {
    const { call, subscribe, results, first, seal } = await network('xlayer')
    const clients = [fakeConnection(), fakeConnection()]
    const ids = await Promise.all(
      clients.map((client) => subscribe('flashblocks', { headerInfo: true }, client)),
    )
    await seal()
    await call('hardhat_setBalance', STRANGER, '0x7')
    const hash = await first()
    await call('hardhat_setBalance', STRANGER, '0x8')
    const opened = { type: 'header', header: { number: '0x2' } }
    for (const [index, id] of ids.entries()) {
      expect(results(id, clients[index])).toMatchObject([
        opened,
        opened,
        { type: 'transaction', transaction: { txHash: hash } },
      ])
    }
  })

  test('flashblocks: headers, transactions and receipts as asked for', async () => {
    const { subscribe, results, alice, call, first, second, block } = await network('xlayer')
    const headers = await subscribe('flashblocks', { headerInfo: true })
    const some = await subscribe('flashblocks', {
      subTxFilter: { subscribeAddresses: [EMITTER], txInfo: true, txReceipt: true },
    })
    const ofAlice = await subscribe('flashblocks', { subTxFilter: { subscribeAddresses: [alice] } })
    const own = await first()
    const hashes = await second()
    const { transactions: _, size, uncles, withdrawals, ...header } = await block('pending')
    const sentHeaders = results<{ type: string; header: object }>(headers)
    expect(sentHeaders.filter(({ type }) => type === 'header').at(-1)?.header).toEqual(header)
    expect(results(ofAlice)).toEqual(
      [own, hashes[0]].map((txHash) => ({ type: 'transaction', transaction: { txHash } })),
    )
    const emitted = []
    for (const txHash of hashes.slice(3)) {
      const txData = await call('eth_getTransactionByHash', txHash)
      const receipt = await call('eth_getTransactionReceipt', txHash)
      emitted.push({ type: 'transaction', transaction: { txHash, txData, receipt } })
    }
    expect(results(some)).toEqual(emitted)
  })

  test.each([
    ['no filter', [], 'missing value for required argument 1'],
    ['an unknown field', [{ header: true }], 'invalid argument 1: unknown field "header"'],
    ['no list', [{ subTxFilter: { subscribeAddresses: EMITTER } }], 'invalid argument 1'],
  ])('flashblocks: refuses %s', async (_name, params, message) => {
    const { callAs, connection } = await network('xlayer')
    const caller = { subscribe: () => connection }
    await expect(callAs(caller, 'eth_subscribe', 'flashblocks', ...params)).rejects.toMatchObject({
      code: -32602,
      message: expect.stringContaining(message),
    })
  })

  test('eth_estimateGas names a block: the hash of the pending one as well', async () => {
    const { call, first, second, block } = await network('xlayer')
    await first()
    await second()
    const { hash } = await block('pending')
    expect(await call('eth_call', { to: COUNTER }, { blockHash: hash })).toBe(word(2))
    expect(await call('eth_getBlockTransactionCountByHash', hash)).toBe('0x6')
    expect(await call('eth_getBlockByHash', ZERO_HASH, false)).toBe(null)
  })
})

describe('base', () => {
  test('nothing is shown before it is sealed', async () => {
    const { alice, block, call, found, logs, receipt, first, second, seal } = await network('base')
    const hash = await first()
    const [, , , emitter = ZERO_HASH] = await second()
    // As it waits in the mempool of a node.
    expect(await found(hash)).toMatchObject({ hash, blockHash: null, blockNumber: null })
    expect(await receipt(hash)).toBe(null)
    expect(await block('pending')).toEqual(await block('latest'))
    expect(await call('eth_getBalance', STRANGER, 'pending')).toBe('0x0')
    expect(await call('eth_getTransactionCount', alice, 'pending')).toBe('0x0')
    expect(await call('eth_call', { to: COUNTER }, 'pending')).toBe(word(0))
    expect(await logs({ fromBlock: 'earliest', toBlock: 'pending' })).toEqual([])
    await seal()
    expect(await block('pending')).toEqual(await block('latest'))
    expect(await call('eth_getBalance', STRANGER, 'pending')).toBe('0x1235')
    expect(await receipt(emitter)).toMatchObject({ status: '0x1', blockNumber: '0x1' })
  })

  test('blocks, transactions, receipts and logs have their time in milliseconds', async () => {
    const { block, call, found, logs, receipt, subscribe, results, emit, seal, tick } =
      await network('base')
    const heads = await subscribe('newHeads')
    const sealedLogs = await subscribe('logs')
    await call('evm_setNextBlockTimestamp', 1_800_000_100)
    const times: Hex[] = []
    let last: Hex = ZERO_HASH
    for (let number = 0; number < 3; number++) {
      last = await emit(number)
      await tick()
      await seal()
      const { timestampMs, timestamp } = await call<{ timestampMs: Hex; timestamp: Hex }>(
        'eth_getBlockByNumber',
        'latest',
        true,
      )
      expect(Math.floor(Number(timestampMs) / 1000)).toBe(Number(timestamp))
      times.push(timestampMs)
    }
    expect(times.map((time) => Number(time) - 1_800_000_100_000)).toEqual([0, 200, 400])
    const [, , time] = times
    expect(await call('eth_getHeaderByNumber', 'latest')).toMatchObject({ timestampMs: time })
    expect(await found(last)).toMatchObject({ blockTimestampMs: time })
    const its = await receipt(last)
    expect(its).toMatchObject({ logs: [{ blockTimestampMs: time }, {}] })
    expect(its).not.toHaveProperty('blockTimestampMs')
    expect(await logs({ fromBlock: 'latest' })).toEqual(its?.logs)
    const { transactions } = await call<FormattedBlock>('eth_getBlockByNumber', 'latest', true)
    expect(transactions).toMatchObject([{ type: '0x7e' }, { type: '0x7e' }, {}])
    expect(transactions.at(-1)).toEqual(await found(last))
    expect(results<object>(heads)).toMatchObject(times.map((timestampMs) => ({ timestampMs })))
    expect(results<object>(sealedLogs).slice(-2)).toEqual(its?.logs)
    expect(await block('0x9')).toBe(null)
    // It has no deposit that says it.
    expect(await block('0x0')).not.toHaveProperty('timestampMs')
  })

  test('the kinds of Flashblocks are there, and silent', async () => {
    const { subscribe, results, first, tick, seal } = await network('base')
    for (const kind of BASE_KINDS) await subscribe(kind)
    await subscribe('newPendingTransactions')
    await first()
    await tick()
    await seal()
    expect(results()).toEqual([])
  })
})

test.each(['base-flashblocks', 'unichain', 'xlayer', 'base'] as const)(
  '%s: a transaction that was found does not vanish before its seal',
  async (profile) => {
    const { alice, call, send, tick, seal } = await network(profile)
    const nonce = await call<Hex>('eth_getTransactionCount', alice)
    const hash = await send(alice, { to: STRANGER, value: '0x1' })
    const finds = async () => [
      (await call('eth_getRawTransactionByHash', hash)) !== null,
      (await call('eth_getTransactionByHash', hash)) !== null,
      (await call('eth_getTransactionBySenderAndNonce', alice, nonce)) !== null,
    ]
    expect(await finds()).toEqual([true, true, true])
    await tick()
    expect(await finds()).toEqual([true, true, true])
    await seal()
    expect(await finds()).toEqual([true, true, true])
  },
)

/** In the place of the hash of MegaETH's pending block. */
const ONES: Hex = `0x${'ff'.repeat(32)}`

test('megaeth: state is that of the newest mini-block; numbers are sealed', async () => {
  const { alice, bob, block, call, codeOf, first, logs, receipt, found, second, seal } =
    await network('megaeth')
  await first()
  const hashes = await second()
  for (const tag of [[], ['latest'], ['pending']]) {
    expect(await call('eth_getBalance', STRANGER, ...tag)).toBe('0x1235')
    expect(await call('eth_getTransactionCount', alice, ...tag)).toBe('0x2')
    expect(await call('eth_call', { to: COUNTER }, ...tag)).toBe(word(2))
    const slot = await call('eth_getStorageAt', COUNTER, '0x0', ...(tag.length ? tag : ['latest']))
    expect(slot).toBe(word(2))
  }
  expect(await call('eth_getBalance', STRANGER, '0x0')).toBe('0x0')
  expect(await codeOf('eth_getBalance', STRANGER, '0x1')).toBe(-32001)
  const estimate = (tag: string) =>
    call('eth_estimateGas', { from: bob, to: COUNTER, data: '0x01' }, tag)
  expect(await estimate('latest')).toBe(await estimate('pending'))
  expect(await call('eth_createAccessList', { to: COUNTER, from: bob }, 'latest')).toEqual(
    await call('eth_createAccessList', { to: COUNTER, from: bob }, 'pending'),
  )
  expect(await block('latest')).toMatchObject({ number: '0x0', transactions: [] })
  expect(await block('pending')).toMatchObject({ number: '0x1', hash: ONES })
  expect(await call('eth_blockNumber')).toBe('0x0')
  const all = { address: EMITTER, fromBlock: 'earliest' }
  expect(await logs({ ...all, toBlock: 'latest' })).toEqual([])
  const hash = hashes[3] ?? ZERO_HASH
  const early = await receipt(hash)
  expect(early).toMatchObject({ blockHash: ONES, blockNumber: '0x1', status: '0x1' })
  expect(early?.logs.map(({ blockHash }) => blockHash)).toEqual([ONES, ONES])
  expect(await found(hash)).toMatchObject({ blockHash: ONES, blockNumber: '0x1' })
  await seal()
  const { hash: blockHash } = await block('latest')
  expect(await receipt(hash)).toEqual({
    ...early,
    blockHash,
    logs: early?.logs.map((log) => ({ ...log, blockHash })),
  })
  expect(await logs({ ...all, toBlock: 'latest' })).toHaveLength(4)
})

test('megaeth: no other kinds, and an option that contradicts the profile is refused', async () => {
  const { subscribe } = await network('megaeth')
  for (const kind of [...BASE_KINDS, 'flashblocks', 'shreds']) {
    await expect(subscribe(kind)).rejects.toMatchObject({
      code: -32602,
      message: expect.stringContaining('miniBlocks, stateChanges'),
    })
  }
  await expect(createSubscribed({ profile: 'megaeth', latest: 'sealed' })).rejects.toThrow(
    'cannot be sealed',
  )
})
