import type { Rule, RuleOf } from './rule.ts'
import type { FaultKind } from './types.ts'

type Place = 'blocks' | 'answers' | 'stream' | 'sockets'

/**
 * The targets of each kind of fault: ticks and seals, answers, messages of the stream, or
 * WebSockets. The node that a replica follows decides on the first.
 */
export const PLACES = {
  drop: 'blocks',
  hold: 'blocks',
  reorder: 'blocks',
  truncate: 'blocks',
  reorg: 'blocks',
  skipTick: 'blocks',
  delayTick: 'blocks',
  stall: 'blocks',
  delaySeal: 'blocks',
  refuseAnswer: 'answers',
  delayAnswer: 'answers',
  corruptAnswer: 'answers',
  duplicateSlice: 'stream',
  loseSlice: 'stream',
  swapSlices: 'stream',
  cutSockets: 'sockets',
} as const satisfies Record<FaultKind, Place>

type KindAt<Where extends Place> = {
  [Kind in FaultKind]: (typeof PLACES)[Kind] extends Where ? Kind : never
}[FaultKind]

export type RuleAt<Where extends Place> = Rule<RuleOf<KindAt<Where>>>

/** A test for rules that act there. */
export function actsOn<Where extends Place>(place: Where) {
  return (rule: Rule): rule is RuleAt<Where> => PLACES[rule.spec.kind] === place
}
