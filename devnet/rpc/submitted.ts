import type { Chain, TransactionPlace } from '../chain/chain.ts'
import type { Hex } from '../types.ts'

/** What `read` finds in the mempool once all that was sent before is accepted or refused: at once, but for load. */
export function afterSubmissions<Result>(
  chain: Pick<Chain, 'settled'>,
  read: () => Result,
): Result | Promise<Result> {
  const settled = chain.settled()
  return settled === undefined ? read() : settled.then(read)
}

/** Where a transaction is; one that was sent just before may still be on its way into the mempool. */
export function findSubmitted(
  chain: Pick<Chain, 'findTransaction' | 'settled'>,
  hash: Hex,
): TransactionPlace | undefined | Promise<TransactionPlace | undefined> {
  const find = () => chain.findTransaction(hash)
  return find() ?? afterSubmissions(chain, find)
}
