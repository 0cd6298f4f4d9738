import type { FaultRule } from '../faults/types.ts'
import type { Occurrence, RunOutcome } from './runOutcome.ts'
import type { FaultGroup } from './types.ts'

/** Blocks that a reorganisation replaces, at most. */
const DEEPEST_REORG = 3

/** A place at which faults could act, each alone. */
export interface Place {
  /** Index in the log. */
  readonly at: number
  readonly rules: readonly FaultRule[]
}

/** The places of a run, in the order in which it came to them. */
export function placesOf(
  log: readonly Occurrence[],
  groups: readonly FaultGroup[],
  intervals: RunOutcome['options'],
): Place[] {
  const filled = new Set<number>()
  const rulesOf = (one: Occurrence): FaultRule[][] => {
    if (one.kind === 'answer')
      return groups.includes('answers') ? [answerRules(one, intervals)] : []
    const hasBlocks = groups.includes('blocks')
    if (one.kind === 'seal') {
      if (one.transactions.length > 0) filled.add(one.block)
      return hasBlocks ? sealRules(one, filled, intervals) : []
    }
    if (one.kind !== 'tick') return []
    return [
      ...(hasBlocks ? tickRules(one, intervals) : []),
      ...socketRules(one).flatMap(({ group, rules }) =>
        one.hasSockets && groups.includes(group) ? [rules] : [],
      ),
    ]
  }
  const known = new Set<string>()
  const places: Place[] = []
  for (const [at, one] of log.entries()) {
    for (const all of rulesOf(one)) {
      // Requests of one method in one tick give equal rules, which are tried only once.
      const rules = all.filter((rule) => !known.has(JSON.stringify(rule)))
      for (const rule of rules) known.add(JSON.stringify(rule))
      if (rules.length > 0) places.push({ at, rules })
    }
  }
  return places
}

type At<Kind extends Occurrence['kind']> = Extract<Occurrence, { kind: Kind }>

/** Of each transaction that a tick executed, and of the tick itself. */
function tickRules(
  { block, tick, transactions }: At<'tick'>,
  { tickInterval, sealInterval }: RunOutcome['options'],
): FaultRule[][] {
  const ofTick = { block, tick, next: 1 }
  // As many ticks as a block has: the transaction comes into the next block.
  const ticks = Math.max(1, Math.ceil(sealInterval / Math.max(1, tickInterval)))
  return [
    ...transactions.map(({ from, nonce }): FaultRule[] => [
      { kind: 'drop', at: 'tick', block, from, nonce, next: 1 },
      { kind: 'hold', ...ofTick, from, nonce, ticks },
    ]),
    [
      { kind: 'skipTick', ...ofTick },
      { kind: 'delayTick', ...ofTick, ms: Math.max(1, Math.round(tickInterval * 1.5)) },
      { kind: 'stall', ...ofTick },
    ],
  ]
}

/**
 * Of each transaction in a block, and of its seal.
 *
 * @param filled - blocks up to this one in which there were any
 */
function sealRules(
  { block, transactions }: At<'seal'>,
  filled: ReadonlySet<number>,
  { sealInterval }: RunOutcome['options'],
): FaultRule[][] {
  const ofBlock = { block, next: 1 }
  const rules: FaultRule[] = []
  if (transactions.length > 0) {
    rules.push({ kind: 'truncate', ...ofBlock })
    rules.push({ kind: 'delaySeal', ...ofBlock, ms: Math.max(1, Math.round(sealInterval / 2)) })
  }
  if (new Set(transactions.map(({ from }) => from)).size > 1) {
    rules.push({ kind: 'reorder', ...ofBlock })
  }
  for (let depth = 1; depth <= DEEPEST_REORG; depth++) {
    // If the oldest block that it replaces is empty, a shallower one does the same.
    if (!filled.has(block - depth + 1)) continue
    const reorg = { kind: 'reorg', ...ofBlock, depth } as const
    rules.push(reorg, { ...reorg, drops: true })
  }
  return [
    ...transactions.map(({ from, nonce }): FaultRule[] => [
      { kind: 'drop', at: 'seal', block, from, nonce, next: 1 },
    ]),
    rules,
  ]
}

function answerRules(
  { method, block, tick }: At<'answer'>,
  { sealInterval }: RunOutcome['options'],
): FaultRule[] {
  if (method.startsWith('preconf_')) return []
  const place = { method, block, tick, next: 1 }
  return [
    { kind: 'refuseAnswer', ...place },
    { kind: 'delayAnswer', ...place, ms: Math.max(1, sealInterval) },
    { kind: 'corruptAnswer', ...place },
  ]
}

/** Rules for messages and sockets, if there are any. */
function socketRules({
  block,
  tick,
  index,
}: At<'tick'>): { group: FaultGroup; rules: FaultRule[] }[] {
  const kinds = ['duplicateSlice', 'loseSlice', 'swapSlices'] as const
  return [
    { group: 'stream', rules: kinds.map((kind) => ({ kind, block, index, next: 1 })) },
    { group: 'sockets', rules: [{ kind: 'cutSockets', block, tick, next: 1 }] },
  ]
}
