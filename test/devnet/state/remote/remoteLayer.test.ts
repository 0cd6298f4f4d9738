import { setImmediate as turn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { runAtOnce } from '../../../../devnet/primitives/paced.ts'
import { Codes, EMPTY_CODE_HASH } from '../../../../devnet/state/codes.ts'
import { RemoteLayer } from '../../../../devnet/state/remote/remoteLayer.ts'
import { UpstreamError } from '../../../../devnet/state/remote/remoteSource.ts'
import { MemorySource } from '../../../support/memorySource.ts'
import { account, keccak256, slot } from '../support.ts'

const [ALICE, BOB, TOKEN] = [account(1), account(2), account(3)]
const CODE = Uint8Array.of(0x60, 0x00)
const EMPTY = new Uint8Array(0)
const FORTY_TWO = Uint8Array.of(42)

function setUp(funded: readonly ReturnType<typeof account>[] = []) {
  const source = new MemorySource()
  source.accounts.set(ALICE, { nonce: 1n, balance: 5n, code: EMPTY })
  source.accounts.set(TOKEN, { nonce: 1n, balance: 0n, code: CODE })
  source.setSlot(TOKEN, slot(1), FORTY_TWO)
  const codes = new Codes(keccak256)
  const layer = new RemoteLayer(source, codes, { accounts: new Set(funded), balance: 1000n })
  return { source, codes, layer }
}

async function reasons(waits: readonly unknown[]): Promise<unknown[]> {
  const outcomes = await Promise.allSettled(waits)
  return outcomes.map((outcome) => outcome.status === 'rejected' && outcome.reason)
}

test('values are in the form of the store', async () => {
  const { codes, layer } = setUp()
  expect(layer.account(ALICE)).toBeUndefined()
  expect(layer.slot(TOKEN, slot(1))).toBeUndefined()
  await layer.load({
    accounts: [ALICE, BOB, TOKEN],
    slots: [
      [TOKEN, slot(1)],
      [TOKEN, slot(2)],
    ],
  })
  expect(layer.account(ALICE)).toEqual({ nonce: 1n, balance: 5n, codeHash: EMPTY_CODE_HASH })
  expect(layer.account(ALICE)?.codeHash).toBe(EMPTY_CODE_HASH)
  expect(layer.account(BOB)).toBeNull()
  const token = layer.account(TOKEN)
  expect(codes.get(token?.codeHash ?? EMPTY)).toEqual(CODE)
  expect(layer.slot(TOKEN, slot(1))).toEqual(FORTY_TWO)
  expect(layer.slot(TOKEN, slot(2))).toHaveLength(0)
  expect([...layer.slots(TOKEN)]).toEqual([[slot(1), FORTY_TWO]])
})

test('misses of turns behind one another are asked for together, nothing twice', async () => {
  const { source, layer } = setUp()
  const first = layer.load({ accounts: [ALICE], slots: [[TOKEN, slot(1)]] })
  const second = layer.load({ accounts: [ALICE, TOKEN], slots: [[TOKEN, slot(1)]] })
  expect(layer.waiting).toBe(3)
  await turn()
  const behind = layer.load({ accounts: [], slots: [[TOKEN, slot(2)]] })
  await turn()
  await turn()
  // In flight by now.
  const third = layer.load({ accounts: [ALICE, BOB], slots: [] })
  await Promise.all([first, second, behind, third])
  await layer.load({ accounts: [ALICE, BOB], slots: [[TOKEN, slot(1)]] })
  expect(source.asked).toEqual([
    {
      accounts: [ALICE, TOKEN],
      slots: [
        [TOKEN, slot(1)],
        [TOKEN, slot(2)],
      ],
    },
    { accounts: [BOB], slots: [] },
  ])
  expect([layer.misses, layer.waiting]).toEqual([5, 0])
})

test('dev accounts have funds, and no code if it is a delegation', async () => {
  const { codes, source, layer } = setUp([ALICE, BOB, TOKEN])
  const delegation = new Uint8Array(23).fill(7)
  delegation.set([0xef, 0x01, 0x00])
  source.accounts.set(ALICE, { nonce: 9n, balance: 5n, code: delegation })
  await layer.load({ accounts: [ALICE, BOB, TOKEN], slots: [] })
  expect(layer.account(ALICE)).toEqual({ nonce: 9n, balance: 1000n, codeHash: EMPTY_CODE_HASH })
  expect(layer.account(BOB)).toEqual({ nonce: 0n, balance: 1000n, codeHash: EMPTY_CODE_HASH })
  expect(codes.get(layer.account(TOKEN)?.codeHash ?? EMPTY)).toEqual(CODE)
})

test('an error stands for one value only, and is asked for again', async () => {
  const { source, layer } = setUp()
  const fault = new UpstreamError('rate limit', { transient: true })
  source.faults.set(ALICE, fault)
  const failing = layer.load({ accounts: [ALICE], slots: [] })
  const other = layer.load({ accounts: [TOKEN], slots: [] })
  await expect(failing).rejects.toBe(fault)
  await other
  source.faults.clear()
  await layer.load({ accounts: [ALICE], slots: [] })
  expect(layer.account(ALICE)?.balance).toBe(5n)
})

test('a source that fails or leaves out values fails all that it was asked for', async () => {
  const { source, layer } = setUp()
  source.failure = new UpstreamError('gone', { transient: false })
  const waits = [layer.load({ accounts: [ALICE], slots: [] }), layer.blockHash(3n)]
  expect(await reasons(waits)).toEqual([source.failure, source.failure])
  source.failure = undefined
  source.load = async () => ({ accounts: [], slots: [] })
  await expect(layer.load({ accounts: [ALICE], slots: [] })).rejects.toThrow('left out a value')
})

test('closing ends all waits, and known values stay', async () => {
  const { source, layer } = setUp()
  await layer.load({ accounts: [ALICE], slots: [] })
  source.delay = () => new Promise(() => undefined)
  const inFlight = layer.load({ accounts: [TOKEN], slots: [] })
  await turn()
  const waits = [inFlight, layer.load({ accounts: [], slots: [[TOKEN, slot(1)]] })]
  const hash = layer.blockHash(3n)
  layer.close()
  layer.close()
  const late = layer.load({ accounts: [BOB], slots: [] })
  const stopped = Array(4).fill(new UpstreamError('The node was stopped', { transient: false }))
  expect(await reasons([...waits, hash, late])).toEqual(stopped)
  expect(layer.account(ALICE)?.balance).toBe(5n)
  expect(layer.waiting).toBe(0)
})

test('block hashes are asked for once', async () => {
  const { source, layer } = setUp()
  source.hashes.set(3n, new Uint8Array(32).fill(3))
  const first = layer.blockHash(3n)
  expect(layer.blockHash(3n)).toBe(first)
  expect(await first).toEqual(new Uint8Array(32).fill(3))
  expect(layer.blockHash(3n)).toEqual(new Uint8Array(32).fill(3))
})

test('hints are taken unless the value is known', async () => {
  const { source, layer } = setUp()
  await layer.load({ accounts: [ALICE], slots: [] })
  const keys = { accounts: [ALICE, TOKEN], slots: [[TOKEN, slot(1)] as const] }
  const code = EMPTY
  layer.learn(keys, {
    accounts: [null, { nonce: 1n, balance: 0n, code }],
    slots: [FORTY_TWO],
  })
  expect(layer.account(ALICE)?.balance).toBe(5n)
  expect(layer.account(TOKEN)?.nonce).toBe(1n)
  expect(layer.slot(TOKEN, slot(1))).toEqual(FORTY_TWO)
  expect(source.asked).toHaveLength(1)
})

test('another layer of the same block takes over what is known', async () => {
  const { source, codes, layer } = setUp()
  await layer.load({ accounts: [ALICE, BOB], slots: [[TOKEN, slot(1)]] })
  const next = new RemoteLayer(source, codes)
  next.restore(runAtOnce(layer.known()))
  await next.load({ accounts: [ALICE, BOB], slots: [[TOKEN, slot(1)]] })
  expect(source.asked).toHaveLength(1)
  expect(next.account(ALICE)).toEqual(layer.account(ALICE))
  expect(next.account(BOB)).toBeNull()
  expect(next.slot(TOKEN, slot(1))).toEqual(FORTY_TWO)
})

test('another source is asked for what the one before has failed to give', async () => {
  const { source, layer } = setUp()
  source.hashes.set(3n, new Uint8Array(32).fill(3))
  const fault = new UpstreamError('closed', { transient: false })
  const closing = Promise.withResolvers<never>()
  const before = new MemorySource()
  before.accounts.set(TOKEN, { nonce: 1n, balance: 0n, code: CODE })
  before.faults.set(ALICE, fault)
  before.delay = () => answering.promise
  const answering = Promise.withResolvers<void>()
  const hanging = new MemorySource()
  hanging.delay = () => closing.promise
  layer.readFrom(before)
  const waits = [layer.load({ accounts: [ALICE, TOKEN], slots: [[TOKEN, slot(1)]] })]
  while (before.asked.length === 0) await turn()
  layer.readFrom(hanging)
  waits.push(layer.load({ accounts: [BOB], slots: [] }))
  const hash = layer.blockHash(3n)
  while (hanging.asked.length === 0) await turn()
  layer.readFrom(source)
  answering.resolve()
  closing.reject(fault)
  await Promise.all(waits)
  expect(await hash).toEqual(new Uint8Array(32).fill(3))
  expect(layer.account(ALICE)?.balance).toBe(5n)
  // What it has given is not asked for again.
  expect(source.asked.map(({ accounts }) => accounts)).toEqual([[ALICE], [BOB]])
  expect([layer.misses, layer.waiting]).toEqual([4, 0])
})

test('layers of the same block share what is known, and nothing else', async () => {
  const { source, codes, layer } = setUp()
  await layer.load({ accounts: [ALICE], slots: [] })
  const other = new MemorySource()
  const same = new RemoteLayer(other, codes, undefined, layer)
  expect(same.account(ALICE)?.balance).toBe(5n)
  await same.load({ accounts: [ALICE, BOB], slots: [[TOKEN, slot(2)]] })
  expect(layer.account(BOB)).toBeNull()
  expect(layer.slot(TOKEN, slot(2))).toHaveLength(0)
  expect([source.asked.length, other.asked.length]).toEqual([1, 1])
  same.close()
  await layer.load({ accounts: [TOKEN], slots: [] })
  expect(layer.account(TOKEN)?.nonce).toBe(1n)
})
