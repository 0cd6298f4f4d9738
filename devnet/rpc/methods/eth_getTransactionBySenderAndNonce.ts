import type { Chain, TransactionLocation } from '../../chain/chain.ts'
import { formatPlaced } from '../../json/formatTransaction.ts'
import { address, params, quantity64OrNumber } from '../../json/params.ts'
import type { Hex } from '../../primitives/hex.ts'
import type { SealedBlock } from '../../protocol/block.ts'
import type { ExecutedTransaction } from '../../protocol/receipt.ts'
import { addressKeyFromHex } from '../../state/keys.ts'
import type { AddressKey } from '../../state/types.ts'
import { defineMethod } from '../method.ts'
import { afterSubmissions } from '../queries/findAfterTick.ts'

/** Finds sealed, pre-confirmed and mempool transactions; does not wait for a tick. */
export default defineMethod({
  params: params(address(), quantity64OrNumber()),
  handle: ({ chain }, [sender, nonce]) =>
    afterSubmissions(chain, () => {
      const found = findBySender(chain, sender, nonce)
      return found === undefined ? null : formatPlaced(found)
    }),
})

/** The location of the transaction of `sender` with this nonce. */
function findBySender(chain: Chain, sender: Hex, nonce: bigint): TransactionLocation | undefined {
  const key = addressKeyFromHex(sender)
  const isWanted = ({ transaction }: ExecutedTransaction) =>
    transaction.senderKey === key && transaction.nonce === nonce
  const block = firstAfter(chain, key, nonce)
  const sealed = block?.executed.find(isWanted)
  if (block !== undefined && sealed !== undefined) return { at: 'sealed', block, executed: sealed }
  const executed = chain.pending.executed.find(isWanted)
  if (executed !== undefined) return { at: 'pending', view: chain.pending, executed }
  const transaction = chain.mempool.at(key, nonce)
  if (transaction === undefined) return undefined
  return { at: 'mempool', transaction, runnable: chain.mempool.isRunnable(transaction.hash) }
}

/**
 * The first kept block after which the account's nonce is higher than `nonce`. It holds the
 * transaction, unless a cheat set the account's nonce.
 */
function firstAfter(
  { history, head, store }: Chain,
  key: AddressKey,
  nonce: bigint,
): SealedBlock | undefined {
  const isAfter = (block: SealedBlock | undefined) =>
    block !== undefined && (store.view(block.version).account(key)?.nonce ?? 0n) > nonce
  if (!isAfter(head)) return undefined
  let [low, high] = [history.oldest, head.number]
  while (low < high) {
    const middle = Math.floor((low + high) / 2)
    if (isAfter(history.byNumber(middle))) high = middle
    else low = middle + 1
  }
  return history.byNumber(high)
}
