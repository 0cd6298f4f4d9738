import type { Chain, TransactionLocation } from '../../chain/chain.ts'
import { formatPlaced } from '../../json/formatTransaction.ts'
import { address, params, quantity64OrNumber } from '../../json/params.ts'
import { quantity } from '../../primitives/hex.ts'
import type { SealedBlock } from '../../protocol/block.ts'
import type { ExecutedTransaction } from '../../protocol/receipt.ts'
import { addressKeyFromHex } from '../../state/keys.ts'
import type { AddressKey } from '../../state/types.ts'
import { defineMethod } from '../method.ts'
import { afterSubmissions } from '../queries/findAfterTick.ts'

/**
 * Finds sealed, pre-confirmed and mempool transactions; does not wait for a tick. On a forked
 * chain, the upstream is asked for those that were sealed before.
 */
export default defineMethod({
  params: params(address(), quantity64OrNumber()),
  remote: 'in part',
  handle: ({ border, chain }, [sender, nonce], { signal }) =>
    afterSubmissions<unknown>(chain, () => {
      const key = addressKeyFromHex(sender)
      const found = findBySender(chain, key, nonce)
      if (found !== undefined) return formatPlaced(found)
      const oldest = chain.history.byNumber(chain.history.oldest)
      if (border === undefined || !isAfter(chain, oldest, key, nonce)) return null
      const params = [sender, quantity(nonce)]
      return border.askForTransaction('eth_getTransactionBySenderAndNonce', params, signal)
    }),
})

/** The location of the transaction of `sender` with this nonce. */
function findBySender(
  chain: Chain,
  key: AddressKey,
  nonce: bigint,
): TransactionLocation | undefined {
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
function firstAfter(chain: Chain, key: AddressKey, nonce: bigint): SealedBlock | undefined {
  const { head, history } = chain
  if (!isAfter(chain, head, key, nonce)) return undefined
  let [low, high] = [history.oldest, head.number]
  while (low < high) {
    const middle = Math.floor((low + high) / 2)
    if (isAfter(chain, history.byNumber(middle), key, nonce)) high = middle
    else low = middle + 1
  }
  return history.byNumber(high)
}

/** Whether the account's nonce after the block is higher than `nonce`. */
function isAfter(
  { store }: Chain,
  block: SealedBlock | undefined,
  key: AddressKey,
  nonce: bigint,
): boolean {
  return block !== undefined && (store.view(block.version).account(key)?.nonce ?? 0n) > nonce
}
