import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { createDevnet } from '../../../devnet/index.ts'
import { type ProxiedItem, UpstreamProxy } from '../../support/upstreamProxy.ts'
import type { NodeProcess } from '../nodeProcess.ts'
import type { Peer } from '../peers.ts'
import type { Measurement, Scenario } from '../scenario.ts'
import { startPeer } from '../startPeer.ts'

/** ms that each answer of the upstream takes, beside its work. */
const ROUND_TRIP = 50

/** Pools that the router calls, and slots that each of them reads. */
const POOLS = [5, 5, 5, 4, 4]
/** Accounts without code whose balances the router reads. */
const HOLDERS = 2
/** Independent contracts, each with two slots, for calls at the same time. */
const SINGLES = 200
/** Slots of a contract that reads them all. */
const MANY_SLOTS = 1_000
/** Slots of the upstream that are known while snapshots are taken. */
const KNOWN_SLOTS = [0, 1_000, 100_000]
/** Slots in one request, at most 1,024. */
const SLOTS_AT_ONCE = 1_000
/** Snapshots, each reverted, of which the median counts; as many come first, to get warm. */
const SNAPSHOTS = 51
/** JSON-RPC requests a second that a limited upstream answers. */
const RATE = 25

const address = (kind: number, index: number) =>
  `0x${kind.toString(16).padStart(2, '0').repeat(18)}${index.toString(16).padStart(4, '0')}`
const ROUTER = address(0xa1, 0)
const MANY = address(0xa4, 0)
const pool = (index: number) => address(0xa2, index)
const single = (index: number) => address(0xa3, index)

/** The first dev account. */
const SENDER = '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266'

/** Hex without a prefix. */
const word = (value: number | string) => BigInt(value).toString(16).padStart(64, '0')
const push = (value: number) => `61${value.toString(16).padStart(4, '0')}`
const sload = (slot: number) => `${push(slot)}54`
const POP = '50'
/** Returns the number on top of the stack. */
const ANSWER = '5f5260205ff3'

const readsOf = (slots: number) =>
  Array.from({ length: slots }, (_, slot) => sload(slot)).join('') + '01'.repeat(slots - 1)

/** Asks each pool whose address is in its slots, then the balances of two holders. */
const ROUTER_CODE = [
  ...POOLS.map((_, slot) => `5f5f5f5f5f${sload(slot)}5af1${POP}`),
  ...Array.from({ length: HOLDERS }, (_, index) => `${sload(POOLS.length + index)}31${POP}`),
  `6001${ANSWER}`,
].join('')

const ACCOUNTS = 1 + POOLS.length + HOLDERS
const SLOTS = POOLS.length + HOLDERS + POOLS.reduce((sum, count) => sum + count, 0)

/** A chain whose contracts no cache of a program knows; it takes a few blocks of its own. */
async function startUpstream(): Promise<{ url: string; stop: () => Promise<void> }> {
  // Anvil keeps what it reads by chain id and number, for all runs.
  const chainId = 1_000_000 + (Date.now() % 1_000_000_000)
  const devnet = createDevnet({ instant: true, port: 0, chainId })
  await devnet.start()
  const set = (method: string, ...params: unknown[]) => devnet.provider.request({ method, params })
  const store = (to: string, slot: number, value: number | string) =>
    set('hardhat_setStorageAt', to, `0x${slot.toString(16)}`, `0x${word(value)}`)
  const code = (to: string, text: string) => set('hardhat_setCode', to, `0x${text}`)
  await code(ROUTER, ROUTER_CODE)
  for (const [index, slots] of POOLS.entries()) {
    await store(ROUTER, index, pool(index))
    // Each pool has a code of its own, as contracts of different teams do.
    await code(pool(index), `${push(index + 1)}${POP}${readsOf(slots)}${ANSWER}`)
    for (let slot = 0; slot < slots; slot++) await store(pool(index), slot, slot + 1)
  }
  for (let index = 0; index < HOLDERS; index++) {
    const holder = address(0xa5, index)
    await store(ROUTER, POOLS.length + index, holder)
    await set('hardhat_setBalance', holder, '0x5')
  }
  for (let index = 0; index < SINGLES; index++) {
    await code(single(index), `${readsOf(2)}${ANSWER}`)
    await store(single(index), 0, index + 1)
    await store(single(index), 1, 1)
  }
  await code(MANY, `${readsOf(MANY_SLOTS)}${ANSWER}`)
  for (let slot = 0; slot < MANY_SLOTS; slot++) await store(MANY, slot, 1)
  // Some peers stand a number of blocks behind the newest one, unless told otherwise.
  for (let count = 0; count < 3; count++) await set('evm_mine')
  return { url: devnet.url, stop: () => devnet.stop() }
}

/** What a node asks its upstream for while `work` runs, and how long that takes. */
async function costRows(
  metric: string,
  proxy: UpstreamProxy,
  work: () => Promise<unknown>,
): Promise<Measurement[]> {
  proxy.reset()
  const begin = performance.now()
  await work()
  const time = performance.now() - begin
  const requests = proxy.requests.length
  return [
    { metric: `${metric}: requests`, unit: '', better: 'lower', value: requests },
    { metric: `${metric}: items`, unit: '', better: 'lower', value: proxy.items() },
    { metric: `${metric}: time`, unit: 'ms', better: 'lower', value: time },
  ]
}

/** Part of the values that were asked for which the swap does not use. */
function unused(items: readonly ProxiedItem[]): number {
  const sender = address(0, 0)
  const used = new Set([sender, ROUTER, ...POOLS.map((_, index) => pool(index))])
  for (let index = 0; index < HOLDERS; index++) used.add(address(0xa5, index))
  const values = items.filter(({ method }) =>
    /^eth_get(?:Balance|Code|TransactionCount|StorageAt|AccountInfo|Account)$/.test(method),
  )
  const idle = values.filter(({ params: [account] }) => !used.has(String(account).toLowerCase()))
  return values.length === 0 ? 0 : idle.length / values.length
}

/** With data, as all calls but those of plain transfers. */
const callOf = (to: string) => [{ to, data: '0x12345678' }, 'latest'] as const
const swap = (node: NodeProcess) => node.call('eth_call', ...callOf(ROUTER))

/** What is measured, and where. */
interface Place {
  readonly peer: Peer
  readonly proxy: UpstreamProxy
  /** Of the caches. */
  readonly folder: string
}

/** Requests to the upstream and time, of a chain that stands on a block of another one. */
export const fork: Scenario = {
  name: 'fork',
  about: `over an upstream with a round trip of ${ROUND_TRIP} ms: a start, a call that reads ${ACCOUNTS} accounts, ${POOLS.length + 1} codes and ${SLOTS} slots ("swap"), ${SINGLES} calls at once, ${MANY_SLOTS} slots at ${RATE} items a second; snapshots with up to ${KNOWN_SLOTS.at(-1)} slots known`,
  rounds: 1,
  async measure(peer) {
    const upstream = await startUpstream()
    const folder = mkdtempSync(join(tmpdir(), 'pending-node-fork-'))
    const proxy = await UpstreamProxy.start(upstream.url)
    proxy.roundTrip = ROUND_TRIP
    const place = { peer, proxy, folder }
    try {
      return [
        ...(await coldAndAgain(place)),
        ...(await manyAtOnce(place)),
        ...(await limited(place)),
        ...(peer.name === 'ours' ? await ownRows(place) : []),
      ]
    } finally {
      await proxy.stop()
      await upstream.stop()
      rmSync(folder, { recursive: true, force: true })
    }
  },
}

/** The block that the peers stand on: they are told its number. */
const FORK_BLOCK = '2'

function forkArguments({ name }: Peer, url: string, cache: string): readonly string[] {
  const block = ['--fork-block-number', FORK_BLOCK]
  switch (name) {
    case 'ours':
      return ['--fork', url, ...block, '--fork-cache', cache]
    case 'anvil':
      // Its own limiter guesses what a paid service would allow; its cache has a file for each URL.
      return ['--fork-url', url, ...block, '--no-rate-limit']
    case 'hardhat':
      return ['--fork', url, ...block]
  }
}

/** @param cache - name of a cache, empty at first */
function startFork(
  { peer, proxy, folder }: Place,
  cache: string,
  ...more: readonly string[]
): Promise<NodeProcess> {
  const args = [...forkArguments(peer, proxy.url, join(folder, cache)), ...more]
  return startPeer(peer, { mode: 'running', args })
}

/** Hardhat does not know the hardfork of the upstream's blocks, and so calls nothing on them. */
async function makeCallable({ name }: Peer, node: NodeProcess): Promise<void> {
  if (name === 'hardhat') await node.call('evm_mine')
}

async function coldAndAgain(place: Place): Promise<readonly Measurement[]> {
  const { peer, proxy } = place
  const rows: Measurement[] = []
  let node: NodeProcess | undefined
  const begin = async (...more: readonly string[]) => {
    node = await startFork(place, 'cache', ...more)
  }
  const running = () => {
    if (node === undefined) throw new Error('No node was started')
    return node
  }
  const end = async () => await node?.[Symbol.asyncDispose]()
  try {
    rows.push(...(await costRows('start', proxy, begin)))
    await makeCallable(peer, running())
    rows.push(...(await costRows('swap, cold', proxy, () => swap(running()))))
    const items = proxy.requests.flatMap((request) => request.items)
    rows.push({
      metric: 'swap, cold: items for accounts that it does not read',
      unit: '',
      better: 'lower',
      value: unused(items),
    })
    const again = async (metric: string, before?: () => Promise<unknown>) => {
      await before?.()
      const cost = await costRows(`swap, ${metric}`, proxy, () => swap(running()))
      rows.push(...cost.filter((row) => row.metric.endsWith('requests')))
    }
    await again('again')
    await again('after a revert', async () => {
      const id = await running().call('evm_snapshot')
      await running().call('evm_mine')
      await running().call('evm_revert', id)
    })
    if (peer.name !== 'hardhat') {
      const forking = { jsonRpcUrl: proxy.url, blockNumber: Number(FORK_BLOCK) }
      await again('after a reset to the same block', () =>
        running().call('anvil_reset', { forking }),
      )
    }
    // Programs write their caches when they end.
    await end()
    const restart = async () => {
      await begin()
      await makeCallable(peer, running())
      await swap(running())
    }
    rows.push(...(await costRows('start and swap with the cache of before', proxy, restart)))
    await end()
    if (peer.name === 'ours') {
      const restart = async () => {
        await begin('--fork-offline')
        await swap(running())
      }
      rows.push(...(await costRows('start and swap offline', proxy, restart)))
    }
    return rows
  } finally {
    await end()
  }
}

async function manyAtOnce(place: Place): Promise<readonly Measurement[]> {
  const { peer, proxy } = place
  await using node = await startFork(place, 'cacheOfMany')
  await makeCallable(peer, node)
  const calls = () =>
    Promise.all(
      Array.from({ length: SINGLES }, (_, index) =>
        node.call('eth_call', ...callOf(single(index))),
      ),
    )
  return await costRows(`${SINGLES} cold calls at once`, proxy, calls)
}

async function limited(place: Place): Promise<readonly Measurement[]> {
  const { peer, proxy } = place
  await using node = await startFork(place, 'cacheOfLimited')
  await makeCallable(peer, node)
  const allowed = limitOf(RATE)
  proxy.play(({ items }) => (allowed(items.length) ? undefined : { kind: 'http', status: 429 }))
  try {
    let failure: string | undefined
    const metric = `${MANY_SLOTS} slots at ${RATE} items a second`
    const rows = await costRows(metric, proxy, () =>
      node.call('eth_call', ...callOf(MANY)).catch((error: unknown) => {
        failure = String(error)
      }),
    )
    const note = failure === undefined ? {} : { note: failure.slice(0, 200) }
    return rows.map((row) => ({ ...row, ...note }))
  } finally {
    proxy.play()
    // The next peer begins with a full allowance.
    await sleep(1_000)
  }
}

async function ownRows(place: Place): Promise<readonly Measurement[]> {
  return [
    ...(await withAccessLists(place)),
    ...(await otherNetwork(place)),
    ...(await snapshots(place)),
  ]
}

/** The call over an upstream without traces, as most paid ones are; then what a tick waits for. */
async function withAccessLists(place: Place): Promise<readonly Measurement[]> {
  const { proxy } = place
  const how = ['--fork-prefetch', 'access-list']
  await using node = await startFork(place, 'cacheOfAccessLists', ...how)
  const rows = await costRows('swap, cold, by access lists', proxy, () => swap(node))
  const request = { from: SENDER, to: single(0), gas: '0x30d40' }
  const send = async () => {
    const hash = await node.call('eth_sendTransaction', { ...request, gasPrice: '0x2540be400' })
    await node.call('eth_getTransactionReceipt', hash)
  }
  const metric = 'a transaction to an unknown contract, until pre-confirmed'
  return [...rows, ...(await costRows(metric, proxy, send))]
}

/** What a second network of a process asks for that the first one has read. */
async function otherNetwork({ proxy, folder }: Place): Promise<readonly Measurement[]> {
  const options = {
    fork: proxy.url,
    forkBlockNumber: Number(FORK_BLOCK),
    forkCache: join(folder, 'cacheOfProcess'),
    port: 0,
  }
  const method = 'eth_call'
  const params = callOf(ROUTER)
  await using first = createDevnet(options)
  await first.start()
  await first.provider.request({ method, params })
  await using second = createDevnet(options)
  return await costRows('start and swap of another network of the process', proxy, async () => {
    await second.start()
    await second.provider.request({ method, params })
  })
}

/** What the slots that are known cost a snapshot and its revert: nothing. */
async function snapshots(place: Place): Promise<readonly Measurement[]> {
  const { proxy } = place
  await using node = await startFork(place, 'cacheOfSnapshots')
  proxy.roundTrip = 0
  const rows: Measurement[] = []
  const medians: number[] = []
  let known = 0
  for (const slots of KNOWN_SLOTS) {
    for (; known < slots; known += SLOTS_AT_ONCE) {
      const keys = Array.from({ length: SLOTS_AT_ONCE }, (_, index) => `0x${word(known + index)}`)
      await node.call('eth_getStorageValues', { [MANY]: keys }, 'latest')
    }
    const times: number[] = []
    for (let count = 0; count < 2 * SNAPSHOTS; count++) {
      const begin = performance.now()
      await node.call('evm_revert', await node.call('evm_snapshot'))
      times.push(performance.now() - begin)
    }
    const value = times.slice(SNAPSHOTS).toSorted((a, b) => a - b)[SNAPSHOTS >> 1] ?? 0
    medians.push(value)
    const metric = `a snapshot and its revert, ${slots} slots known: time`
    rows.push({ metric, unit: 'ms', better: 'lower', value })
  }
  const [none = 1] = medians
  const metric = `a snapshot and its revert, ${known} slots known / none`
  return [...rows, { metric, unit: '', better: 'lower', value: (medians.at(-1) ?? 0) / none }]
}

/** An allowance that fills up with so many a second, and holds as many as a batch may have. */
function limitOf(rate: number): (count: number) => boolean {
  const most = 100
  let left = most
  let last = performance.now()
  return (count) => {
    const now = performance.now()
    left = Math.min(most, left + ((now - last) / 1_000) * rate)
    last = now
    if (count > left) return false
    left -= count
    return true
  }
}
