import { type ExpectedEvent, type LogPattern, patternOf } from './expected-event.ts'
import { askerOf, askStatus, type NodeLike } from './node.ts'
import { type CheckOptions, lookUntilFinal, type Outcome, place, tickTimeout } from './outcome.ts'
import { describeMiss, isLast } from './preconfirmed.ts'
import { type Receipt, sight } from './sighting.ts'
import { hashOf } from './subject.ts'

/** Logs that a message lists. */
const MOST_LOGS = 10

/** Whether a transaction has emitted an event in its pre-confirmed receipt, and is not sealed. */
export async function checkEmittedBeforeSeal(
  subject: unknown,
  node: NodeLike,
  event: ExpectedEvent,
  options: CheckOptions,
): Promise<Outcome> {
  const hash = hashOf(subject)
  const ask = askerOf(node)
  const pattern = await patternOf(ask, event)
  const expected = `transaction ${hash} to emit ${pattern.text} before its seal`
  return lookUntilFinal(
    options,
    async () => tickTimeout(await askStatus(ask)),
    async (limit) => {
      const seen = await sight(ask, hash, limit)
      if (seen.at !== 'pre-confirmed') {
        const message = `expected ${expected}, but ${await describeMiss(ask, seen)}`
        return {
          outcome: { pass: false, message, expected: pattern.text, actual: place(seen) },
          final: isLast(seen),
        }
      }
      const { receipt } = seen
      const pass = await someMatches(pattern, receipt)
      const logs = receipt.logs.map(pattern.describe)
      const message = pass
        ? `expected ${expected.replace(' to emit ', ' not to emit ')}, but it has, in block ${seen.block}: ${list(logs)}`
        : `expected ${expected}, but ${emitted(receipt, logs)}`
      return { outcome: { pass, message, expected: pattern.text, actual: logs }, final: true }
    },
  )
}

async function someMatches(pattern: LogPattern, { logs }: Receipt): Promise<boolean> {
  for (const log of logs) {
    if (await pattern.matches(log)) return true
  }
  return false
}

/** What a receipt has instead of the log that was expected. */
function emitted({ status }: Receipt, logs: readonly string[]): string {
  if (status === '0x0') return 'it reverted, and so emitted nothing'
  return logs.length === 0 ? 'it emitted nothing' : `it emitted ${list(logs)}`
}

function list(logs: readonly string[]): string {
  const rest = logs.length - MOST_LOGS
  return rest > 0 ? `${logs.slice(0, MOST_LOGS).join('; ')}; and ${rest} more` : logs.join('; ')
}
