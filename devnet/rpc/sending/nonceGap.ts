import { NonceTooHighError } from '../../chain/admission.ts'
import type { Chain } from '../../chain/chain.ts'
import type { Hex } from '../../primitives/hex.ts'
import { memoize } from '../../primitives/memo.ts'
import type { ChainTransaction } from '../../protocol/transaction.ts'
import type { AddressKey } from '../../state/types.ts'
import type { RpcContext } from '../context.ts'
import type { Caller } from '../method.ts'

/** ms without a transaction of its sender after which a nonce gap stays. */
const GAP_TIME = 20

/** ms after which it stays however many come. */
const LONGEST = 1000

/** Functions that give the waiting sends of a sender more time. */
const waitsOf = memoize((_chain: Chain) => new Map<AddressKey, Set<() => void>>())

/**
 * Sends once more if that was refused in instant mode for a nonce gap that other requests have
 * closed meanwhile. To be called outside of the queue of sends, in which these may stand.
 */
export function overGap(
  { chain, clocks }: RpcContext,
  caller: Caller,
  sendOnce: () => Hex | Promise<Hex>,
): Hex | Promise<Hex> {
  if (caller.isRemote !== true || !clocks.instant) return sendOnce()
  const attempt = async (): Promise<Hex> => {
    try {
      return await sendOnce()
    } catch (error) {
      if (!(error instanceof NonceTooHighError)) throw error
      const isClosed = await gapCloses(chain, error.transaction, caller.signal)
      // If the gap is still open, the second attempt is refused with the current next nonce.
      return await (isClosed ? attempt() : sendOnce())
    }
  }
  return attempt()
}

/** Resolves to whether the transaction is next in time; sooner if the client hangs up. */
function gapCloses(
  chain: Chain,
  { senderKey, nonce }: ChainTransaction,
  signal: AbortSignal,
): Promise<boolean> {
  return new Promise((resolve) => {
    const all = waitsOf(chain)
    const waits = all.get(senderKey) ?? new Set()
    for (const prolong of waits) prolong()
    const latest = performance.now() + LONGEST
    let isDue = false
    const prolong = () => {
      if (performance.now() >= latest) return
      isDue = false
      timer.refresh()
    }
    all.set(senderKey, waits.add(prolong))
    const isNext = () => chain.mempool.nextNonce(senderKey) >= nonce
    const end = () => {
      if (!waits.delete(prolong)) return
      if (waits.size === 0) all.delete(senderKey)
      clearTimeout(timer)
      stopListening()
      signal.removeEventListener('abort', end)
      resolve(isNext())
    }
    const timer = setTimeout(() => {
      isDue = true
      // A busy node first reads what has arrived while its timers were late.
      setImmediate(() => void (isDue && end()))
    }, GAP_TIME)
    const stopListening = chain.events.admitted.add((admitted) => {
      if (admitted.senderKey !== senderKey) return
      if (isNext()) end()
      else prolong()
    })
    signal.addEventListener('abort', end, { once: true })
    if (signal.aborted || isNext()) end()
  })
}
