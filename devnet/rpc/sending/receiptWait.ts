import { formatPlacedReceipt } from '../../json/formatTransaction.ts'
import type { FormattedReceipt } from '../../json/receiptForm.ts'
import { DevnetError, ErrorCode } from '../../primitives/errors.ts'
import type { Hex } from '../../primitives/hex.ts'
import type { RpcContext } from '../context.ts'
import type { Caller } from '../method.ts'

const GONE =
  'The transaction was added to the mempool and dropped from it, by a revert or a replacement'

/** The timeout of a request in ms: the requested one, up to the node's maximum (EIP-7966). */
export function receiptTimeout(
  asked: bigint | undefined,
  { syncTimeout, maxSyncTimeout }: Pick<RpcContext['options'], 'syncTimeout' | 'maxSyncTimeout'>,
): number {
  // The EIP does not allow 0, so the node's default applies.
  const wanted = asked === undefined || asked === 0n ? BigInt(syncTimeout) : asked
  return wanted < BigInt(maxSyncTimeout) ? Number(wanted) : maxSyncTimeout
}

/**
 * Waits for the receipt of an accepted transaction: until a tick pre-confirms it, or in instant
 * mode until it is sealed.
 *
 * @param timeout - ms
 * @throws {DevnetError} with the hash as data (EIP-7966): code 4 after the timeout or if a revert
 *   or replacement dropped the transaction, code 5 if it can never run
 * @throws the signal's reason if the client hangs up
 */
export async function waitForReceipt(
  { chain, clocks }: Pick<RpcContext, 'chain' | 'clocks'>,
  hash: Hex,
  timeout: number,
  { signal }: Pick<Caller, 'signal'>,
): Promise<FormattedReceipt> {
  const { promise, resolve, reject } = Promise.withResolvers<FormattedReceipt>()
  const fail = (code: number, message: string) =>
    reject(new DevnetError(code, message, { data: hash }))
  const look = () => {
    const found = chain.findTransaction(hash)
    // In instant mode, wait for the seal, which follows in the same write job.
    if (found === undefined || (clocks.instant && found.at === 'pending')) return null
    const receipt = formatPlacedReceipt(found)
    if (receipt !== null) resolve(receipt)
    return receipt
  }
  // Runs between write jobs: during one, a transaction may be in neither mempool nor block.
  const lookAfterTurn = () => {
    if (look() !== null || chain.findTransaction(hash) !== undefined) return
    const dropped = chain.dropped.findLast((one) => one.hash === hash)
    if (dropped === undefined) fail(ErrorCode.syncTimeout, GONE)
    else fail(ErrorCode.syncRejected, `The transaction was rejected: ${dropped.reason}`)
  }
  const giveUp = () => reject(signal.reason)
  const timer = setTimeout(() => {
    const hint = clocks.ticks.running
      ? ''
      : '; ticks are frozen: call preconf_advance or preconf_resume'
    const message = `The transaction was added to the mempool but wasn't processed in ${timeout} ms${hint}`
    fail(ErrorCode.syncTimeout, message)
  }, timeout)
  // Looks after each tick too, because a command of many ticks is one write job.
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
