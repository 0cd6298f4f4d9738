import type { Status } from '../../devnet/types.ts'
import { type Ask, askerOf, askStatus, type NodeLike } from './node.ts'
import {
  type CheckOptions,
  describe,
  lookUntilFinal,
  type Outcome,
  place,
  tickTimeout,
} from './outcome.ts'
import { type Sighting, sight } from './sighting.ts'
import { hashOf } from './subject.ts'

/** Whether a transaction is in a sealed block. */
export async function checkSealed(
  subject: unknown,
  node: NodeLike,
  options: CheckOptions,
): Promise<Outcome> {
  const hash = hashOf(subject)
  const ask = askerOf(node)
  const timeout = async () => {
    const status = await askStatus(ask)
    return tickTimeout(status) + status.sealing.interval
  }
  return lookUntilFinal(options, timeout, async (limit) => {
    const seen = await sight(ask, hash, limit)
    const described = await describe(ask, seen)
    if (seen.at === 'sealed') {
      const message = `expected transaction ${hash} not to be sealed, but ${described}`
      return { outcome: { pass: true, message, expected, actual: place(seen) }, final: true }
    }
    const status = 'status' in seen ? seen.status : await askStatus(ask)
    const message = `expected transaction ${hash} to be sealed, but ${described}${hint(seen, status)}`
    return {
      outcome: { pass: false, message, expected, actual: place(seen) },
      final: seen.at === 'dropped' || !seals(status),
    }
  })
}

const expected = 'sealed'

/** Whether blocks are sealed without a command. */
function seals({ instant, sealing }: Status): boolean {
  return instant || sealing.running
}

/** What a transaction that is not sealed waits for besides, as the end of a sentence. */
export async function sealHint(ask: Ask, seen: Sighting): Promise<string> {
  return hint(seen, 'status' in seen ? seen.status : await askStatus(ask))
}

function hint({ at }: Sighting, status: Status): string {
  const isNext = at === 'pre-confirmed' || (at === 'mempool' && status.ticks.running)
  return isNext && !seals(status) ? ', and sealing is frozen: seal() or advance first' : ''
}
