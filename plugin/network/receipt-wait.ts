import type { Hex } from '../../devnet/primitives/hex.ts'
import type { Status } from '../../devnet/types.ts'
import { describe, lookUntilFinal } from '../assertions/outcome.ts'
import { sealHint } from '../assertions/sealed.ts'
import { type Sighting, sight } from '../assertions/sighting.ts'
import type { PendingNodeReceipt } from '../types.ts'
import type { Ask } from './controls.ts'
import { pluginError } from './plugin-error.ts'

/** ms that is waited at least by default. */
const PATIENCE = 4000

export interface ReceiptWait {
  readonly hash: Hex
  readonly stage: 'pre-confirmed' | 'sealed'
  /** ms. Default: 4,000, or two intervals of the clock where that is more. */
  readonly timeout: number | undefined
  readonly ask: Ask
  /** What the clocks are at when the wait begins. */
  readonly status: Status
}

/**
 * Looks until there is a receipt. The node itself answers after the tick that takes the transaction where that is the
 * next one, so most waits end with the first look.
 *
 * @throws {HardhatPluginError} when there will be none, or there is none in time
 * @throws {TypeError} when `timeout` is no time
 */
export async function waitForReceipt(wait: ReceiptWait): Promise<PendingNodeReceipt> {
  const { hash, stage, ask, timeout, status } = wait
  let receipt: PendingNodeReceipt | undefined
  const interval = stage === 'sealed' ? status.sealing.interval : status.ticks.interval
  const { message } = await lookUntilFinal(
    { timeout, negated: false },
    async () => Math.max(PATIENCE, 2 * interval),
    async (limit) => {
      const seen = await sight(ask, hash, limit)
      if (seen.at === 'sealed' || (seen.at === 'pre-confirmed' && stage === 'pre-confirmed')) {
        // As the node answers it, whole.
        receipt = seen.receipt as PendingNodeReceipt
      }
      const final = receipt !== undefined || seen.at === 'unknown' || seen.at === 'dropped'
      const message = receipt === undefined ? await whyNot(wait, seen) : ''
      return { final, outcome: { pass: final, message, expected: stage, actual: seen.at } }
    },
  )
  if (receipt !== undefined) return receipt
  throw pluginError(message)
}

async function whyNot({ hash, stage, ask }: ReceiptWait, seen: Sighting): Promise<string> {
  if (seen.at === 'unknown') {
    return `The node does not know transaction ${hash}: it was never sent to it, was replaced, or was undone by a revert.`
  }
  const hint = stage === 'sealed' ? await sealHint(ask, seen) : ''
  return `Transaction ${hash} is not ${stage}: ${await describe(ask, seen)}${hint}`
}
