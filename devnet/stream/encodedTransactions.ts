import type { Chain } from '../chain/chain.ts'
import type { PendingView } from '../chain/pendingView.ts'
import type { ExecutedTransaction } from '../chain/receipt.ts'
import { placeOf } from '../rpc/format/place.ts'
import { formatTransaction } from '../rpc/format/transaction.ts'
import { oncePer } from './oncePer.ts'

/**
 * Pre-confirmed transactions as JSON text. Those of the pending block are kept until the next one opens, because
 * `newFlashblocks` sends all of them at each tick.
 */
export class EncodedTransactions {
  readonly #texts = new Map<ExecutedTransaction, string>()
  #environment: PendingView['environment'] | undefined

  /** The text of one transaction of `view`. */
  of(executed: ExecutedTransaction, view: PendingView): string {
    if (view.environment !== this.#environment) {
      this.#environment = view.environment
      this.#texts.clear()
    }
    let text = this.#texts.get(executed)
    if (text === undefined) {
      text = JSON.stringify(formatTransaction(executed, placeOf(view)))
      this.#texts.set(executed, text)
    }
    return text
  }
}

/** The texts of a chain. */
export const encodedTransactions = oncePer((_chain: Chain) => new EncodedTransactions())
