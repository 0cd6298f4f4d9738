import { PLACES } from '../../../devnet/faults/faultPlaces.ts'
import type { FaultKind, FaultRule, FaultScript } from '../../../devnet/faults/types.ts'
import type { Hex } from '../../../devnet/primitives/hex.ts'
import type { Random } from '../../support/random.ts'

/** Methods whose answers fail. */
export const FAULTY_METHODS = ['eth_blockNumber', 'eth_getBalance', 'eth_getTransactionReceipt']

// The keys are those of the table.
const KINDS = Object.keys(PLACES) as FaultKind[]

/** Random rules of every kind; equal for equal numbers. */
export function randomScript(
  random: Random,
  { accounts, block }: { readonly accounts: readonly Hex[]; readonly block: number },
): FaultScript {
  const rules = Array.from({ length: 1 + random.below(4) }, () => rule())
  return { rules, seed: random.below(2 ** 32) }

  function rule(): FaultRule {
    const kind = random.pick(KINDS)
    const limits = {
      ...(random.once(4) ? { block: block + random.below(4) } : {}),
      ...(random.once(2) ? { probability: (1 + random.below(100)) / 100 } : {}),
      ...(random.once(2) ? { next: 1 + random.below(3) } : {}),
    }
    const ofTick = { ...limits, ...(random.once(4) ? { tick: random.below(3) } : {}) }
    const ofTransaction = {
      ...ofTick,
      ...(random.once(3) ? { from: random.pick(accounts) } : {}),
      ...(random.once(4) ? { address: random.pick(accounts) } : {}),
      ...(random.once(6) ? { nonce: random.below(20) } : {}),
    }
    const method = random.once(2) ? random.pick(FAULTY_METHODS) : FAULTY_METHODS
    switch (kind) {
      case 'drop':
        return { kind, ...ofTransaction, at: random.pick(['seal', 'tick']) }
      case 'hold':
        return { kind, ...ofTransaction, ticks: random.once(2) ? 1 + random.below(3) : undefined }
      case 'reorder':
        return { kind, ...limits }
      case 'truncate':
        return { kind, ...limits, slices: 1 + random.below(3) }
      case 'reorg':
        return { kind, ...limits, depth: 1 + random.below(4), drops: random.once(3) }
      case 'delayTick':
        return { kind, ...ofTick, ms: 1 + random.below(1000) }
      case 'stall':
        return { kind, ...ofTick, blocks: 1 + random.below(3) }
      case 'delaySeal':
        return { kind, ...limits, ms: 1 + random.below(3000) }
      case 'refuseAnswer':
        return { kind, ...ofTick, method, code: random.once(2) ? 429 : undefined }
      case 'delayAnswer':
        return { kind, ...ofTick, method, ms: 1 }
      case 'corruptAnswer':
        return { kind, ...ofTick, method, ...(random.once(2) ? { result: null } : {}) }
      case 'skipTick':
      case 'cutSockets':
        return { kind, ...ofTick }
      case 'duplicateSlice':
      case 'loseSlice':
      case 'swapSlices':
        return { kind, ...limits, ...(random.once(2) ? { index: random.below(4) } : {}) }
    }
    kind satisfies never // Names the kind that has no case.
  }
}
