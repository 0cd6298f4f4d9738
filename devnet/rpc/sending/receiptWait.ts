import type { AdmissionTerms } from '../../chain/admission.ts'
import { formatPlacedReceipt } from '../../json/formatTransaction.ts'
import type { FormattedReceipt } from '../../json/receiptForm.ts'
import { DevnetError, ErrorCode, InvalidParamsError } from '../../primitives/errors.ts'
import { type Hex, quantity } from '../../primitives/hex.ts'
import type { RpcContext } from '../context.ts'
import type { Caller } from '../method.ts'

const GONE =
  'The transaction was added to the mempool and dropped from it, by a revert or a replacement'

/**
 * The timeout of a request in ms: the requested one, up to the node's maximum (EIP-7966). On Base,
 * the default is the maximum, and 0 is no time.
 *
 * @throws {InvalidParamsError} if the profile refuses a longer one
 */
export function receiptTimeout(
  asked: bigint | undefined,
  { options, profile }: Pick<RpcContext, 'options' | 'profile'>,
): number {
  const { syncTimeout, maxSyncTimeout } = options
  if (profile.longSync === 'refused' && asked !== undefined) {
    if (asked <= BigInt(syncTimeout)) return Number(asked)
    throw new InvalidParamsError(`time out too long, timeout: ${asked} ms, max: ${syncTimeout} ms`)
  }
  // The EIP does not allow 0, so the node's default applies.
  const wanted = asked === undefined || asked === 0n ? BigInt(syncTimeout) : asked
  return wanted < BigInt(maxSyncTimeout) ? Number(wanted) : maxSyncTimeout
}

/** On what terms a transaction is accepted whose receipt is awaited: reth lets gaps wait. */
export function syncTerms({ profile }: Pick<RpcContext, 'profile'>): AdmissionTerms {
  return profile.errors === 'reth' ? {} : { refuseGap: nonceGap }
}

/** Behind a nonce gap, and not allowed to wait. `data` is the next usable nonce (EIP-7966). */
function nonceGap(next: bigint): DevnetError {
  return new DevnetError(
    ErrorCode.nonceGap,
    `The transaction was rejected due to a nonce gap. Please resubmit with the next nonce, ${next}`,
    { data: quantity(next) },
  )
}

/**
 * Waits for the receipt of an accepted transaction: until a tick pre-confirms it, or until it is
 * sealed, in instant mode and in a profile without pre-confirmations.
 *
 * @param timeout - ms
 * @throws {DevnetError} with the hash as data (EIP-7966): code 4 after the timeout or if a revert
 *   or replacement dropped the transaction, code 5 if it can never run
 * @throws the signal's reason if the client hangs up
 */
export async function waitForReceipt(
  context: Pick<RpcContext, 'chain' | 'clocks' | 'profile'>,
  hash: Hex,
  timeout: number,
  { signal }: Pick<Caller, 'signal'>,
): Promise<FormattedReceipt> {
  const { chain, clocks, profile } = context
  const { promise, resolve, reject } = Promise.withResolvers<FormattedReceipt>()
  const fail = (code: number, message: string) =>
    reject(new DevnetError(code, message, { data: hash }))
  const look = () => {
    const found = chain.findTransaction(hash)
    // In instant mode, the seal follows in the same write job.
    const untilSealed = clocks.instant || !profile.preconfirms
    if (found === undefined || (untilSealed && found.at === 'pending')) return null
    const receipt = formatPlacedReceipt(found)
    if (receipt !== null) resolve(receipt)
    return receipt
  }
  // Runs between write jobs: during one, a transaction may be in neither mempool nor block.
  const lookAfterTurn = () => {
    if (look() !== null || chain.findTransaction(hash) !== undefined) return
    const dropped = chain.dropped.findLast((one) => one.hash === hash)
    const isGone = dropped === undefined || dropped.replacedBy !== undefined
    if (isGone) fail(ErrorCode.syncTimeout, GONE)
    else fail(ErrorCode.syncRejected, `The transaction was rejected: ${dropped.reason}`)
  }
  const giveUp = () => reject(signal.reason)
  const timer = setTimeout(() => {
    if (profile.errors === 'reth') {
      // In reth's words; unlike EIP-7966, without the hash as data.
      const duration =
        timeout === 0 ? '0ns' : timeout < 1000 ? `${timeout}ms` : `${timeout / 1000}s`
      const late = `Transaction ${hash} was added to the mempool but wasn't confirmed within ${duration}.`
      return reject(new DevnetError(ErrorCode.syncTimeout, late))
    }
    const hint = clocks.ticks.running
      ? ''
      : '; ticks are frozen: call preconf_advance or preconf_resume'
    const message = `The transaction was added to the mempool but wasn't processed in ${timeout} ms${hint}`
    fail(ErrorCode.syncTimeout, message)
  }, timeout)
  // Looks after each tick too, because a command of many ticks is one write job.
  const ends = [
    chain.events.ticked.add(look),
    chain.events.written.add(lookAfterTurn),
    chain.events.replaced.add(lookAfterTurn),
  ]
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
