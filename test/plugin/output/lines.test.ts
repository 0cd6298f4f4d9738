import { describe, expect, test } from 'vitest'
import {
  eventLines,
  grouped,
  type Paint,
  sealLine,
  tickLine,
  timeText,
} from '../../../plugin/output/lines.ts'
import { repeated, tickReverted, tickTransfer } from '../sampleStatus.ts'

const plain: Paint = (_, text) => text
const marked: Paint = (style, text) => `<${style}>${text}</${style}>`

const tick = { block: 12, tick: 3, transactions: [tickTransfer, tickTransfer], elapsed: 1.84 }
const seal = {
  number: 12,
  hash: repeated('c', 64),
  timestamp: 1_700_000_000,
  transactions: 2000,
  gasUsed: 42_000_000,
  baseFeePerGas: 7n,
  elapsed: 12,
}

test('default', () => {
  expect(['', tickLine(tick, plain), sealLine(seal, plain), ''].join('\n')).toMatchInlineSnapshot(`
    "
    pre-confirmed #12 tick 3         2 txs     42,000 gas  1.8 ms
    sealed        #12 0xcccccc…  2,000 txs 42,000,000 gas  12.0 ms
    "
  `)
})

test('default: import', () => {
  const event = {
    file: 'chain.rlp',
    blocks: 54,
    transactions: 1,
    gasUsed: 103_418_778,
    number: 1054,
    hash: repeated('c', 64),
    elapsed: 1226.6,
  }
  expect(eventLines.import(event)).toBe(
    'Imported 54 blocks (1 transaction, 103,418,778 gas) from chain.rlp in 1,227 ms; newest: 1,054 0xcccccccc…',
  )
})

test.each<[age: number, shown: string]>([
  [0, '0 s'],
  [59, '59 s'],
  [60, '1 min'],
  [3 * 3600 + 1800, '3 h'],
  [40 * 86_400, '40 d'],
  [-5, '0 s'],
])('a fork block of %i s', (age, shown) => {
  const now = 1_700_000_000_000
  const event = {
    origin: 'https://rpc.example',
    chainId: 1,
    number: 21_000_000,
    hash: repeated('c', 64),
    timestamp: now / 1000 - age,
    hardfork: 'prague',
    hardforkFrom: 'header',
    preconfirmed: null,
    elapsed: 120.4,
  } as const
  expect(eventLines.fork(event, now)).toBe(
    `Forked chain 1 at block 21,000,000 0xcccccccc…, ${shown} old, from https://rpc.example in 120 ms; hardfork prague, by its header`,
  )
  expect(eventLines.fork({ ...event, preconfirmed: 0 }, now)).toMatch(
    /by its header; nothing was pre-confirmed$/,
  )
  expect(eventLines.fork({ ...event, preconfirmed: 1 }, now)).toMatch(
    /by its header; 1 pre-confirmed transaction taken over$/,
  )
  expect(eventLines.fork({ ...event, origin: null, hardforkFrom: 'state' }, now)).toBe(
    `Forked chain 1 at block 21,000,000 0xcccccccc…, ${shown} old in 120 ms; hardfork prague, by the state file`,
  )
})

test('a state that was loaded, and one that was saved', () => {
  const newest = { file: 'state.json', number: 1053, hash: repeated('c', 64) }
  expect(eventLines.load({ ...newest, blocks: 1, elapsed: 1226.7 })).toBe(
    'Loaded 1 block from state.json in 1,227 ms; newest: 1,053 0xcccccccc…',
  )
  expect(eventLines.save({ ...newest, size: 12_345, elapsed: 25.4 })).toBe(
    'Saved block 1,053 0xcccccccc… to state.json: 12,345 bytes in 25 ms',
  )
})

test('one transaction, one of them reverted', () => {
  expect(tickLine({ ...tick, transactions: [tickReverted] }, marked)).toMatchInlineSnapshot(
    `"<cyan>pre-confirmed #12 tick 3          1 tx  1,250,000 gas</cyan>  <red>1 reverted</red>"`,
  )
})

test('an empty block is dimmed', () => {
  expect(sealLine({ ...seal, transactions: 0, gasUsed: 0 }, marked)).toMatchInlineSnapshot(
    `"<dim>sealed        #12 0xcccccc…      0 txs          0 gas  12.0 ms</dim>"`,
  )
})

test('what a command took back', () => {
  const drop = { command: 'drop', dropped: 1, reexecuted: 2, replaced: 0, latest: 12 } as const
  const none = { dropped: 0, reexecuted: 0, replaced: 0, latest: 1200 }
  expect([
    eventLines.undo(drop),
    eventLines.undo({ ...drop, dropped: 3, reexecuted: 0 }),
    eventLines.undo({ ...none, command: 'rearrange', reexecuted: 4 }),
    eventLines.undo({ ...none, command: 'revert' }),
    eventLines.undo({ ...none, command: 'rollback' }),
    eventLines.undo({ ...none, command: 'reorg', replaced: 3, dropped: 2 }),
    eventLines.undo({ ...none, command: 'reorg', replaced: 1 }),
    eventLines.undo({ ...none, command: 'reset', latest: 0 }),
    eventLines.undo({ ...none, command: 'load' }),
  ]).toEqual([
    'dropped       1 transaction, 2 executed again',
    'dropped       3 transactions',
    'rearranged    4 executed again',
    'reverted      to block 1,200',
    'rolled back   to block 1,200',
    'reorganised   the last 3 blocks up to block 1,200, 2 transactions dropped',
    'reorganised   the last 1 block up to block 1,200',
    'reset         to block 0',
    'loaded        a chain up to block 1,200',
  ])
})

describe('grouped', () => {
  test.each([
    [0, '0'],
    [999, '999'],
    [1000, '1,000'],
    [60_000_000, '60,000,000'],
  ])('args: %i', (number, text) => {
    expect(grouped(number)).toBe(text)
  })
})

test('a fault', () => {
  const fault = {
    kind: 'drop',
    rule: 0,
    block: 12,
    tick: 3,
    transactions: [],
    depth: null,
    method: null,
  } as const
  expect(eventLines.fault({ ...fault, transactions: ['0x12'] })).toBe(
    'fault         drop, block 12 tick 3, rule 0: 0x12',
  )
  expect(eventLines.fault({ ...fault, kind: 'refuseAnswer', method: 'eth_call' })).toBe(
    'fault         refuseAnswer, block 12 tick 3, rule 0: eth_call',
  )
  expect(eventLines.fault({ ...fault, kind: 'stall' })).toBe(
    'fault         stall, block 12 tick 3, rule 0',
  )
  expect(eventLines.fault({ ...fault, kind: 'reorg', depth: 3 })).toBe(
    'fault         reorg of 3 blocks, block 12 tick 3, rule 0',
  )
  const lost = ['0x1', '0x2', '0x3', '0x4'] as const
  expect(eventLines.fault({ ...fault, kind: 'truncate', depth: 1, transactions: lost })).toBe(
    'fault         truncate of 1 slice, block 12 tick 3, rule 0: 0x1, 0x2, 0x3 and 1 other',
  )
})

test('the time of day is as Intl writes it', () => {
  for (let moment = 0; moment < 90_000_000; moment += 4_321_987) {
    const date = new Date(moment)
    const milliseconds = String(date.getMilliseconds()).padStart(3, '0')
    expect(timeText(moment)).toBe(`${date.toLocaleTimeString('en-GB')}.${milliseconds}`)
  }
})
