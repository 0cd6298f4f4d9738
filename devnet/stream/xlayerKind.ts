import { blockRefOf } from '../json/blockRef.ts'
import { formatBlockHeader } from '../json/formatBlock.ts'
import { formatReceipt } from '../json/formatReceipt.ts'
import { formatTransaction } from '../json/formatTransaction.ts'
import { address, params } from '../json/params.ts'
import { type Hex, toHex } from '../primitives/hex.ts'
import { SharedText } from '../primitives/jsonText.ts'
import { flag, listOf, objectOf, text } from '../primitives/reader.ts'
import type { ExecutedTransaction } from '../protocol/receipt.ts'
import { chainFeed } from './chainFeed.ts'
import { everySlice, type Slice } from './slices.ts'
import { defineKind } from './subscriptionKind.ts'

const feed = chainFeed<Slice>(everySlice)

const choice = objectOf({
  optional: {
    headerInfo: flag(),
    subTxFilter: objectOf({
      optional: {
        subscribeAddresses: listOf(address(), 'a list of addresses'),
        txInfo: flag(),
        txReceipt: flag(),
      },
      isStrict: true,
    }),
  },
  isStrict: true,
})

/**
 * Sends the header of the block at each slice, if asked for, and each pre-confirmed transaction
 * that has one of the addresses as sender, recipient or emitter of a log, or all of them (X Layer).
 */
export const slices = defineKind(params(text(), choice), (chain, [, wish]) => {
  const { headerInfo, subTxFilter } = wish
  const addresses = new Set(subTxFilter?.subscribeAddresses)
  return (push) =>
    feed(chain).add(({ view, added }) => {
      if (headerInfo === true)
        push(SharedText.of({ type: 'header', header: formatBlockHeader(view) }))
      const block = blockRefOf(view)
      for (const executed of added) {
        if (addresses.size > 0 && !touches(executed, addresses)) continue
        const transaction = {
          txHash: executed.transaction.hash,
          ...(subTxFilter?.txInfo === true
            ? { txData: formatTransaction(executed, block) }
            : undefined),
          ...(subTxFilter?.txReceipt === true
            ? { receipt: formatReceipt(executed, block) }
            : undefined),
        }
        push(SharedText.of({ type: 'transaction', transaction }))
      }
    })
})

function touches({ logs, transaction }: ExecutedTransaction, addresses: ReadonlySet<Hex>): boolean {
  const { sender, to } = transaction
  if (addresses.has(sender) || (to !== undefined && addresses.has(toHex(to)))) return true
  return logs.some(([emitter]) => addresses.has(toHex(emitter)))
}
