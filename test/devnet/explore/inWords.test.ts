import { expect, test } from 'vitest'
import { inWords } from '../../../devnet/explore/inWords.ts'
import type { Occurrence, RunOutcome } from '../../../devnet/explore/runOutcome.ts'
import type { FaultEvent, FaultRule } from '../../../devnet/faults/types.ts'

const [ALICE, BOB] = [`0x${'a'.repeat(40)}`, `0x${'b'.repeat(40)}`] as const
const HASH = `0x${'1'.repeat(64)}` as const
const MINE = { hash: HASH, from: ALICE, nonce: 3 }

/** The sentence about rules that have all fired in tick 8 of block 21. */
function said(rules: readonly FaultRule[], event: Partial<FaultEvent> = {}): string {
  const tick: Occurrence = {
    kind: 'tick',
    block: 21,
    tick: 7,
    index: 1,
    transactions: [MINE],
    hasSockets: false,
  }
  const faults = rules.map(({ kind }, rule): Occurrence => {
    const place = { block: 21, tick: 8, transactions: [HASH], depth: null, method: null }
    return { kind: 'fault', fault: { kind, rule, ...place, ...event } }
  })
  const outcome: RunOutcome = {
    failure: undefined,
    isCut: false,
    wantsStream: false,
    // It is executed again, after the faults.
    log: [tick, ...faults, { ...tick, tick: 9 }],
    seen: undefined,
    options: { tickInterval: 200, sealInterval: 2000 },
    accounts: [BOB, ALICE],
  }
  return inWords(rules, outcome)
}

test.each<[FaultRule, Partial<FaultEvent>, string]>([
  [
    { kind: 'drop', from: ALICE, nonce: 3 },
    {},
    'the transaction of account #1 with nonce 3 that was pre-confirmed in tick 7 of block 21 was dropped at the seal',
  ],
  [
    { kind: 'drop', at: 'tick', from: HASH, nonce: 0 },
    {},
    `the transaction of ${HASH} with nonce 0 that was pre-confirmed in tick 7 of block 21 was dropped in the tick after it`,
  ],
  [
    { kind: 'hold', from: BOB, nonce: 1, ticks: 10 },
    {},
    'the transaction of account #0 with nonce 1 was passed by for 10 ticks from tick 8 of block 21 on',
  ],
  [{ kind: 'reorder' }, {}, 'block 21 was sealed in another order'],
  [{ kind: 'truncate' }, {}, 'block 21 was sealed without what its last tick had pre-confirmed'],
  [{ kind: 'reorg', depth: 1 }, { depth: 1 }, 'block 21 was reorganised'],
  [
    { kind: 'reorg', depth: 2, drops: true },
    { depth: 2 },
    'blocks 20 and 21 were reorganised, their transactions dropped',
  ],
  [{ kind: 'reorg', depth: 3 }, { depth: 3 }, 'blocks 19 to 21 were reorganised'],
  [{ kind: 'skipTick' }, {}, 'tick 8 of block 21 executed nothing'],
  [{ kind: 'delayTick', ms: 300 }, {}, 'tick 8 of block 21 was 300 ms late'],
  [{ kind: 'stall' }, {}, 'ticks executed nothing from tick 8 of block 21 to its seal'],
  [{ kind: 'delaySeal', ms: 1000 }, {}, 'the seal of block 21 was 1000 ms late'],
  [
    { kind: 'refuseAnswer', method: 'eth_call' },
    { method: 'eth_call' },
    'eth_call was refused in tick 8 of block 21',
  ],
  [
    { kind: 'delayAnswer', method: 'eth_call', ms: 9 },
    { method: 'eth_call' },
    'the answer to eth_call in tick 8 of block 21 was 9 ms late',
  ],
  [
    { kind: 'corruptAnswer', method: 'eth_call' },
    { method: 'eth_call' },
    'the answer to eth_call in tick 8 of block 21 was wrong',
  ],
  [{ kind: 'cutSockets' }, {}, 'all WebSockets broke off after tick 8 of block 21'],
  [{ kind: 'loseSlice', index: 2 }, {}, 'message 2 of block 21 in the flashblock stream got lost'],
  [
    { kind: 'swapSlices', index: 2 },
    {},
    'message 2 of block 21 in the flashblock stream came after the next one',
  ],
])('%o', (rule, event, words) => {
  expect(said([rule], event)).toBe(words)
})

test('several faults, in the order in which they fired', () => {
  expect(said([{ kind: 'skipTick' }, { kind: 'reorder' }])).toBe(
    'tick 8 of block 21 executed nothing; then block 21 was sealed in another order',
  )
})
