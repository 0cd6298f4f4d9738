import { setImmediate as turn } from 'node:timers/promises'
import { concat, encodeFunctionData, getContractAddress, type Hex, keccak256 } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { Cheat } from '../../../devnet/chain/cheats.ts'
import type { OptionsInput } from '../../../devnet/options/options.ts'
import { toHex } from '../../../devnet/primitives/hex.ts'
import { BLOCK_HASHES } from '../../../devnet/protocol/systemContracts.ts'
import { addressKeyFromHex, slotHex, slotKeyFromBigInt } from '../../../devnet/state/keys.ts'
import { MissError } from '../../../devnet/state/remote/remoteLayer.ts'
import { UpstreamError } from '../../../devnet/state/remote/remoteSource.ts'
import type { StateReader } from '../../../devnet/state/types.ts'
import { createTestChain, forkTestChain, type TestChain } from '../../support/chain.ts'
import { runs } from '../../support/longRuns.ts'
import { MemorySource } from '../../support/memorySource.ts'
import { artifact } from '../../support/solidity.ts'
import { RandomTraffic } from './randomTraffic.ts'

const EARLIER = 'sent before the fork'

/** A chain with contracts and some history, as the upstream of forks. */
async function createUpstream(seed: number, options: OptionsInput = {}) {
  const upstream = await createTestChain(options)
  const traffic = new RandomTraffic(seed, upstream.accounts.slice(0, 5), 31337)
  const [deployer = '0x'] = traffic.addresses
  const targets = {
    token: getContractAddress({ from: deployer, nonce: 0n }),
    playground: getContractAddress({ from: deployer, nonce: 1n }),
  }
  for (const raw of await traffic.deployments()) await upstream.send(raw)
  for (let count = 0; count < 30; count++) await upstream.send(await traffic.next(targets))
  await upstream.clocks.advanceBlocks(2)
  // A fork knows nothing of what waits behind a nonce gap.
  const { chain } = upstream
  const left = chain.mempool.transactions().map(({ hash }) => hash)
  await chain.write((writer) => writer.drop(new Set(left), EARLIER))
  for (const [index, address] of traffic.addresses.entries()) {
    traffic.nonces[index] = Number(chain.mempool.nextNonce(addressKeyFromHex(address)))
  }
  return { upstream, traffic, targets }
}

/** A fork of the newest block, which knows nothing of its state. */
async function fork(upstream: TestChain, input: OptionsInput = {}) {
  const { store, head } = upstream.chain
  const source = new MemorySource(store.view(head.version).retain())
  const forked = await forkTestChain(upstream, source, input)
  onTestFinished(() => {
    forked.clocks.stop()
    return forked.chain.close()
  })
  return { ...forked, source }
}

/** Does `work` once more after each miss, as a request does. */
async function untilKnown<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof MissError)) throw error
    await error.load()
    return untilKnown(work)
  }
}

const cheat = ({ chain }: TestChain, one: Cheat) =>
  untilKnown(() => chain.write((writer) => writer.cheat(one)))

const word = (value: bigint): Hex => `0x${value.toString(16).padStart(64, '0')}`

/** What the playground keeps of prevRandao and block hashes, which differ with the state roots. */
const HASHED = new Set(
  [1002n, 1003n].flatMap((item) =>
    [0n, 1n, 2n].map((mapping) => keccak256(concat([word(item), word(mapping)]))),
  ),
)
const HASHES = addressKeyFromHex(BLOCK_HASHES.address)

/** All that `whole` has in its state, as `state` has it. */
async function contents({ chain: whole }: TestChain, state: StateReader) {
  const { pending, store } = whole
  const accounts = [...store.accountKeys()]
  const slots = accounts.flatMap((key) =>
    [...pending.state.slots(key)].map(([slot]) => [key, slot] as const),
  )
  await state.lazyReads?.all({ accounts, slots })
  return [
    ...accounts.map((key) => {
      const { nonce, balance, codeHash } = state.account(key) ?? {}
      return [nonce, balance, codeHash && toHex(codeHash)]
    }),
    ...slots
      .filter(([key, slot]) => key !== HASHES && !HASHED.has(slotHex(slot)))
      .map(([key, slot]) => [slotHex(slot), toHex(state.slot(key, slot))]),
  ]
}

const outcomes = ({ chain }: TestChain) =>
  chain.pending.executed.map(({ transaction, success, gasUsed, logs, contractAddress, tick }) => ({
    hash: transaction.hash,
    ...{ success, gasUsed, logs, contractAddress, tick },
  }))

test.each([
  ['fast', 1],
  ['fast', 2],
  ['fast', 3],
  ['library', 4],
] as const)(
  'a forked chain goes on as the chain itself, %s engine, seed %i',
  { timeout: 120_000 },
  async (engine, seed) => {
    const { upstream, traffic, targets } = await createUpstream(seed, { engine })
    const forked = await fork(upstream)
    const { random } = traffic
    forked.source.delay = async () => {
      for (let turns = random.below(4); turns > 0; turns--) await turn()
    }
    const both = async (run: (one: TestChain) => Promise<unknown>) => {
      await run(upstream)
      await run(forked)
    }
    for (let step = 0; step < runs(120); step++) {
      const raw = await traffic.next(targets)
      await both((one) => one.send(raw))
      const roll = random.below(12)
      if (roll < 4) {
        await both((one) => one.clocks.advanceTicks(1))
        expect(outcomes(forked)).toEqual(outcomes(upstream))
      } else if (roll === 4) {
        await both((one) => one.clocks.seal())
      } else if (roll === 5) {
        const address = random.pick([targets.token, targets.playground, ...traffic.addresses])
        const [slot, value] = [word(BigInt(random.below(4))), word(BigInt(random.below(2)))]
        await both((one) => cheat(one, { kind: 'setStorage', address, slot, value }))
        await both((one) => cheat(one, { kind: 'addBalance', address, amount: 7n }))
      } else if (roll === 6) {
        await both(async ({ chain, clocks }) => {
          const id = await chain.write((writer) => writer.snapshot(clocks.snapshot()))
          await clocks.advanceTicks(1)
          await clocks.seal()
          await chain.write((writer) => writer.revert(id))
        })
      }
    }
    await both((one) => one.clocks.advanceTicks(1))
    expect(outcomes(forked)).toEqual(outcomes(upstream))
    expect(forked.chain.dropped).toEqual(
      upstream.chain.dropped.filter(({ reason }) => reason !== EARLIER),
    )
    expect(forked.chain.mempool.size).toBe(upstream.chain.mempool.size)
    expect(await contents(upstream, forked.chain.pending.state)).toEqual(
      await contents(upstream, upstream.chain.pending.state),
    )
    // Nothing twice.
    const asked = forked.source.asked.flatMap(({ accounts, slots }) => [
      ...accounts,
      ...slots.map(([key, slot]) => key + slot),
    ])
    expect(new Set(asked).size).toBe(asked.length)
    expect(asked.length).toBeGreaterThan(50)
  },
)

const NOBODY: Hex = `0x${'ab'.repeat(20)}`

/** A fork, with senders that it does not know yet, and a call of a contract that it does not know. */
async function setUp(input: OptionsInput = {}) {
  const { upstream, targets } = await createUpstream(7)
  const forked = await fork(upstream, input)
  const sign = (
    index: number,
    fields: { to: Hex; data?: Hex; nonce?: number; value?: bigint; maxFeePerGas?: bigint },
  ) => {
    const { privateKey = '0x' } = forked.accounts[index] ?? {}
    return privateKeyToAccount(privateKey).signTransaction({
      type: 'eip1559',
      chainId: 31337,
      nonce: 0,
      gas: 500_000n,
      maxFeePerGas: 50n * 10n ** 9n,
      ...fields,
    })
  }
  /** As the clock's: it does not wait. */
  const tick = () => forked.chain.writeNow((writer) => writer.tick({ isWhole: false }))
  const store = {
    to: targets.playground,
    data: encodeFunctionData({ ...playground, functionName: 'store', args: [3n, 4n] }),
  }
  return { ...forked, sign, store, tick }
}

const playground = artifact('Playground')
const hashes = ({ chain }: TestChain) =>
  chain.pending.executed.map(({ transaction }) => transaction.hash)

describe('senders', () => {
  test('transactions of unknown senders keep the order of arrival', async () => {
    const node = await setUp()
    const pauses = [3, 0, 2, 1, 4, 0, 1]
    node.source.delay = async () => {
      for (let turns = pauses.shift() ?? 0; turns > 0; turns--) await turn()
    }
    const all: Hex[] = []
    for (let index = 10; index < 16; index++) {
      all.push(await node.sign(index, { to: NOBODY }))
      all.push(await node.sign(index, { to: NOBODY, nonce: 1 }))
    }
    // A known sender does not overtake.
    await node.remote.load({ accounts: [keyOf(node, 9)], slots: [] })
    all.splice(5, 0, await node.sign(9, { to: NOBODY }))
    const sent: Promise<Hex>[] = []
    for (const [index, raw] of all.entries()) {
      sent.push(node.send(raw))
      if (index % 4 === 3) await turn()
    }
    const accepted = await Promise.all(sent)
    await node.clocks.advanceTicks(1)
    expect(hashes(node)).toEqual(accepted)
  })

  test('a command comes after what was sent before it', async () => {
    const node = await setUp()
    const sent = node.send(await node.sign(10, node.store))
    await node.clocks.advanceTicks(1)
    expect(hashes(node)).toEqual([await sent])
  })

  test('one that the upstream does not give is an error of its transactions only', async () => {
    const node = await setUp()
    const fault = new UpstreamError('rate limit', { transient: true })
    node.source.faults.set(keyOf(node, 10), fault)
    const sent = [await node.sign(10, { to: NOBODY }), await node.sign(11, { to: NOBODY })].map(
      (raw) => node.send(raw),
    )
    await expect(sent[0]).rejects.toBe(fault)
    await sent[1]
    await node.clocks.advanceTicks(1)
    expect(hashes(node)).toEqual([await sent[1]])
  })
})

const keyOf = ({ accounts }: TestChain, index: number) =>
  addressKeyFromHex(accounts[index]?.address ?? NOBODY)

describe('ticks', () => {
  test('a tick of the clock waits for no upstream, only the sender waits', async () => {
    const node = await setUp()
    const known = [keyOf(node, 10), keyOf(node, 11), addressKeyFromHex(NOBODY)]
    await node.remote.load({ accounts: known, slots: [] })
    const held = Promise.withResolvers<void>()
    node.source.delay = () => held.promise
    const waiting = await node.send(await node.sign(10, node.store))
    const behind = await node.send(await node.sign(10, { to: NOBODY, nonce: 1 }))
    const other = await node.send(await node.sign(11, { to: NOBODY }))
    await node.tick()
    await node.tick()
    expect(hashes(node)).toEqual([other])
    expect(node.chain.mempool.runnableCount).toBe(2)
    held.resolve()
    await node.chain.arrived()
    await node.tick()
    expect(hashes(node)).toEqual([other, waiting, behind])
    expect(node.chain.pending.executed.every(({ success }) => success)).toBe(true)
  })

  test('what a tick misses in spite of the warm-up is fetched for the next one', async () => {
    const node = await setUp()
    const { token, clocks } = { token: node.store.to, clocks: node.clocks }
    // The second call reads a slot that the warm-up of both did not: the first one changes it.
    const sent = await node.send(await node.sign(10, node.store))
    await node.chain.arrived()
    await cheat(node, { kind: 'setCode', address: token, code: '0x60095450' })
    await node.tick()
    expect(hashes(node)).toEqual([])
    await node.chain.arrived()
    await node.tick()
    expect(hashes(node)).toEqual([sent])
    await clocks.seal()
  })

  test.each([
    ['transient', true, 3],
    ['permanent', false, 1],
  ] as const)(
    'a %s failure of the upstream drops a transaction with its reason',
    async (_, transient, failures) => {
      const node = await setUp()
      await node.remote.load({ accounts: [10, 11].map((index) => keyOf(node, index)), slots: [] })
      const target = addressKeyFromHex(node.store.to)
      node.source.faults.set(target, new UpstreamError('HTTP 503, 5 attempts', { transient }))
      const sent = await node.send(await node.sign(10, node.store))
      for (let count = 1; count < failures; count++) {
        await node.chain.arrived()
        await node.tick()
        expect(node.chain.mempool.get(sent)).toBeDefined()
      }
      const other = await node.send(await node.sign(11, { to: NOBODY }))
      await node.chain.arrived()
      await node.tick()
      expect(hashes(node)).toEqual([other])
      expect(node.chain.mempool.get(sent)).toBeUndefined()
      const reason = `transaction ${sent} reads what the upstream does not give: HTTP 503, 5 attempts`
      expect(node.chain.dropped).toEqual([{ hash: sent, reason, preconfirmed: false }])
    },
  )

  test('a failure that passes costs a transaction only time', async () => {
    const node = await setUp()
    await node.remote.load({ accounts: [keyOf(node, 10)], slots: [] })
    const target = addressKeyFromHex(node.store.to)
    node.source.faults.set(target, new UpstreamError('HTTP 503', { transient: true }))
    const sent = await node.send(await node.sign(10, node.store))
    await node.chain.arrived()
    await node.clocks.advanceTicks(1)
    expect(hashes(node)).toEqual([])
    await node.chain.arrived()
    node.source.faults.clear()
    await node.tick()
    await node.chain.arrived()
    await node.tick()
    expect(hashes(node)).toEqual([sent])
    expect(node.chain.dropped).toEqual([])
  })

  test('on the library, a miss does not lose what ran before it', async () => {
    const node = await setUp({ engine: 'library' })
    await node.remote.load({ accounts: [10, 11].map((index) => keyOf(node, index)), slots: [] })
    const first = await node.send(await node.sign(11, { to: NOBODY }))
    const sent = await node.send(await node.sign(10, node.store))
    await node.chain.arrived()
    await cheat(node, { kind: 'setCode', address: node.store.to, code: '0x60095450' })
    await node.tick()
    expect(hashes(node)).toEqual([first])
    await node.chain.arrived()
    await node.tick()
    expect(hashes(node)).toEqual([first, sent])
  })
})

describe('an upstream that hangs', () => {
  /** A fork with a transaction whose tick is going to miss a slot, in spite of its warm-up. */
  async function setUpMiss(input: OptionsInput = {}) {
    const node = await setUp(input)
    const known = [10, 11].map((index) => keyOf(node, index))
    await node.remote.load({ accounts: [...known, addressKeyFromHex(NOBODY)], slots: [] })
    const sent = await node.send(await node.sign(10, node.store))
    await node.chain.arrived()
    await node.chain.writeNow((writer) =>
      writer.cheat({ kind: 'setCode', address: node.store.to, code: '0x60095450' }),
    )
    const held = Promise.withResolvers<void>()
    node.source.delay = () => held.promise
    return { ...node, sent, held }
  }

  test.each(['fast', 'library'] as const)(
    'a command that misses something lets ticks of the clock pass, %s engine',
    async (engine) => {
      const node = await setUpMiss({ engine })
      const ended: string[] = []
      const later = (name: string, work: Promise<unknown>) => work.then(() => ended.push(name))
      const all = [later('seal', node.clocks.seal())]
      all.push(later('mine', node.clocks.tickAndSeal(1)))
      while (node.source.asked.at(-1)?.slots.length !== 1) await turn()
      // The one before it stands still, so this waits for that one.
      all.push(
        later(
          'snapshot',
          node.chain.write((writer) => writer.snapshot(() => undefined)),
        ),
      )
      const other = await node.send(await node.sign(11, { to: NOBODY }))
      await node.tick()
      expect(hashes(node)).toEqual([other])
      expect(ended).toEqual(['seal'])
      node.held.resolve()
      await Promise.all(all)
      expect(ended).toEqual(['seal', 'mine', 'snapshot'])
      expect(node.chain.head.executed.map(({ transaction }) => transaction.hash)).toEqual([
        other,
        node.sent,
      ])
    },
  )

  test('what a commanded tick could not read is as if it had not begun', async () => {
    const node = await setUp()
    const known = [10, 11].map((index) => keyOf(node, index))
    await node.remote.load({ accounts: [...known, addressKeyFromHex(NOBODY)], slots: [] })
    const first = await node.send(await node.sign(11, { to: NOBODY }))
    const second = await node.send(await node.sign(10, node.store))
    await node.chain.arrived()
    const code = '0x600a5450'
    await node.chain.writeNow((writer) =>
      writer.cheat({ kind: 'setCode', address: node.store.to, code }),
    )
    await node.clocks.advanceTicks(1)
    const { executed, ticks } = node.chain.pending
    // In one tick.
    expect(executed.map(({ transaction, tick }) => [transaction.hash, tick])).toEqual(
      [first, second].map((hash) => [hash, ticks - 1]),
    )
  })

  test('a command goes on without a transaction whose values cannot be had', async () => {
    const node = await setUpMiss()
    const fault = new UpstreamError('HTTP 503, 5 attempts', { transient: true })
    const slot = addressKeyFromHex(node.store.to) + slotKeyFromBigInt(9n)
    node.source.faults.set(slot, fault)
    node.held.resolve()
    for (let count = 1; count <= 3; count++) {
      expect(node.chain.mempool.get(node.sent)).toBeDefined()
      await node.clocks.tickAndSeal(1)
      expect(node.chain.head.executed).toEqual([])
    }
    await node.clocks.tickAndSeal(1)
    const reason = `transaction ${node.sent} reads what the upstream does not give: HTTP 503, 5 attempts`
    expect(node.chain.dropped).toEqual([{ hash: node.sent, reason, preconfirmed: false }])
  })

  test('a preview waits outside of the write queue, too', async () => {
    const node = await setUpMiss()
    const preview = node.clocks.preview()
    while (node.source.asked.at(-1)?.slots.length !== 1) await turn()
    const other = await node.send(await node.sign(11, { to: NOBODY }))
    await node.tick()
    expect(hashes(node)).toEqual([other])
    node.held.resolve()
    const { executed, state } = await preview
    expect(executed.map(({ transaction }) => transaction.hash)).toEqual([other, node.sent])
    state.release()
  })

  test('what a preview has run is forgotten with a tick that misses something', async () => {
    const node = await setUp()
    const other: Hex = `0x${'0c'.repeat(20)}`
    const recipients = [NOBODY, other].map(addressKeyFromHex)
    const known = [10, 11].map((index) => keyOf(node, index))
    await node.remote.load({ accounts: [...known, ...recipients], slots: [] })
    // SLOAD of a balance: a slot that depends on what the transaction before has changed.
    const code: Hex = `0x73${NOBODY.slice(2)}315450`
    await cheat(node, { kind: 'setCode', address: node.store.to, code })
    await node.send(await node.sign(11, { to: NOBODY, value: 5n }))
    const preview = await node.clocks.preview()
    preview.state.release()
    await node.send(await node.sign(10, node.store))
    await node.chain.arrived()
    const held = Promise.withResolvers<void>()
    node.source.delay = () => held.promise
    const tick = node.clocks.advanceTicks(1)
    const asked = node.source.asked.length
    while (node.source.asked.length === asked) await turn()
    // Then the tick has given up what it had begun.
    await turn()
    const fields = { to: other, value: 7n, maxFeePerGas: 100n * 10n ** 9n }
    await node.send(await node.sign(11, fields))
    held.resolve()
    await tick
    const { executed, state } = node.chain.pending
    expect(executed.map(({ transaction }) => transaction.value)).toContain(7n)
    expect(recipients.map((key) => state.account(key)?.balance ?? 0n)).toEqual([0n, 7n])
  })

  test('in instant mode, too, no tick of the clock waits', async () => {
    const clocks = { tickInterval: 1, sealInterval: 1, frozenTicks: false }
    const node = await setUp({ instant: true, ...clocks })
    const known = [10, 11].map((index) => keyOf(node, index))
    await node.remote.load({ accounts: [...known, addressKeyFromHex(NOBODY)], slots: [] })
    await cheat(node, { kind: 'setCode', address: node.store.to, code: '0x60095450' })
    await node.clocks.setSealInterval(1)
    const held = Promise.withResolvers<void>()
    node.source.delay = () => held.promise
    const asked = node.source.asked.length
    await node.send(await node.sign(10, node.store))
    while (node.source.asked.length === asked) await turn()
    const { promise: goesOn, resolve } = Promise.withResolvers<void>()
    let blocks = 0
    node.chain.events.sealed.add(() => ++blocks === 5 && resolve())
    await goesOn
    expect(node.chain.mempool.size).toBe(1)
    held.resolve()
    while (node.chain.mempool.size > 0) await turn()
  })

  test('in instant mode only its own transactions wait', async () => {
    const node = await setUp({ instant: true, frozenTicks: false })
    const known = [10, 11].map((index) => keyOf(node, index))
    await node.remote.load({ accounts: [...known, addressKeyFromHex(NOBODY)], slots: [] })
    const held = Promise.withResolvers<void>()
    node.source.delay = () => held.promise
    const waiting = await node.send(await node.sign(10, node.store))
    const behind = await node.send(await node.sign(10, { to: NOBODY, nonce: 1 }))
    const other = await node.send(await node.sign(11, { to: NOBODY }))
    const sealed: Hex[] = []
    node.chain.events.sealed.add(({ executed }) =>
      sealed.push(...executed.map(({ transaction }) => transaction.hash)),
    )
    await node.clocks.arrivals
    expect(sealed).toEqual([other])
    held.resolve()
    await node.clocks.seal()
    expect(sealed).toEqual([other, waiting, behind])
  })

  test('in instant mode what the tick misses arrives again', async () => {
    const node = await setUp({ instant: true, frozenTicks: false })
    const known = [keyOf(node, 10), addressKeyFromHex(node.store.to)]
    await node.remote.load({ accounts: known, slots: [] })
    const held = Promise.withResolvers<void>()
    node.source.delay = () => held.promise
    const sent = await node.send(await node.sign(10, node.store))
    await node.clocks.arrivals
    // The value that the warm-up waits for is not the one that the tick needs.
    await node.chain.writeNow((writer) =>
      writer.cheat({ kind: 'setCode', address: node.store.to, code: '0x60095450' }),
    )
    held.resolve()
    while (node.chain.head.executed.length === 0) await turn()
    expect(node.chain.head.executed.map(({ transaction }) => transaction.hash)).toEqual([sent])
    expect(node.chain.fetching(sent)).toBe(undefined)
  })
})

describe('what runs in place of what was taken back', () => {
  /**
   * Calls with data store 1 in slot 0; those without read slot 0 if it is 1, and slot 9 if not,
   * which nobody has asked for yet.
   */
  const BRANCH = '0x36600d575f54156009025450005b60015f5500'

  /** A fork with a pre-confirmed call with data, and a reader behind it. Its upstream hangs. */
  async function setUpBranch(input: OptionsInput = {}) {
    const node = await setUp(input)
    const known = [10, 11, 12].map((index) => keyOf(node, index))
    const to = node.store.to
    await node.remote.load({ accounts: [...known, addressKeyFromHex(NOBODY)], slots: [] })
    await cheat(node, { kind: 'setCode', address: to, code: BRANCH })
    await cheat(node, { kind: 'setStorage', address: to, slot: word(0n), value: word(0n) })
    const writer = await node.send(await node.sign(10, { to, data: '0x01' }))
    await node.clocks.advanceTicks(1)
    const reader = await node.send(await node.sign(11, { to }))
    await node.clocks.advanceTicks(1)
    expect(hashes(node)).toEqual([writer, reader])
    const held = Promise.withResolvers<void>()
    node.source.delay = () => held.promise
    const asks = node.source.asked.length
    /** Whether what the reader needs now has been asked for. */
    const hasAsked = () => node.source.asked.length > asks
    return { ...node, writer, reader, held, hasAsked }
  }

  test.each(['fast', 'library'] as const)(
    'a drop lets ticks of the clock pass, %s engine',
    async (engine) => {
      const node = await setUpBranch({ engine })
      const drop = node.chain.write((writer) => writer.drop(new Set([node.writer]), 'unwanted'))
      while (!node.hasAsked()) await turn()
      const other = await node.send(await node.sign(12, { to: NOBODY }))
      await node.tick()
      // Nothing is taken back before all that replaces it can run.
      expect(hashes(node)).toEqual([node.writer, node.reader, other])
      node.held.resolve()
      expect(await drop).toBe(1)
      expect(hashes(node)).toEqual([node.reader, other])
      expect(node.chain.pending.executed.every(({ success }) => success)).toBe(true)
    },
  )

  test('a drop does not take back what the clocks have sealed meanwhile', async () => {
    const node = await setUpBranch()
    const drop = node.chain.write((writer) => writer.drop(new Set([node.writer]), 'unwanted'))
    while (!node.hasAsked()) await turn()
    await node.chain.writeNow((writer) => writer.seal())
    node.held.resolve()
    expect(await drop).toBe(0)
    expect(node.chain.head.executed.map(({ transaction }) => transaction.hash)).toEqual([
      node.writer,
      node.reader,
    ])
  })

  test.each([
    ['a drop that may not wait', undefined, false],
    ['a drop whose upstream fails', new UpstreamError('HTTP 503', { transient: true }), true],
  ] as const)('after %s the reader waits in the mempool', async (_, fault, isWhole) => {
    const node = await setUpBranch()
    const slot = addressKeyFromHex(node.store.to) + slotKeyFromBigInt(9n)
    if (fault !== undefined) {
      node.source.faults.set(slot, fault)
      node.held.resolve()
    }
    await node.chain.write((writer) => writer.drop(new Set([node.writer]), 'unwanted', { isWhole }))
    expect(hashes(node)).toEqual([])
    expect(node.chain.mempool.get(node.reader)).toBeDefined()
    node.source.faults.clear()
    node.held.resolve()
    await node.chain.arrived()
    await node.clocks.advanceTicks(1)
    expect(hashes(node)).toEqual([node.reader])
  })

  test('a reorganisation with new contents lets ticks of the clock pass', async () => {
    const node = await setUpBranch()
    await node.clocks.seal()
    const [, reader] = node.chain.head.executed
    if (reader === undefined) throw new Error('the block lacks the reader')
    const { number, parent } = { number: node.chain.head.number, parent: node.chain.head.hash }
    const fill = () => new Map([[number, [reader.transaction]]])
    const reorg = node.chain.write((writer) => writer.reorg({ depth: 1, requeues: false, fill }))
    while (!node.hasAsked()) await turn()
    const other = await node.send(await node.sign(12, { to: NOBODY }))
    await node.tick()
    expect(hashes(node)).toEqual([other])
    expect(node.chain.head.hash).toBe(parent)
    node.held.resolve()
    expect(await reorg).toMatchObject({ dropped: [node.writer], unconfirmed: [other] })
    const { executed } = node.chain.head
    expect(executed.map(({ transaction, success }) => [transaction.hash, success])).toEqual([
      [node.reader, true],
    ])
  })

  test('a reorganisation goes on without what the upstream does not give', async () => {
    const node = await setUpBranch()
    await node.clocks.seal()
    const [, reader] = node.chain.head.executed
    if (reader === undefined) throw new Error('the block lacks the reader')
    const slot = addressKeyFromHex(node.store.to) + slotKeyFromBigInt(9n)
    node.source.faults.set(slot, new UpstreamError('HTTP 503', { transient: true }))
    node.held.resolve()
    const { number } = node.chain.head
    const fill = () => new Map([[number, [reader.transaction]]])
    const done = await node.chain.write((writer) =>
      writer.reorg({ depth: 1, requeues: false, fill }),
    )
    expect(done.dropped).toEqual([node.writer, node.reader])
    expect(node.chain.dropped.find(({ hash }) => hash === node.reader)?.reason).toBe(
      `block ${number} could not hold it: the upstream does not give what it reads`,
    )
  })
})

test('closing ends all that waits for an upstream that hangs', async () => {
  const node = await setUp()
  await node.remote.load({ accounts: [keyOf(node, 10)], slots: [] })
  node.source.delay = () => new Promise(() => undefined)
  await node.send(await node.sign(10, node.store))
  const sender = node.send(await node.sign(11, { to: NOBODY }))
  const command = node.clocks.advanceTicks(1)
  const tick = node.chain.writeNow((writer) => writer.tick())
  const outcomes = Promise.allSettled([sender, command, tick])
  await turn()
  await node.chain.close()
  const stopped = (await outcomes).map((one) => one.status === 'rejected' && String(one.reason))
  expect(stopped).toEqual(Array(3).fill(expect.stringContaining('The node was stopped')))
})
