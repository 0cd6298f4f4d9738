import { expect, test } from 'vitest'
import type { Occurrence } from '../../../devnet/explore/runOutcome.ts'
import { placesOf } from '../../../devnet/explore/runPlaces.ts'
import type { FaultGroup } from '../../../devnet/explore/types.ts'

const [ALICE, BOB] = [`0x${'a'.repeat(40)}`, `0x${'b'.repeat(40)}`] as const
const HASH = `0x${'1'.repeat(64)}` as const

const sent = (from: typeof ALICE, nonce = 0) => ({ hash: HASH, from, nonce })

/** The places of a log, each as its index and its rules in short. */
function places(log: readonly Occurrence[], ...groups: FaultGroup[]): [number, string][] {
  const intervals = { tickInterval: 200, sealInterval: 2000 }
  return placesOf(log, groups, intervals).map(({ at, rules }) => [
    at,
    rules.map(({ kind, next, ...rest }) => [kind, ...Object.values(rest)].join(' ')).join(', '),
  ])
}

const seal = (block: number, ...transactions: ReturnType<typeof sent>[]): Occurrence => {
  return { kind: 'seal', block, transactions }
}
const tick = (hasSockets: boolean, ...transactions: ReturnType<typeof sent>[]): Occurrence => {
  return { kind: 'tick', block: 4, tick: 2, index: 1, transactions, hasSockets }
}

test('a tick is a place, and each of its transactions', () => {
  expect(places([tick(false, sent(ALICE, 7), sent(BOB))], 'blocks')).toEqual([
    [0, `drop tick 4 ${ALICE} 7, hold 4 2 ${ALICE} 7 10`],
    [0, `drop tick 4 ${BOB} 0, hold 4 2 ${BOB} 0 10`],
    [0, 'skipTick 4 2, delayTick 4 2 300, stall 4 2'],
  ])
})

test('a seal is a place, and each transaction of its block', () => {
  expect(places([seal(4, sent(ALICE), sent(BOB))], 'blocks')).toEqual([
    [0, `drop seal 4 ${ALICE} 0`],
    [0, `drop seal 4 ${BOB} 0`],
    [0, 'truncate 4, delaySeal 4 1000, reorder 4, reorg 4 1, reorg 4 1 true'],
  ])
})

test('a reorganisation begins at a block with transactions, at most three back', () => {
  const log = [seal(4, sent(ALICE)), seal(5), seal(6), seal(7)]
  expect(places(log, 'blocks').slice(2)).toEqual([
    [1, 'reorg 5 2, reorg 5 2 true'],
    [2, 'reorg 6 3, reorg 6 3 true'],
  ])
})

test('answers to one method in one tick are one place, and those to preconf_ are none', () => {
  const answer = (method: string): Occurrence => ({ kind: 'answer', method, block: 4, tick: 2 })
  const log = [answer('eth_call'), answer('preconf_status'), answer('eth_call')]
  expect(places(log, 'answers')).toEqual([
    [0, 'refuseAnswer eth_call 4 2, delayAnswer eth_call 4 2 2000, corruptAnswer eth_call 4 2'],
  ])
})

test('messages and sockets are places if there are sockets', () => {
  expect(places([tick(false, sent(ALICE))], 'stream', 'sockets')).toEqual([])
  expect(places([tick(true, sent(ALICE))], 'stream', 'sockets')).toEqual([
    [0, 'duplicateSlice 4 1, loseSlice 4 1, swapSlices 4 1'],
    [0, 'cutSockets 4 2'],
  ])
})
