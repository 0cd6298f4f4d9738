import type { Hex, Status } from '../../devnet/index.ts'
import { hashOf } from '../assertions/arguments.ts'
import { lookUntilFinal } from '../assertions/outcome.ts'
import {
  describe,
  describeUnsealed,
  lookUp,
  type TransactionState,
} from '../assertions/transaction-state.ts'
import type { Ask } from '../rpc-client.ts'
import type { PendingNodeReceipt } from '../types.ts'
import { pluginError } from './plugin-error.ts'

/** Shortest default timeout, in ms. */
const MIN_TIMEOUT = 4000

interface ReceiptWait {
  readonly hash: Hex
  readonly stage: 'pre-confirmed' | 'sealed'
  /** ms. Default: 4,000, or two intervals of the awaited clock if that is more */
  readonly timeout: number | undefined
  readonly ask: Ask
  /** Status of the node when the wait begins. */
  readonly status: Status
}

/**
 * Looks up a transaction until it has reached `stage`. If the next tick can execute it, the node
 * answers after that tick, so most waits end with the first look.
 *
 * @throws {HardhatPluginError} if there is no receipt in time, or the transaction is unknown or
 * dropped
 * @throws {TypeError} if `hash` is no hash, or `timeout` is not a valid delay
 */
export async function waitForReceipt(
  asked: Omit<ReceiptWait, 'hash'> & { readonly hash: string },
): Promise<PendingNodeReceipt> {
  const wait: ReceiptWait = { ...asked, hash: hashOf(asked.hash) }
  const { hash, stage, ask, timeout, status } = wait
  let receipt: PendingNodeReceipt | undefined
  const interval = stage === 'sealed' ? status.sealing.interval : status.ticks.interval
  const { found } = await lookUntilFinal(
    { timeout, negated: false },
    async () => Math.max(MIN_TIMEOUT, 2 * interval),
    async (limit) => {
      const state = await lookUp(ask, hash, limit)
      if (state.at === 'sealed' || (state.at === 'pre-confirmed' && stage === 'pre-confirmed')) {
        receipt = state.receipt
      }
      const final = receipt !== undefined || state.at === 'unknown' || state.at === 'dropped'
      const found = receipt === undefined ? await whyNot(wait, state) : ''
      return { pass: final, found, actual: state.at, final }
    },
  )
  if (receipt !== undefined) return receipt
  throw pluginError(found)
}

async function whyNot({ hash, stage, ask }: ReceiptWait, state: TransactionState): Promise<string> {
  if (state.at === 'unknown') {
    return `The node does not know transaction ${hash}: it was never sent to it, was replaced, or was undone by a revert.`
  }
  const { found } =
    stage === 'sealed' ? await describeUnsealed(ask, state) : { found: await describe(ask, state) }
  return `Transaction ${hash} is not ${stage}: ${found}`
}
