import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createHardhatRuntimeEnvironment } from 'hardhat/hre'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { Hex } from '../../devnet/primitives/hex.ts'
import { openUpstream } from '../../devnet/upstream/openUpstream.ts'
import type { UpstreamOptions } from '../../devnet/upstream/types.ts'
import { rpcChain } from '../devnet/rpc/methods/rpcChain.ts'
import { anvilProgram, startAnvil } from '../support/anvil.ts'
import { forkUpstream } from '../support/chain.ts'
import { askNode, type PeerNode, startHardhat, startOurs } from '../support/peerNode.ts'
import { deploySwap, type Swap } from '../support/swapContracts.ts'
import { type FaultRule, failing, UpstreamProxy } from '../support/upstreamProxy.ts'

const hardhatNode = async () =>
  startHardhat(await createHardhatRuntimeEnvironment({ networks: {} }))

const program = anvilProgram()

const anvil = () => startAnvil(program ?? '')

/** A fork of the node, and what it asks the node, which the rule may change. */
async function forkOf(url: string, options: Partial<UpstreamOptions>, rule?: FaultRule) {
  const proxy = await UpstreamProxy.start(url)
  return await forkThrough(proxy, options, rule)
}

/** The same by a proxy that others use too: what a cache knows is of one URL. */
async function forkThrough(
  proxy: UpstreamProxy,
  options: Partial<UpstreamOptions>,
  rule?: FaultRule,
) {
  proxy.play(rule)
  const upstream = await openUpstream({ url: proxy.url, block: 'latest', cache: false, ...options })
  onTestFinished(async () => {
    await upstream.close()
    await proxy.stop()
  })
  const fork = rpcChain(await forkUpstream(upstream))
  /** Runs a swap; tells how much was asked. */
  async function run(swap: Swap, ...more: unknown[]) {
    proxy.reset()
    expect(await fork.call<Hex>('eth_call', swap.transaction, 'latest', ...more)).toBe(swap.result)
    return { requests: proxy.requests.length, items: proxy.items() }
  }
  return { proxy, upstream, run }
}

function deploy(url: string, salt?: number): Promise<Swap> {
  return deploySwap((method, ...params) => askNode(url, method, ...params), salt)
}

const NOTHING = { requests: 0, items: 0 }

describe.each<[string, () => Promise<PeerNode>]>([
  ['this node', startOurs],
  ['hardhat node', hardhatNode],
  ...(program === undefined ? [] : [['anvil', anvil] as [string, () => Promise<PeerNode>]]),
])('on %s, the swap', (name, start) => {
  test('without prefetch each account and each slot is a request', async () => {
    await using node = await start()
    const swap = await deploy(node.url)
    const { run } = await forkOf(node.url, { prefetch: 'off' })
    // Sender, contract and the holders, the other contracts, 30 slots: what misses at once is asked at once.
    expect((await run(swap)).requests).toBeGreaterThan(35)
    expect(await run(swap)).toEqual(NOTHING)
  })

  // hardhat node has no access lists.
  test.skipIf(name === 'hardhat node')(
    'access lists tell what to ask together, and proved calls read slots at once',
    async () => {
      await using node = await start()
      const [first, second] = [await deploy(node.url, 1), await deploy(node.url, 2)]
      const { run, proxy } = await forkOf(node.url, {})
      const cold = await run(first)
      // anvil lists no accounts without slots, of which there are two.
      expect(cold.requests).toBeLessThanOrEqual(name === 'anvil' ? 4 : 2)
      expect(cold.items).toBeLessThanOrEqual(19)
      // They are compared with what the call says.
      expect(proxy.items('eth_getStorageAt')).toBeLessThanOrEqual(5)
      const proved = await run(second)
      expect(proxy.items('eth_getStorageAt')).toBe(0)
      expect(proved.requests).toBeLessThanOrEqual(name === 'anvil' ? 4 : 2)
      expect(proved.items).toBeLessThanOrEqual(19)
      expect(await run(second)).toEqual(NOTHING)
    },
  )

  // anvil has no overrides for access lists, and hardhat node for nothing.
  test.skipIf(name !== 'this node')('own changes go along with a prefetch', async () => {
    await using node = await start()
    const swap = await deploy(node.url)
    const { run } = await forkOf(node.url, {})
    // STATICCALL to the contract; returns what it returns.
    const code = `0x602060006000600073${swap.transaction.to.slice(2)}5afa60206000f3`
    const own = `0x${'0e'.repeat(20)}` as const
    const through = { ...swap, transaction: { ...swap.transaction, to: own } }
    expect((await run(through, { [own]: { code } })).requests).toBeLessThanOrEqual(4)
  })
})

test('where no answer has all of an account, proved calls read balances too', async () => {
  await using node = await startOurs()
  const [first, second] = [await deploy(node.url, 1), await deploy(node.url, 2)]
  const unknown = failing({ code: -32601, message: 'unknown' }, 'eth_getAccountInfo')
  const { run, proxy } = await forkOf(node.url, {}, unknown)
  const cold = await run(first)
  expect(cold.requests).toBeLessThanOrEqual(2)
  // Beside the call, those of the sample.
  expect(cold.items).toBeLessThanOrEqual(31)
  const proved = await run(second)
  // The contract's, with which the call begins.
  expect(proxy.items('eth_getBalance')).toBe(1)
  expect(proved).toEqual({ requests: 2, items: 19 })
})

test('what the disk cache has is neither asked nor prefetched', async () => {
  await using node = await startOurs()
  const swap = await deploy(node.url)
  const cache = mkdtempSync(join(tmpdir(), 'prefetch-'))
  onTestFinished(() => rmSync(cache, { recursive: true }))
  const proxy = await UpstreamProxy.start(node.url)
  for (const isFirst of [true, false]) {
    const { run, upstream } = await forkThrough(proxy, { cache })
    const cold = await run(swap)
    if (isFirst) expect(cold.requests).toBeGreaterThan(0)
    else expect(cold).toEqual(NOTHING)
    await upstream.close()
  }
  const offline = await openUpstream({ url: proxy.url, block: 15n, cache, offline: true })
  const fork = rpcChain(await forkUpstream(offline))
  expect(await fork.call<Hex>('eth_call', swap.transaction, 'latest')).toBe(swap.result)
})

test('a prefetch that hangs ends with the upstream, and is no unhandled rejection', async () => {
  await using node = await startOurs()
  const swap = await deploy(node.url)
  const { run, proxy, upstream } = await forkOf(node.url, {})
  proxy.play(({ items }) =>
    items.some(({ method }) => method === 'eth_createAccessList') ? { kind: 'hang' } : undefined,
  )
  const failed = expect(run(swap)).rejects.toThrow('The node was stopped')
  await proxy.came(1)
  await upstream.close()
  await failed
  // A rejection that nobody handles is reported in the next turn, and fails the test run.
  await new Promise(setImmediate)
})

test('an upstream without access lists is asked for each value', async () => {
  await using node = await startOurs()
  const [first, second] = [await deploy(node.url, 1), await deploy(node.url, 2)]
  const { run, proxy } = await forkOf(node.url, {})
  const unknown = { code: -32601, message: 'the method does not exist/is not available' }
  proxy.play(failing(unknown, 'eth_createAccessList'))
  await run(first)
  expect(proxy.items('eth_createAccessList')).toBe(1)
  // It is not asked for again.
  await run(second)
  expect(proxy.items('eth_createAccessList')).toBe(0)
})

test.each<[string, unknown]>([
  ['nothing', null],
  ['no list', { accessList: 'all' }],
  ['no addresses', { accessList: [{ address: 'nobody', storageKeys: [] }] }],
  ['other keys', { accessList: [{ address: `0x${'77'.repeat(20)}`, storageKeys: ['0x1'] }] }],
])('an access list with %s changes no result', async (_, list) => {
  await using node = await startOurs()
  const swap = await deploy(node.url)
  const { run, proxy } = await forkOf(node.url, {})
  proxy.play(answering('eth_createAccessList', list))
  await run(swap)
  expect(proxy.items('eth_createAccessList')).toBe(1)
})

test.each<[string, FaultRule]>([
  ['does not know them', failing({ code: -32602, message: 'too many arguments' }, 'eth_call')],
  ['ignores them', answering('eth_call', '0x')],
  ['answers something else', answering('eth_call', `0x${'5e1f'.repeat(16)}${'00'.repeat(960)}`)],
])('slots are asked one by one if a call with overrides %s', async (_, fault) => {
  await using node = await startOurs()
  const [first, second] = [await deploy(node.url, 1), await deploy(node.url, 2)]
  const { run, proxy } = await forkOf(node.url, {})
  proxy.play(fault)
  await run(first)
  const { requests, items } = await run(second)
  expect(requests).toBeLessThanOrEqual(3)
  expect(items).toBeLessThanOrEqual(41)
  expect(proxy.items('eth_getStorageAt')).toBe(30)
  expect(proxy.items('eth_call')).toBe(0)
})

/** Answers items of a method with another result. */
function answering(method: string, result: unknown): FaultRule {
  return ({ items, isBatch }) => ({
    kind: 'answers',
    change(answers) {
      const changed = answers.map((answer, index) =>
        items[index]?.method === method ? { jsonrpc: '2.0', id: items[index].id, result } : answer,
      )
      return isBatch ? changed : changed[0]
    },
  })
}
