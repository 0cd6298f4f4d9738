import { expect, test } from 'vitest'
import { fromHex } from '../../../../devnet/primitives/hex.ts'
import { slotKeyFromBigInt } from '../../../../devnet/state/keys.ts'
import { PrefetchChanges } from '../../../../devnet/state/remote/prefetchChanges.ts'
import type { Prefetch } from '../../../../devnet/state/remote/remoteSource.ts'
import { BlockCache } from '../../../../devnet/upstream/cache/blockCache.ts'
import { NO_KEEPER } from '../../../../devnet/upstream/cache/keeper.ts'
import { BatchClient } from '../../../../devnet/upstream/client/batchClient.ts'
import type { Capabilities } from '../../../../devnet/upstream/client/capabilities.ts'
import { Endpoint } from '../../../../devnet/upstream/client/endpoint.ts'
import { StateSource } from '../../../../devnet/upstream/state/stateSource.ts'
import { VirtualUpstreamTime } from '../../../support/virtualUpstreamTime.ts'
import { type Asked, type Server, transportTo } from '../client/fakeTransport.ts'
import { ADDRESS, answersOf, CONTRACT, fakeNode, HASH, NUMBER } from '../fakeNode.ts'

const LIST = 'eth_createAccessList'
const SLOT = 'eth_getStorageAt'

/** Prefetches hold up what they tell; all else takes 50 ms. */
async function setUp({ prefetchTakes = 50 as number | 'for ever', isFailing = false }) {
  const time = new VirtualUpstreamTime()
  const upstream = { prefetchTakes }
  const answers = answersOf(fakeNode())
  const isPrefetch = (method: string) => method === LIST
  const server: Server = (items) => {
    if (upstream.prefetchTakes === 'for ever' && items.some(({ method }) => isPrefetch(method))) {
      return 'hang'
    }
    const answered = items.map((item: Asked) => ({
      id: item.id,
      ...(isPrefetch(item.method)
        ? isFailing
          ? { error: { code: -32000, message: 'execution timeout' } }
          : { result: { accessList: [] } }
        : // The fake node answers at once.
          (answers(item) as object)),
    }))
    return { body: JSON.stringify(items.length > 1 ? answered : answered[0]) }
  }
  const { transport, requests } = transportTo(server, time, (methods) =>
    methods.some(isPrefetch) ? Number(upstream.prefetchTakes) : 50,
  )
  const client = new BatchClient(new Endpoint('http://upstream.test'), transport, {
    ...{ time, timeout: 45_000, batch: 100, concurrency: 8 },
  })
  const capabilities: Capabilities = { accountInfo: true }
  const source = new StateSource({
    chainId: 1n,
    block: { number: BigInt(NUMBER), hash: HASH },
    cache: await BlockCache.open(NO_KEEPER),
    prefetch: 'access-list',
    ...{ client, capabilities },
  })
  /** Reads a slot of the contract for a new call; tells what its prefetch finds. */
  async function read(slot: bigint) {
    requests.length = 0
    const start = time.now()
    const keys = { accounts: [], slots: [[CONTRACT, slotKeyFromBigInt(slot)] as const] }
    const { slots } = await time.until(source.load(keys, [runOf()]))
    return { slots, ms: time.now() - start, methods: requests.map(({ methods }) => methods) }
  }
  return { time, upstream, read }
}

/** A new call that has missed something. */
function runOf(): Prefetch {
  const call = { from: new Uint8Array(20), to: fromHex(ADDRESS), data: fromHex('0x'), value: 0n }
  const changes = () => new PrefetchChanges(() => fromHex('0x'))
  return { call, changes, found: () => undefined }
}

const pass = (time: VirtualUpstreamTime, ms: number) =>
  time.until(new Promise<void>((resolve) => time.after(ms, resolve)))

test('default: a prefetch shares the batch of the first miss', async () => {
  const { read } = await setUp({})
  const { ms, methods } = await read(1n)
  expect([ms, methods]).toEqual([50, [[LIST, SLOT]]])
})

test('after one that hangs, prefetches hold up no read, and then rest for a minute', async () => {
  const { time, upstream, read } = await setUp({ prefetchTakes: 'for ever' })
  const first = await read(1n)
  expect(first.slots).toEqual([fromHex('0x2a')])
  expect(first.methods).toEqual([[LIST, SLOT], [SLOT]])
  expect(first.ms).toBeGreaterThan(15_000)
  const alone = await read(3n)
  expect([alone.ms, alone.methods]).toEqual([50, [[LIST], [SLOT]]])
  // One at a time, which takes no more than one connection.
  expect((await read(5n)).methods).toEqual([[SLOT]])
  await pass(time, 15_000)
  expect((await read(7n)).methods).toEqual([[SLOT]])
  await pass(time, 60_000)
  upstream.prefetchTakes = 50
  expect((await read(9n)).methods).toEqual([[LIST], [SLOT]])
  // It was fast.
  expect((await read(11n)).methods).toEqual([[LIST, SLOT]])
})

test.each([false, true])(
  'one that takes far longer than reads goes alone (%j)',
  async (isFailing) => {
    const { time, upstream, read } = await setUp({ isFailing })
    await read(1n)
    upstream.prefetchTakes = 3_000
    expect(await read(3n)).toMatchObject({ ms: 3_000, methods: [[LIST, SLOT]] })
    expect(await read(5n)).toMatchObject({ ms: 50, methods: [[LIST], [SLOT]] })
    await pass(time, 3_000)
    upstream.prefetchTakes = 200
    expect(await read(7n)).toMatchObject({ ms: 50, methods: [[LIST], [SLOT]] })
    await pass(time, 200)
    expect(await read(9n)).toMatchObject({ ms: 200, methods: [[LIST, SLOT]] })
  },
)
