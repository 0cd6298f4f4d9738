import type { PendingView } from '../chain/pendingView.ts'
import { formatBlock } from '../rpc/format/block.ts'
import { params } from '../rpc/params.ts'
import { text } from '../rpc/schemas/plain.ts'
import { type EncodedTransactions, encodedTransactions } from './encodedTransactions.ts'
import { chainFeed } from './feed.ts'
import { defineKind } from './subscriptionKind.ts'

const flashblocks = chainFeed<string>((chain, emit) =>
  chain.onTick(({ view }) => emit(encodeBlock(view, encodedTransactions(chain)))),
)

/** Sends the pending block, with its transactions in full, after each tick that took some (Base). */
export const newFlashblocks = defineKind(
  params(text()),
  ({ chain }) =>
    (push) =>
      flashblocks(chain).subscribe(push),
)

const NO_TRANSACTIONS = '"transactions":[]'

/** `formatBlock(view, true)` as JSON, of which only what is new is encoded. */
function encodeBlock(view: PendingView, encoded: EncodedTransactions): string {
  const shell = JSON.stringify({ ...formatBlock(view, false), transactions: [] })
  const transactions = view.executed.map((executed) => encoded.of(executed, view)).join(',')
  const at = shell.indexOf(NO_TRANSACTIONS) + NO_TRANSACTIONS.length - 1
  return `${shell.slice(0, at)}${transactions}${shell.slice(at)}`
}
