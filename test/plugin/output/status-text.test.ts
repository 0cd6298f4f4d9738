import { expect, test } from 'vitest'
import type { ForkStatus } from '../../../devnet/types.ts'
import { statusText } from '../../../plugin/output/status-text.ts'
import { sampleStatus } from '../sampleStatus.ts'

test('default', () => {
  expect(`\n${statusText(sampleStatus, (_, text) => text)}\n`).toMatchInlineSnapshot(`
    "
    time     2023-11-14T22:13:20.040Z
    ticks    every 200 ms, running, next in 160 ms
    sealing  every 2,000 ms, frozen
    latest   block 12 0xcccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccc 2023-11-14T22:13:19.000Z
    pending  block 13, 4 ticks, 2 transactions, 1,271,000 gas
      0xaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa tick 0, from 0x1111111111111111111111111111111111111111 nonce 0, 21,000 gas
      0xbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb tick 3, from 0x1111111111111111111111111111111111111111 nonce 1, 1,250,000 gas, reverted
    mempool  0 for the next tick, 1 behind a nonce gap
    dropped  1
      0xdddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddd nonce too low
    "
  `)
})

test('ticks on arrival, nothing pending', () => {
  const idle = {
    ...sampleStatus,
    ticks: { interval: 0, running: true, next: null },
    sealing: { interval: 2000, running: true, next: sampleStatus.time + 1250 },
    pending: { ...sampleStatus.pending, ticks: 1, gasUsed: 0, transactions: [] },
    dropped: [],
  }
  expect(`\n${statusText(idle, (_, text) => text)}\n`).toMatchInlineSnapshot(`
    "
    time     2023-11-14T22:13:20.040Z
    ticks    on arrival, running
    sealing  every 2,000 ms, running, next in 1,250 ms
    latest   block 12 0xcccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccc 2023-11-14T22:13:19.000Z
    pending  block 13, 1 tick, 0 transactions, 0 gas
    mempool  0 for the next tick, 1 behind a nonce gap
    dropped  0
    "
  `)
})

test('instant mode', () => {
  const sealing = (status: Partial<typeof sampleStatus>) =>
    statusText({ ...sampleStatus, instant: true, ...status }, (_, text) => text)
      .split('\n')
      .find((line) => line.startsWith('sealing'))
  expect(sealing({})).toBe('sealing  at once')
  const running = { interval: 5000, running: true, next: sampleStatus.time + 1234 }
  expect(sealing({ sealing: running })).toBe(
    'sealing  at once, and every 5,000 ms, running, next in 1,234 ms',
  )
})

test('a profile', () => {
  const lines = statusText(
    { ...sampleStatus, profile: 'base-flashblocks' },
    (_, text) => text,
  ).split('\n')
  expect(lines.slice(2, 4)).toEqual([
    'sealing  every 2,000 ms, frozen',
    'profile  base-flashblocks',
  ])
})

test('a fork', () => {
  const fork = {
    origin: 'https://rpc.example',
    chainId: 1,
    number: 21_000_000,
    hash: sampleStatus.latest.hash,
    requests: 3,
    items: 1200,
    hits: 9,
    misses: 1,
    cached: 0,
    waiting: 0,
    failed: 0,
    lastFailure: null,
  }
  const lines = statusText(sampleStatus, (_, text) => text).split('\n').length
  const shown = (status: Partial<ForkStatus>) =>
    statusText({ ...sampleStatus, fork: { ...fork, ...status } }, (_, text) => text)
      .split('\n')
      .slice(lines)
  const first =
    'fork     chain 1 at block 21,000,000 of https://rpc.example: 1 value loaded in 3 requests of 1,200 items, 0 from the cache'
  expect(shown({})).toEqual([first])
  expect(shown({ origin: null, waiting: 2 })).toEqual([
    'fork     chain 1 at block 21,000,000: 1 value loaded in 3 requests of 1,200 items, 0 from the cache, 2 waiting',
  ])
  expect(shown({ failed: 3, lastFailure: 'HTTP 429\u001b' })).toEqual([
    first,
    '  3 requests failed, the last one: HTTP 429\\x1b',
  ])
})

test('faults', () => {
  const faults = {
    seed: 7,
    rules: [
      { kind: 'drop', next: 1, fired: 1 },
      { kind: 'hold', fired: 1 },
      { kind: 'stall', fired: 1 },
    ],
    held: [{ hash: '0x12', rule: 1 }],
    stall: 2,
  } as const
  const lines = statusText({ ...sampleStatus, faults }, (_, text) => text).split('\n')
  expect(lines.slice(-6)).toEqual([
    'faults   3 rules, seed 7',
    '  0 fired 1 time: {"kind":"drop","next":1}',
    '  1 fired 1 time: {"kind":"hold"}',
    '    holds 0x12',
    '  2 fired 1 time: {"kind":"stall"}',
    '    keeps ticks from executing anything',
  ])
})
