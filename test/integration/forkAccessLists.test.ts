import { expect, onTestFinished, test } from 'vitest'
import { loadCrypto } from '../../devnet/engine/crypto.ts'
import { createDevnet, type Devnet } from '../../devnet/index.ts'
import type { FormattedAccountAccess } from '../../devnet/json/formatAccessList.ts'
import type { OptionsInput } from '../../devnet/options/options.ts'
import { fromHex, type Hex, toHex } from '../../devnet/primitives/hex.ts'
import { UpstreamProxy } from '../support/upstreamProxy.ts'

const STORE: Hex = `0x${'57'.repeat(20)}`
const METHODS = ['eth_getBlockAccessList', 'debug_getRawBlockAccessList'] as const

type List = readonly FormattedAccountAccess[]

async function start(options: OptionsInput) {
  const node: Devnet = createDevnet({ port: 0, frozenTicks: true, noWallet: true, ...options })
  await node.start()
  onTestFinished(() => node.stop())
  // Each test knows what the method that it asks answers.
  const ask = async <Result = unknown>(method: string, ...params: readonly unknown[]) =>
    (await node.provider.request({ method, params })) as Result
  const failure = async (method: string, ...params: readonly unknown[]) => {
    const error = await ask(method, ...params).then(
      () => undefined,
      (error: { code: number; message: string }) => error,
    )
    return error && { code: error.code, message: error.message }
  }
  const from = node.accounts[0]?.address
  const store = async (value: number) => {
    const data = `0x${value.toString(16).padStart(64, '0')}`
    await ask('eth_sendTransaction', { from, to: STORE, data, gas: '0x100000' })
    await ask('preconf_advance', { blocks: 1 })
  }
  return { node, ask, failure, store }
}

/** An upstream with three blocks, and whoever stands on the third. */
async function forked(hardfork: 'amsterdam' | 'bpo2', unknown: readonly string[] = []) {
  const upstream = await start({ hardfork, timestamp: 1_800_000_000 })
  // SSTORE(0, CALLDATALOAD(0)), SLOAD(1)
  await upstream.ask('hardhat_setCode', STORE, '0x5f355f55600154')
  for (const value of [1, 2, 3]) await upstream.store(value)
  const proxy = await UpstreamProxy.start(async ({ method, params = [] }) => {
    if (unknown.includes(method)) {
      return { error: { code: -32601, message: `the method ${method} does not exist` } }
    }
    try {
      return { result: await upstream.ask(method, ...params) }
    } catch (error) {
      const { code, message } = error as { code: number; message: string }
      return { error: { code, message } }
    }
  })
  onTestFinished(() => proxy.stop())
  const fork = await start({ fork: proxy.url, noForkCache: true, hardfork })
  return { upstream, fork }
}

test('lists up to the fork block are the upstream’s, and later ones this node’s', async () => {
  const { upstream, fork } = await forked('amsterdam')
  for (const method of METHODS) {
    for (const block of ['0x0', '0x1', '0x3', 'earliest']) {
      expect(await fork.ask(method, block)).toEqual(await upstream.ask(method, block))
    }
  }
  // Nobody has read yet what the opening of a simulated block overwrites.
  const simulation = { blockStateCalls: [{}] }
  const [simulated] = await fork.ask<object[]>('eth_simulateV1', simulation, 'latest')
  expect(simulated).toMatchObject({ blockAccessListHash: expect.stringMatching(/^0x\w{64}$/) })
  await fork.store(4)
  const list = await fork.ask<List>('eth_getBlockAccessList', '0x4')
  expect(list.find(({ address }) => address === STORE)).toMatchObject({
    storageChanges: [{ changes: [{ index: '0x1', value: `0x${'4'.padStart(64, '0')}` }] }],
    storageReads: [`0x${'1'.padStart(64, '0')}`],
  })
  // What the opening overwrites was fetched: the root, which is zero again, is only read.
  const beaconRoots = list.find(({ address }) => address.endsWith('ac02'))
  expect(beaconRoots?.storageChanges).toHaveLength(1)
  expect(beaconRoots?.storageReads).toHaveLength(1)
  const { keccak256 } = await loadCrypto()
  const { blockAccessListHash } = await fork.ask<{ blockAccessListHash: Hex }>(
    'eth_getBlockByNumber',
    '0x4',
    false,
  )
  const raw = await fork.ask<Hex>('debug_getRawBlockAccessList', '0x4')
  expect(toHex(keccak256(fromHex(raw)))).toBe(blockAccessListHash)
  // What the upstream seals later does not exist; the pending block is opened here.
  await upstream.store(5)
  await upstream.store(6)
  expect(await fork.ask('eth_getBlockAccessList', '0x5')).toBe(null)
  const pending = await fork.ask<List>('eth_getBlockAccessList', 'pending')
  expect(pending.map(({ address }) => address)).toEqual([
    '0x0000f90827f1c53a10cb7a02335b175320002935',
    '0x000f3df6d732807ef1319fb7b8bb8522d0beac02',
  ])
})

test('an upstream before Amsterdam says so, and so does this node of its blocks', async () => {
  const { fork } = await forked('bpo2')
  await fork.store(4)
  for (const method of METHODS) {
    for (const block of ['0x1', '0x3', '0x4', 'latest']) {
      expect(await fork.failure(method, block)).toMatchObject({
        code: -32001,
        message: expect.stringMatching(/^resource not found: blocks have access lists from/),
      })
    }
  }
})

test('an upstream that lacks the methods', async () => {
  const { fork } = await forked('amsterdam', METHODS)
  for (const method of METHODS) {
    for (const block of ['0x1', '0x3']) {
      expect(await fork.failure(method, block)).toEqual({
        code: -32601,
        message: `the upstream does not know ${method}, and blocks up to the fork block 3 are its own: the method ${method} does not exist`,
      })
    }
  }
  await fork.store(4)
  expect(await fork.ask('eth_getBlockAccessList', '0x4')).not.toEqual([])
})
