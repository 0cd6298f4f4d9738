import { type Ask, askerOf, askStatus, frozenTicks, type NodeLike } from './node.ts'
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

/** Whether a transaction is pre-confirmed: executed by a tick, and not sealed. */
export async function checkPreconfirmed(
  subject: unknown,
  node: NodeLike,
  options: CheckOptions,
): Promise<Outcome> {
  const hash = hashOf(subject)
  const ask = askerOf(node)
  return lookUntilFinal(
    options,
    async () => tickTimeout(await askStatus(ask)),
    async (limit) => {
      const seen = await sight(ask, hash, limit)
      const pass = seen.at === 'pre-confirmed'
      const message = pass
        ? `expected transaction ${hash} not to be pre-confirmed, but ${await describe(ask, seen)}`
        : `expected transaction ${hash} to be pre-confirmed, but ${await describeMiss(ask, seen)}`
      return {
        outcome: { pass, message, expected: 'pre-confirmed', actual: place(seen) },
        final: isLast(seen),
      }
    },
  )
}

/** Whether a transaction will not become pre-confirmed any more, or is, or nothing but a command can make it so. */
export function isLast(seen: Sighting): boolean {
  if (!('status' in seen) || seen.at === 'dropped') return true
  return frozenTicks(seen.status) !== undefined
}

/** What was seen of a transaction that was to be pre-confirmed; of one that is past that, how a test can see it. */
export async function describeMiss(ask: Ask, seen: Sighting): Promise<string> {
  if (seen.at !== 'sealed') return describe(ask, seen)
  const { instant, sealing } = await askStatus(ask)
  const already = `it is already sealed in block ${seen.block}`
  if (instant) return `${already}: the node is in instant mode`
  return sealing.running ? `${already}: freeze sealing to look before the seal` : already
}
