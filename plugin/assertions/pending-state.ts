import type { Status } from '../../devnet/types.ts'
import { type Ask, askStatus, frozenTicks } from './node.ts'
import {
  type CheckOptions,
  type Look,
  lookUntilFinal,
  type Outcome,
  tickTimeout,
} from './outcome.ts'

/** What one look at the pending state found; `hopeless` where no tick can bring about what is asserted. */
export interface StateLook {
  readonly outcome: Outcome
  readonly hopeless?: boolean
}

/** Looks at the pending state until it is as asserted; what waits for its tick is waited for, also by the opposite. */
export async function checkPendingState(
  ask: Ask,
  options: CheckOptions,
  look: () => Promise<StateLook>,
): Promise<Outcome> {
  const timeout = async () => tickTimeout(await askStatus(ask))
  return lookUntilFinal({ ...options, negated: false }, timeout, async (): Promise<Look> => {
    if (!options.negated) {
      const { outcome, hopeless } = await look()
      if (outcome.pass || hopeless === true) return { outcome, final: true }
    }
    // Asked before the look: what is frozen by then cannot change the state any more.
    const status = await askStatus(ask)
    const { outcome } = await look()
    if (options.negated) return { outcome, final: outcome.pass || !waits(status) }
    if (outcome.pass) return { outcome, final: true }
    return { outcome: withReason(outcome, status), final: !ticksRun(status) }
  })
}

function ticksRun(status: Status): boolean {
  return frozenTicks(status) === undefined
}

function waits(status: Status): boolean {
  return ticksRun(status) && status.mempool.runnable > 0
}

/** Frozen ticks are the reason where there is something for them to take. */
function withReason(outcome: Outcome, status: Status): Outcome {
  const frozen = frozenTicks(status)
  const { runnable } = status.mempool
  if (frozen === undefined || runnable === 0) return outcome
  const waiting = runnable === 1 ? '1 transaction waits' : `${runnable} transactions wait`
  return { ...outcome, message: `${outcome.message}; ${waiting} in the mempool, and ${frozen}` }
}
