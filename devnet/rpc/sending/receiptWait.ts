import type { FormattedReceipt } from '../../json/formatReceipt.ts'
import { formatPlacedReceipt } from '../../json/formatTransaction.ts'
import { DevnetError, ErrorCode } from '../../primitives/errors.ts'
import type { Hex } from '../../primitives/hex.ts'
import type { RpcContext } from '../context.ts'
import type { Caller } from '../method.ts'

/** A sent transaction had no receipt in time: code 4, with the hash as data (EIP-7966). */
export class ReceiptTimeoutError extends DevnetError {
  override name = 'ReceiptTimeoutError'
  /** @param timeout - ms */
  constructor(hash: Hex, timeout: number, ticksRun: boolean) {
    const hint = ticksRun ? '' : '; ticks are frozen: call preconf_advance or preconf_resume'
    super(
      ErrorCode.syncTimeout,
      `The transaction was added to the mempool but wasn't processed in ${timeout} ms${hint}`,
      { data: hash },
    )
  }
}

/** A sent transaction is gone, by a revert or by another one with its nonce: code 4, with the hash as data (EIP-7966). */
export class TransactionGoneError extends DevnetError {
  override name = 'TransactionGoneError'
  constructor(hash: Hex) {
    super(
      ErrorCode.syncTimeout,
      'The transaction was added to the mempool and dropped from it, by a revert or a replacement',
      { data: hash },
    )
  }
}

/** A sent transaction turned out to be one that can never run: code 5, with the hash as data (EIP-7966). */
export class TransactionDroppedError extends DevnetError {
  override name = 'TransactionDroppedError'
  constructor(hash: Hex, reason: string) {
    super(ErrorCode.syncRejected, `The transaction was rejected: ${reason}`, { data: hash })
  }
}

/** The timeout that holds for a request, in ms: what it asks for, up to the longest that is allowed (EIP-7966). */
export function receiptTimeout(
  asked: bigint | undefined,
  { syncTimeout, maxSyncTimeout }: Pick<RpcContext['options'], 'syncTimeout' | 'maxSyncTimeout'>,
): number {
  // 0 is no timeout in the EIP, and so the node's own counts.
  const wanted = asked === undefined || asked === 0n ? BigInt(syncTimeout) : asked
  return wanted < BigInt(maxSyncTimeout) ? Number(wanted) : maxSyncTimeout
}

/**
 * The receipt of a transaction that the mempool has accepted, as soon as a tick pre-confirms it; in instant mode as soon
 * as it is sealed.
 *
 * @param timeout - ms
 * @throws {ReceiptTimeoutError} {@link TransactionGoneError}, {@link TransactionDroppedError}
 * @throws the signal's reason when the client hangs up
 */
export async function waitForReceipt(
  { chain, clocks }: Pick<RpcContext, 'chain' | 'clocks'>,
  hash: Hex,
  timeout: number,
  { signal }: Pick<Caller, 'signal'>,
): Promise<FormattedReceipt> {
  const { promise, resolve, reject } = Promise.withResolvers<FormattedReceipt>()
  const look = () => {
    const found = chain.findTransaction(hash)
    // In instant mode the seal comes in the same turn.
    if (found === undefined || (clocks.instant && found.at === 'pending')) return undefined
    const receipt = formatPlacedReceipt(found)
    if (receipt !== undefined) resolve(receipt)
    return receipt
  }
  // Only between two changes of the chain: in the midst of one, a transaction may be nowhere.
  const lookAfterTurn = () => {
    if (look() !== undefined || chain.findTransaction(hash) !== undefined) return
    const dropped = chain.dropped.findLast((one) => one.hash === hash)
    reject(
      dropped === undefined
        ? new TransactionGoneError(hash)
        : new TransactionDroppedError(hash, dropped.reason),
    )
  }
  const giveUp = () => reject(signal.reason)
  const timer = setTimeout(
    () => reject(new ReceiptTimeoutError(hash, timeout, clocks.ticks.running)),
    timeout,
  )
  // A tick of a long command, too, and not only its end.
  const ends = [chain.onTick(look), chain.onWrite(lookAfterTurn)]
  signal.addEventListener('abort', giveUp, { once: true })
  if (signal.aborted) giveUp()
  look()
  try {
    return await promise
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', giveUp)
    for (const end of ends) end()
  }
}
