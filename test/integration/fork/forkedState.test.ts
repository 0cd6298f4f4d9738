import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { describe, expect, onTestFinished, test } from 'vitest'
import { ChainFileError, type Devnet, type Hex, OptionError } from '../../../devnet/index.ts'
import { anvilProgram, startAnvil } from '../../support/anvil.ts'
import { askNode } from '../../support/peerNode.ts'
import { UpstreamProxy } from '../../support/upstreamProxy.ts'
import {
  ask,
  COUNTER,
  count,
  counterOf,
  failure,
  START,
  startFork,
  startNode,
  startUpstream,
  word,
} from './forkSupport.ts'

const NOBODY: Hex = `0x${'ee'.repeat(20)}`

function newPath(): string {
  const folder = mkdtempSync(join(tmpdir(), 'forked-state-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  return join(folder, 'state.json')
}

/** What the test looks at: sealed, pending and old states, blocks, and a zero over a value. */
async function picture(devnet: Devnet) {
  const first = (await devnet.clock.status()).fork?.number ?? 0
  const numbers = [first, first + 1, first + 2].map((number) => `0x${number.toString(16)}`)
  const blocks = [...numbers, 'latest'].map((block) =>
    ask(devnet, 'eth_getBlockByNumber', block, false),
  )
  const slots = [...numbers, 'latest', 'pending'].map((block) => counterOf(devnet, block))
  const others = ['0x5', '0x6'].map((slot) =>
    ask(devnet, 'eth_getStorageAt', COUNTER, slot, 'latest'),
  )
  const [sender] = devnet.accounts
  return await Promise.all([
    ...blocks,
    ...slots,
    ...others,
    ask(devnet, 'eth_getBalance', sender?.address, 'pending'),
    ask(devnet, 'eth_getTransactionCount', sender?.address, 'pending'),
    ask(devnet, 'eth_getCode', COUNTER, 'latest'),
  ])
}

async function startRich(options: object): Promise<Devnet> {
  const fork = await startFork({ ...options })
  await ask(fork, 'hardhat_setStorageAt', COUNTER, '0x5', word(0))
  for (let block = 0; block < 2; block++) {
    await count(fork)
    await fork.clock.seal()
  }
  await ask(fork, 'hardhat_mine', '0x200', '0x1')
  await ask(fork, 'hardhat_setStorageAt', COUNTER, '0x6', word(1))
  await count(fork)
  return fork
}

test('default: goes on where it was, without the upstream and with it', async () => {
  const upstream = await startUpstream()
  await ask(upstream, 'hardhat_setStorageAt', COUNTER, '0x5', word(5))
  await upstream.clock.seal()
  const state = newPath()
  const first = await startRich({ fork: upstream.url, forkBlockNumber: 4, state })
  const before = await picture(first)
  await first.stop()

  const alone = await startFork({ state, noForkCache: false })
  expect(await picture(alone)).toEqual(before)
  expect(alone.forks).toMatchObject([{ origin: null, number: 4, hardforkFrom: 'state' }])
  expect(await failure(alone, 'eth_getBalance', NOBODY, 'latest')).toEqual({
    code: -32001,
    message: `the state file does not hold the account ${NOBODY}, and there is no upstream: start the node with --fork, or call anvil_setRpcUrl`,
  })
  expect(await failure(alone, 'eth_getBlockByNumber', '0x1', false)).toMatchObject({ code: -32001 })
  // The node is alive, and what it knows goes on.
  await count(alone)
  expect(await counterOf(alone)).toBe(word(11))
  await ask(alone, 'anvil_setRpcUrl', upstream.url)
  expect(await ask(alone, 'eth_getBalance', NOBODY, 'latest')).toBe('0x0')
  await alone.stop()

  const proxy = await UpstreamProxy.start(upstream.url)
  const again = await startFork({ state, fork: proxy.url })
  expect(await counterOf(again)).toBe(word(11))
  expect(again.forks).toMatchObject([{ origin: proxy.url, number: 4, hardforkFrom: 'state' }])
  expect(await ask(again, 'eth_getBlockByNumber', '0x1', false)).toEqual(
    await ask(upstream, 'eth_getBlockByNumber', '0x1', false),
  )
  await again.clock.advance({ blocks: 1 })
  expect(await counterOf(again, 'latest')).toBe(word(11))
  await proxy.stop()
})

test('a chain that has sealed nothing, and one whose fork block is not kept', async () => {
  const upstream = await startUpstream()
  const state = newPath()
  await (await startFork({ fork: upstream.url, state })).stop()
  const empty = await startFork({ state, noForkCache: false })
  expect(await ask(empty, 'eth_blockNumber')).toBe('0x3')
  await count(empty).catch(() => undefined)
  await empty.stop()

  const dumpState = newPath()
  const short = await startFork({ fork: upstream.url, keepBlocks: 2, dumpState })
  for (let block = 0; block < 4; block++) {
    await count(short)
    await short.clock.seal()
  }
  await short.stop()
  const loaded = await startFork({ loadState: dumpState, fork: upstream.url })
  expect(await ask(loaded, 'eth_blockNumber')).toBe('0x7')
  expect(await counterOf(loaded, '0x6')).toBe(word(10))
  await count(loaded)
  expect(await counterOf(loaded)).toBe(word(12))
})

test('what contradicts the file is refused', async () => {
  const upstream = await startUpstream()
  const other = await startUpstream({ timestamp: START + 1, chainId: 5 })
  const state = newPath()
  await (await startRich({ fork: upstream.url, state })).stop()
  const text = readFileSync(state, 'utf8')
  const refused = async (options: object) => {
    const error: unknown = await startFork({ noForkCache: false, ...options }).catch((one) => one)
    if (!(error instanceof Error)) throw new Error('It was accepted')
    return error
  }
  const { hash } = await ask<{ hash: Hex }>(upstream, 'eth_getBlockByNumber', '0x3', false)
  const block = await refused({ state, fork: upstream.url, forkBlockNumber: 2 })
  expect(block).toBeInstanceOf(OptionError)
  expect(block.message).toBe(
    `The fork block given, 2, is not that of the chain in ${state}, 3 (${hash}): leave it out, or start without that file.`,
  )
  await (await startFork({ state, fork: upstream.url, forkBlockNumber: hash })).stop()
  expect((await refused({ state, fork: other.url })).message).toContain(new URL(other.url).origin)
  const plain = newPath()
  await (await startNode({ state: plain })).stop()
  const noFork = await refused({ state: plain, fork: upstream.url })
  expect(noFork.message).toBe(
    `The chain in ${plain} is not a fork: leave fork out, or start without that file.`,
  )
  writeFileSync(state, text.replace('"known":{"accounts":{', '"known":{"accounts":{"0x12":null,'))
  expect(await refused({ state })).toBeInstanceOf(ChainFileError)
})

test('a dump holds own changes only, and loading one keeps the upstream', async () => {
  const upstream = await startUpstream()
  const fork = await startRich({ fork: upstream.url })
  await ask(fork, 'eth_getBalance', NOBODY, 'latest')
  const before = await picture(fork)
  const dump = await ask<Hex>(fork, 'anvil_dumpState')
  const { accounts, blocks } = JSON.parse(gunzipSync(Buffer.from(dump.slice(2), 'hex')).toString())
  expect(Object.keys(accounts)).toContain(COUNTER)
  expect(Object.keys(accounts)).not.toContain(NOBODY)
  expect(accounts[COUNTER].storage).toEqual({ [word(0)]: word(9), [word(6)]: word(1) })
  const numbers = blocks.map(({ header }: { header: { number: Hex } }) => Number(header.number))
  expect(numbers.slice(0, 2)).toEqual([4, 5])
  await count(fork)
  expect(await ask(fork, 'anvil_loadState', dump)).toBe(true)
  expect(await picture(fork)).toEqual(before)
  expect(await ask(fork, 'eth_getBalance', `0x${'ef'.repeat(20)}`, 'latest')).toBe('0x0')
  expect((await fork.clock.status()).fork?.origin).toBe(upstream.url)

  const plain = await startNode({})
  expect(await failure(plain, 'hardhat_loadState', dump)).toMatchObject({
    code: -32000,
    message: expect.stringContaining('and this one stands on a genesis block'),
  })
  const plainDump = await ask<Hex>(plain, 'hardhat_dumpState')
  expect(await failure(fork, 'hardhat_loadState', plainDump)).toMatchObject({
    code: -32000,
    message: expect.stringContaining('the state is of a chain on a genesis block'),
  })
})

const program = anvilProgram()

// Without the program there is no dump.
describe.skipIf(program === undefined)('a dump of anvil itself', () => {
  /** What anvil has changed: the counter by a transaction, a balance by a cheat. */
  async function dumpOf(...args: string[]) {
    await using anvil = await startAnvil(program ?? '', ...args)
    const [from] = await askNode<Hex[]>(anvil.url, 'eth_accounts')
    const hash = await askNode<Hex>(anvil.url, 'eth_sendTransaction', { from, to: COUNTER })
    while ((await askNode(anvil.url, 'eth_getTransactionReceipt', hash)) === null);
    await askNode(anvil.url, 'anvil_setBalance', NOBODY, '0x77')
    const number = await askNode<Hex>(anvil.url, 'eth_blockNumber')
    return { dump: await askNode<Hex>(anvil.url, 'anvil_dumpState'), hash, from, number }
  }

  test('that of a fork of the same block is laid over it', async () => {
    const upstream = await startUpstream()
    const { dump, hash, from } = await dumpOf(
      ...['--fork-url', upstream.url, '--fork-block-number', '3', '--no-storage-caching'],
    )
    const fork = await startFork({ fork: upstream.url })
    expect(await ask(fork, 'anvil_loadState', dump)).toBe(true)
    expect(await ask(fork, 'eth_blockNumber')).toBe('0x4')
    expect(await ask(fork, 'eth_getTransactionReceipt', hash)).toMatchObject({
      ...{ status: '0x1', blockNumber: '0x4', from },
    })
    expect(await ask(fork, 'eth_getTransactionCount', from, 'latest')).toBe('0x1')
    expect(await counterOf(fork, 'latest')).toBe(word(8))
    expect(await counterOf(fork, '0x3')).toBe(word(7))
    expect(await ask(fork, 'eth_getBalance', NOBODY, 'latest')).toBe('0x77')
    await count(fork)
    expect(await counterOf(fork)).toBe(word(9))
  })

  test('that of another chain is laid over the fork block without its blocks', async () => {
    const upstream = await startUpstream()
    const { dump, hash, from } = await dumpOf()
    const fork = await startFork({ fork: upstream.url })
    expect(await ask(fork, 'anvil_loadState', dump)).toBe(true)
    expect(await ask(fork, 'eth_blockNumber')).toBe('0x3')
    expect(await ask(fork, 'eth_getTransactionReceipt', hash)).toBe(null)
    expect(await ask(fork, 'eth_getTransactionCount', from, 'latest')).toBe('0x1')
    for (const block of ['latest', 'pending']) {
      expect(await ask(fork, 'eth_getBalance', NOBODY, block)).toBe('0x77')
      // What the dump does not name is the upstream's.
      expect(await counterOf(fork, block)).toBe(word(7))
    }
    await count(fork)
    await fork.clock.seal()
    expect(await counterOf(fork, 'latest')).toBe(word(8))
    expect(await ask(fork, 'eth_getBlockByNumber', '0x1', false)).toEqual(
      await ask(upstream, 'eth_getBlockByNumber', '0x1', false),
    )
  })
})

test('an own dump over a fork is the chain again, blocks included', async () => {
  const upstream = await startUpstream()
  const fork = await startRich({ fork: upstream.url })
  const before = await picture(fork)
  const dump = await ask<Hex>(fork, 'hardhat_dumpState')
  await count(fork)
  await fork.clock.seal()
  expect(await ask(fork, 'hardhat_loadState', dump)).toBe(true)
  expect(await picture(fork)).toEqual(before)
  const other = await startFork({ fork: upstream.url })
  expect(await ask(other, 'hardhat_loadState', dump)).toBe(true)
  expect(await picture(other)).toEqual(before)
})
