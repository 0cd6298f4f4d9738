import { expect, onTestFinished, test, vi } from 'vitest'
import type { FaultRule } from '../../../devnet/faults/types.ts'
import type { OptionsInput } from '../../../devnet/options/options.ts'
import type { Hex } from '../../../devnet/primitives/hex.ts'
import type { Status } from '../../../devnet/types.ts'
import { START, untilWorked } from '../../support/chain.ts'
import { fired, nodeUnder } from './faultyNode.ts'

const ZERO: Hex = `0x${'0'.repeat(64)}`

/** A node whose clocks follow faked wall time. */
async function runningNode(rules: readonly FaultRule[], options: OptionsInput = {}) {
  vi.useFakeTimers({ toFake: ['Date', 'setTimeout', 'clearTimeout'], now: START * 1000 })
  onTestFinished(() => {
    vi.useRealTimers()
  })
  const node = await nodeUnder(rules, { tickInterval: 200, sealInterval: 2000, ...options })
  return {
    ...node,
    async pass(ms: number) {
      await vi.advanceTimersByTimeAsync(ms)
      await untilWorked(node)
    },
    status: () => node.call<Status>('preconf_status'),
    count: async () => (await node.call<Status>('preconf_status')).pending.transactions.length,
  }
}

test('default: skipTick', async () => {
  const node = await nodeUnder([{ kind: 'skipTick', next: 1 }])
  await node.send(0)
  expect((await node.tick()).pending.transactions).toEqual([])
  const status = await node.tick()
  expect(status.pending.transactions).toHaveLength(1)
  expect(fired(status)).toEqual([1])
})

test('skipTick by number: the ticks after it run', async () => {
  const node = await nodeUnder([{ kind: 'skipTick', tick: 1 }])
  const counts: number[] = []
  for (let tick = 0; tick < 4; tick++) {
    await node.send(tick)
    counts.push((await node.tick()).pending.transactions.length)
  }
  expect(counts).toEqual([1, 1, 3, 4])
})

test('a skipped tick of the clock is not made up for', async () => {
  const node = await runningNode([{ kind: 'skipTick', next: 1 }])
  await node.send(0)
  await node.pass(399)
  expect(await node.count()).toBe(0)
  await node.pass(1)
  expect(await node.count()).toBe(1)
})

test('default: delayTick', async () => {
  const node = await runningNode([{ kind: 'delayTick', ms: 450, next: 1 }])
  await node.send(0)
  await node.pass(200 + 449)
  expect(await node.count()).toBe(0)
  await node.pass(1)
  expect(await node.count()).toBe(1)
  // The clock keeps its rhythm.
  await node.send(1)
  await node.pass(149)
  expect(await node.count()).toBe(1)
  await node.pass(1)
  expect(await node.count()).toBe(2)
})

test('each tick is late, and none later than the rule says', async () => {
  const node = await runningNode([{ kind: 'delayTick', ms: 50 }])
  await node.send(0)
  await node.pass(249)
  expect(await node.count()).toBe(0)
  await node.pass(1)
  expect(await node.count()).toBe(1)
  await node.send(1)
  await node.pass(199)
  expect(await node.count()).toBe(1)
  await node.pass(1)
  expect(await node.count()).toBe(2)
})

test('delayTick with tick interval 0', async () => {
  const node = await runningNode([{ kind: 'delayTick', ms: 50, next: 1 }], { tickInterval: 0 })
  await node.send(0)
  await node.pass(49)
  expect(await node.count()).toBe(0)
  await node.pass(1)
  expect(await node.count()).toBe(1)
})

test('default: stall: what waits is sealed without having been pre-confirmed', async () => {
  const node = await runningNode([{ kind: 'stall', block: 1 }])
  const hash = await node.send(0)
  // Loads the method, which takes time that is not faked.
  await node.receipt(ZERO)
  // A look-up waits for the tick, which passes the transaction by.
  const early = node.receipt(hash)
  await node.pass(1999)
  expect(await early).toBeNull()
  expect(await node.count()).toBe(0)
  await node.pass(1)
  expect(await node.block()).toEqual([hash])
  expect((await node.receipt(hash))?.blockHash).not.toBe(ZERO)
  // Over with that seal.
  await node.send(1)
  await node.pass(200)
  expect(await node.count()).toBe(1)
  expect(fired(await node.status())).toEqual([1])
})

test('options: blocks of a stall', async () => {
  const node = await nodeUnder([{ kind: 'stall', blocks: 2, next: 1 }])
  const pending: number[] = []
  for (let block = 0; block < 3; block++) {
    await node.send(0)
    pending.push((await node.tick()).pending.transactions.length)
    await node.seal()
    expect(await node.block()).toHaveLength(1)
  }
  expect(pending).toEqual([0, 0, 1])
})

test('default: delaySeal', async () => {
  const node = await runningNode([{ kind: 'delaySeal', ms: 700, block: 2 }])
  const { pending } = await node.status()
  const latest = async () => (await node.status()).latest
  await node.pass(2000)
  expect(await latest()).toMatchObject({ number: 1, timestamp: pending.timestamp })
  await node.pass(2699)
  expect((await latest()).number).toBe(1)
  await node.pass(1)
  expect(await latest()).toMatchObject({ number: 2, timestamp: pending.timestamp + 2 })
})

test('every seal is late, once', async () => {
  const node = await runningNode([{ kind: 'delaySeal', ms: 500 }])
  await node.pass(2499)
  expect((await node.status()).latest.number).toBe(0)
  await node.pass(1)
  expect((await node.status()).latest.number).toBe(1)
})

test('a seal by command is on time', async () => {
  const node = await nodeUnder([{ kind: 'delaySeal', ms: 500 }])
  const status = await node.seal()
  expect(status.latest.number).toBe(1)
  expect(fired(status)).toEqual([0])
})

test('clocks run on once the rules are gone', async () => {
  const node = await runningNode([
    { kind: 'stall', blocks: 1000 },
    { kind: 'delaySeal', ms: 86_000_000 },
  ])
  await node.send(0)
  await node.pass(2000)
  await node.call('preconf_faults', { rules: [] })
  await node.pass(200)
  expect(await node.count()).toBe(1)
})

test('a tick is not late for longer if time is set back', async () => {
  const node = await runningNode([{ kind: 'delayTick', ms: 500, next: 1 }])
  await node.call('evm_increaseTime', '0xe10')
  await node.send(0)
  await node.pass(200)
  expect(fired(await node.status())).toEqual([1])
  await node.call('evm_setTime', `0x${(START + 9).toString(16)}`)
  await node.pass(200)
  expect(await node.count()).toBe(1)
})

test('after a late seal, the sealing clock keeps its rhythm', async () => {
  const node = await runningNode([{ kind: 'delaySeal', ms: 700, block: 1 }])
  await node.pass(2700)
  expect((await node.status()).latest.number).toBe(1)
  await node.pass(1299)
  expect((await node.status()).latest.number).toBe(1)
  await node.pass(1)
  expect((await node.status()).latest.number).toBe(2)
})

test('without the rules, a late seal comes at once', async () => {
  const node = await runningNode([{ kind: 'delaySeal', ms: 86_000_000 }])
  await node.pass(2000)
  expect(fired(await node.status())).toEqual([1])
  await node.call('preconf_faults', { rules: [] })
  await node.pass(1)
  expect((await node.status()).latest.number).toBe(1)
  await node.pass(1999)
  expect((await node.status()).latest.number).toBe(2)
})

test('a seal is not late for longer if time is set back', async () => {
  const node = await runningNode([{ kind: 'delaySeal', ms: 5000, next: 1 }])
  await node.pass(2000)
  await node.call('evm_setTime', `0x${(START + 1).toString(16)}`)
  await node.send(0)
  await node.pass(2000)
  expect((await node.status()).latest.number).toBe(1)
})

test('a revert brings back the seal, and with it the chance that it is late', async () => {
  const node = await runningNode([{ kind: 'delaySeal', ms: 500 }])
  const snapshot = await node.call('evm_snapshot')
  await node.pass(2000)
  await node.call('evm_revert', snapshot)
  await node.pass(2000)
  expect(fired(await node.status())).toEqual([2])
})

test.each<readonly [string, FaultRule, number]>([
  ['stall', { kind: 'stall', blocks: 2 }, 1],
  ['skipTick', { kind: 'skipTick' }, 0],
  ['hold', { kind: 'hold' }, 0],
])('under %s, a block with a chosen time is sealed', async (_name, rule, count) => {
  const node = await runningNode([rule])
  await node.call('evm_increaseTime', '0xa')
  await node.send(0)
  await node.pass(2000)
  expect((await node.status()).latest.number).toBe(1)
  expect(await node.block()).toHaveLength(count)
})

test('an empty block with a chosen time, which waits, is not late', async () => {
  const node = await runningNode([{ kind: 'delaySeal', ms: 500 }])
  await node.call('evm_increaseTime', '0xa')
  await node.pass(4000)
  const status = await node.status()
  expect(status.latest.number).toBe(0)
  expect(fired(status)).toEqual([0])
})

test.each(['skipTick', 'stall'] as const)(
  'after a tick by %s, a command takes what was sent',
  async (kind) => {
    const node = await nodeUnder([{ kind, next: 1 }])
    const hash = await node.send(0)
    await node.tick()
    await node.seal()
    expect(await node.block()).toEqual([hash])
  },
)

test('skipTick ends no command of instant mode, and does not go on for ever', async () => {
  const node = await nodeUnder([{ kind: 'skipTick' }], { instant: true })
  await node.send(0)
  await node.clocks.arrivals
  const status = await node.call<Status>('preconf_status')
  expect(status.mempool.runnable).toBe(1)
  expect(fired(status)).toEqual([1])
  await node.call('preconf_faults', { rules: [] })
  await node.clocks.arrivals
  expect((await node.call<Status>('preconf_status')).latest.number).toBe(1)
})

test('slices of skipped ticks are open to the next one', async () => {
  const options = { gasLimit: 200_000, slices: 4 }
  const node = await nodeUnder([{ kind: 'skipTick', next: 3 }], options)
  for (let nonce = 0; nonce < 3; nonce++) await node.send(0, { gas: '0xc350' })
  for (let tick = 0; tick < 3; tick++) expect((await node.tick()).pending.ticks).toBe(0)
  expect((await node.tick()).pending.transactions).toHaveLength(3)
})
