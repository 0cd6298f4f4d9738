import { expect, test } from 'vitest'
import { fromHex } from '../../../devnet/primitives/hex.ts'
import { slotKeyFromBigInt } from '../../../devnet/state/keys.ts'
import { PrefetchChanges } from '../../../devnet/state/remote/prefetchChanges.ts'
import type {
  Prefetch,
  PrefetchedReads,
  RemoteValues,
} from '../../../devnet/state/remote/remoteSource.ts'
import { BatchClient } from '../../../devnet/upstream/batchClient.ts'
import { BlockCache } from '../../../devnet/upstream/blockCache.ts'
import type { Capabilities } from '../../../devnet/upstream/capabilities.ts'
import { Endpoint } from '../../../devnet/upstream/endpoint.ts'
import { StateSource } from '../../../devnet/upstream/stateSource.ts'
import { VirtualUpstreamTime } from '../../support/virtualUpstreamTime.ts'
import { ADDRESS, answersOf, CONTRACT, fakeNode, HASH, NUMBER } from './fakeNode.ts'
import { type Asked, type Server, transportTo } from './fakeTransport.ts'

const LIST = 'eth_createAccessList'
const TRACE = 'debug_traceCall'
const SLOT = 'eth_getStorageAt'

const ONE: `0x${string}` = `0x${'1'.padStart(64, '0')}`
const THREE: `0x${string}` = `0x${'3'.padStart(64, '0')}`
const word = (value: number) => `0x${value.toString(16).padStart(64, '0')}`

/** Prefetches hold up what they tell; all else takes 50 ms. */
function setUp({
  prefetch = 'access-list' as 'access-list' | 'trace',
  told = { accessList: [] } as unknown,
  prefetchTakes = 50 as number | 'for ever',
  isFailing = false,
}) {
  const time = new VirtualUpstreamTime()
  const upstream = { told, prefetchTakes }
  const answers = answersOf(fakeNode())
  const isPrefetch = (method: string) => method === LIST || method === TRACE
  const server: Server = (items) => {
    if (upstream.prefetchTakes === 'for ever' && items.some(({ method }) => isPrefetch(method))) {
      return 'hang'
    }
    const answered = items.map((item: Asked) => ({
      id: item.id,
      ...(isPrefetch(item.method)
        ? isFailing
          ? { error: { code: -32000, message: 'execution timeout' } }
          : { result: upstream.told }
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
  const warnings: string[] = []
  const capabilities: Capabilities = { accountInfo: true }
  const source = new StateSource({
    chainId: 1n,
    block: { number: BigInt(NUMBER), hash: HASH },
    cache: BlockCache.inMemory(time),
    onWarning: (message) => warnings.push(message),
    ...{ client, capabilities, prefetch },
  })
  /** Reads a slot of the contract for a new call; tells what its prefetch finds. */
  async function read(slot: bigint) {
    requests.length = 0
    const found: PrefetchedReads[] = []
    const start = time.now()
    const keys = { accounts: [], slots: [[CONTRACT, slotKeyFromBigInt(slot)] as const] }
    const { slots } = await time.until(source.load(keys, [runOf(found)]))
    return { slots, ms: time.now() - start, methods: requests.map(({ methods }) => methods), found }
  }
  return { time, upstream, capabilities, warnings, source, read }
}

/** A new call that has missed something. */
function runOf(found: PrefetchedReads[]): Prefetch {
  const call = { from: new Uint8Array(20), to: fromHex(ADDRESS), data: fromHex('0x'), value: 0n }
  const changes = () => new PrefetchChanges(() => fromHex('0x'))
  return { call, changes, found: (finds) => found.push(finds) }
}

const pass = (time: VirtualUpstreamTime, ms: number) =>
  time.until(new Promise<void>((resolve) => time.after(ms, resolve)))

test('default: a prefetch shares the batch of the first miss', async () => {
  const { read } = setUp({})
  const { ms, methods } = await read(1n)
  expect([ms, methods]).toEqual([50, [[LIST, SLOT]]])
})

test('after one that hangs, prefetches hold up no read, and then rest for a minute', async () => {
  const { time, upstream, read } = setUp({ prefetchTakes: 'for ever' })
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
    const { time, upstream, read } = setUp({ isFailing })
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

const keys = {
  accounts: [CONTRACT],
  slots: [
    [CONTRACT, slotKeyFromBigInt(1n)],
    [CONTRACT, slotKeyFromBigInt(3n)],
  ],
}
const values: RemoteValues = {
  accounts: [{ balance: 100n, nonce: 5n, code: fromHex('0x6001') }],
  slots: [fromHex('0x2a'), fromHex('0x7e')],
}
const RIGHT = { balance: '0x64', nonce: 5, code: '0x6001' }

test('the values of a trace are believed once one is that of a single answer', async () => {
  const told = { [ADDRESS]: { ...RIGHT, storage: { [ONE]: word(42), [THREE]: word(126) } } }
  const { capabilities, warnings, read } = setUp({ prefetch: 'trace', told })
  // The slot that is read is zero both ways, and not told.
  const { found } = await read(2n)
  expect(found).toEqual([{ keys, values: undefined }])
  expect(capabilities.trace).toBeUndefined()
  expect((await read(1n)).found).toEqual([{ keys, values }])
  expect((await read(2n)).found).toEqual([{ keys, values }])
  expect(capabilities.trace).toBe(true)
  expect(warnings).toEqual([])
})

test('what was answered before proves a trace', async () => {
  const told = { [ADDRESS]: { ...RIGHT, storage: { [ONE]: word(42), [THREE]: word(126) } } }
  const { time, source, read } = setUp({ prefetch: 'trace', told })
  await time.until(source.load({ accounts: [CONTRACT], slots: [] }))
  expect((await read(2n)).found).toEqual([{ keys, values }])
})

test.each([
  ['a slot', { ...RIGHT, storage: { [ONE]: word(43), [THREE]: word(126) } }],
  ['no slot', { ...RIGHT, storage: { [ONE]: word(0), [THREE]: word(126) } }],
  ['a balance', { ...RIGHT, balance: '0x65', storage: { [ONE]: word(42), [THREE]: word(126) } }],
  ['a code', { ...RIGHT, code: '0x60', storage: { [ONE]: word(42), [THREE]: word(126) } }],
])('a trace that tells %s otherwise is not believed, nor is any later', async (_, state) => {
  const { capabilities, warnings, time, upstream, source, read } = setUp({
    prefetch: 'trace',
    told: { [ADDRESS]: state },
  })
  await time.until(source.load({ accounts: [CONTRACT], slots: [] }))
  const { slots, found } = await read(1n)
  expect(slots).toEqual([fromHex('0x2a')])
  expect(found).toEqual([{ keys, values: undefined }])
  expect(capabilities.trace).toBe(false)
  expect(warnings).toEqual([
    'traces of the upstream tell other values than its single answers, and are not used',
  ])
  upstream.told = { accessList: [] }
  expect((await read(3n)).methods).toEqual([[LIST, SLOT]])
  expect(warnings).toHaveLength(1)
})

test('of wrong traces that are under way together one is told', async () => {
  const { warnings, time, source } = setUp({
    prefetch: 'trace',
    told: { [ADDRESS]: { ...RIGHT, storage: { [ONE]: word(43) } } },
  })
  const slots = [[CONTRACT, slotKeyFromBigInt(1n)] as const]
  const load = () => source.load({ accounts: [], slots }, [runOf([])])
  await time.until(Promise.all([load(), load()]))
  expect(warnings).toHaveLength(1)
})

test('a trace that has been right is no longer believed once it is wrong', async () => {
  const { capabilities, warnings, upstream, read } = setUp({
    prefetch: 'trace',
    told: { [ADDRESS]: { ...RIGHT, storage: { [ONE]: word(42), [THREE]: word(126) } } },
  })
  await read(1n)
  expect(capabilities.trace).toBe(true)
  upstream.told = { [ADDRESS]: { ...RIGHT, storage: { [ONE]: word(42), [THREE]: word(1) } } }
  const { slots, found } = await read(3n)
  expect(slots).toEqual([fromHex('0x7e')])
  expect(found).toEqual([{ keys, values: undefined }])
  expect([capabilities.trace, warnings.length]).toEqual([false, 1])
})
