import type { Chain, TransactionLocation } from '../../chain/chain.ts'
import { type BlockContext, shownPlace } from '../../json/resolveBlock.ts'
import type { SealedBlock } from '../../protocol/block.ts'
import type { ExecutedTransaction } from '../../protocol/receipt.ts'
import type { AddressKey } from '../../state/types.ts'

/** The location of the transaction of an account with this nonce, as far as a request sees it. */
export function findBySender(
  { chain, options, sight }: Pick<BlockContext, 'chain' | 'options' | 'sight'>,
  key: AddressKey,
  nonce: bigint,
): TransactionLocation | undefined {
  const isWanted = ({ transaction }: ExecutedTransaction) =>
    transaction.senderKey === key && transaction.nonce === nonce
  const block = firstAfter(chain, key, nonce)
  const sealed = block?.executed.find(isWanted)
  if (block !== undefined && sealed !== undefined) return { at: 'sealed', block, executed: sealed }
  const executed = chain.pending.executed.find(isWanted)
  const hash = (executed?.transaction ?? chain.mempool.at(key, nonce))?.hash
  return hash && shownPlace(chain.findTransaction(hash), { options, sight })
}

/** True if the transaction was sealed in the oldest kept block or before, or a cheat skipped it. */
export function wasSealedBefore(chain: Chain, key: AddressKey, nonce: bigint): boolean {
  return isAfter(chain, chain.history.byNumber(chain.history.oldest), key, nonce)
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

/** True if the account's nonce after the block is higher than `nonce`. */
function isAfter(
  { store }: Chain,
  block: SealedBlock | undefined,
  key: AddressKey,
  nonce: bigint,
): boolean {
  return block !== undefined && (store.view(block.version).account(key)?.nonce ?? 0n) > nonce
}
