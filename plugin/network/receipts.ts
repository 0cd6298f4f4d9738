import { setTimeout as sleep } from 'node:timers/promises'
import type { Hex, Status } from '../../devnet/types.ts'
import type { PendingNodeReceipt } from '../types.ts'
import type { Ask } from './controls.ts'
import { pluginError } from './plugin-error.ts'

/** ms that is waited at least by default. */
const PATIENCE = 4000

/** What of a transaction the messages tell. */
interface SentTransaction {
  readonly from: Hex
  readonly nonce: Hex
}

export interface ReceiptWait {
  readonly hash: Hex
  readonly stage: 'pre-confirmed' | 'sealed'
  /** ms. Default: 4,000, or two intervals of the clock where that is more. */
  readonly timeout: number | undefined
  readonly ask: Ask
  /** ms between two looks. */
  readonly pollInterval: number
}

/**
 * Looks until there is a receipt. The node itself answers after the tick that takes the transaction where that is the
 * next one, so most waits end with the first look.
 */
export async function waitForReceipt(wait: ReceiptWait): Promise<PendingNodeReceipt> {
  const { hash, stage, ask, pollInterval } = wait
  const begin = performance.now()
  for (;;) {
    // The answers of our own node, which #ask has asked; a foreign one fails at preconf_status below.
    const receipt = (await ask('eth_getTransactionReceipt', hash)) as PendingNodeReceipt | null
    if (receipt !== null && (stage === 'pre-confirmed' || isSealed(receipt))) return receipt
    const status = (await ask('preconf_status')) as Status
    const sent =
      receipt ?? ((await ask('eth_getTransactionByHash', hash)) as SentTransaction | null)
    if (sent === null) throw goneError(hash, status)
    const interval = stage === 'sealed' ? status.sealing.interval : status.ticks.interval
    const { timeout = Math.max(PATIENCE, 2 * interval) } = wait
    if (performance.now() - begin >= timeout) {
      const reason =
        'nonce' in sent ? await whyNotPreconfirmed(sent, status, ask) : whyNotSealed(status)
      throw pluginError(`Transaction ${hash} is not ${stage} after ${timeout} ms: ${reason}`)
    }
    await sleep(pollInterval)
  }
}

function isSealed({ blockHash }: PendingNodeReceipt): boolean {
  return !/^0x0*$/.test(blockHash)
}

function goneError(hash: Hex, { dropped }: Status): Error {
  const reason = dropped.findLast((one) => one.hash === hash)?.reason
  return pluginError(
    reason === undefined
      ? `The node does not know transaction ${hash}: it was never sent to it, was replaced, or was undone by a revert.`
      : `Transaction ${hash} was dropped: ${reason}.`,
  )
}

async function whyNotPreconfirmed(
  { from, nonce }: SentTransaction,
  { ticks }: Status,
  ask: Ask,
): Promise<string> {
  if (!ticks.running) return 'the ticks are frozen; call tick() or resume().'
  const next = Number(await ask('eth_getTransactionCount', from, 'pending'))
  return Number(nonce) > next
    ? `it waits behind a nonce gap; the next nonce of ${from} is ${next}, and it has ${Number(nonce)}.`
    : 'it waits in the mempool; its fee may be below the base fee, or the block full.'
}

function whyNotSealed({ sealing, instant }: Status): string {
  if (!sealing.running && !instant) return 'sealing is frozen; call seal() or resume().'
  return `it is pre-confirmed, and blocks are sealed every ${sealing.interval} ms.`
}
