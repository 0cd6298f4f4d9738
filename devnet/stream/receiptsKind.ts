import { blockRefOf } from '../json/blockRef.ts'
import { formatReceipt } from '../json/formatReceipt.ts'
import { hash32, params } from '../json/params.ts'
import type { Hex } from '../primitives/hex.ts'
import { SharedText } from '../primitives/jsonText.ts'
import { fail, listOf, objectOf, optional, type Reader, text } from '../primitives/reader.ts'
import type { SealedBlock } from '../protocol/block.ts'
import { chainFeed } from './chainFeed.ts'
import { defineKind, type SubscriptionKind } from './subscriptionKind.ts'

/**
 * A kind that sends the receipts of each sealed block as one list, in the form of
 * `eth_getTransactionReceipt`; with `{ transactionHashes }` only theirs. Sends nothing of a block
 * without any (geth).
 *
 * @param show - the form of a receipt
 */
export function receiptsKind(
  show: (block: SealedBlock, receipt: object) => unknown,
): SubscriptionKind {
  const receipts = chainFeed<(hashes: ReadonlySet<Hex> | undefined) => SharedText | undefined>(
    (chain, emit) =>
      chain.events.sealed.add((block) => {
        const listed = (executed: SealedBlock['executed']) => {
          if (executed.length === 0) return undefined
          const ref = blockRefOf(block)
          return SharedText.of(executed.map((one) => show(block, formatReceipt(one, ref))))
        }
        let all: SharedText | undefined
        emit((hashes) => {
          if (hashes === undefined) {
            all ??= listed(block.executed)
            return all
          }
          return listed(block.executed.filter(({ transaction }) => hashes.has(transaction.hash)))
        })
      }),
  )
  return defineKind(params(text(), optional(RECEIPT_FILTER)), (chain, [, filter]) => {
    const { transactionHashes = [] } = filter ?? {}
    const hashes = transactionHashes.length === 0 ? undefined : new Set(transactionHashes)
    return (push) =>
      receipts(chain).add((send) => {
        const text = send(hashes)
        if (text !== undefined) push(text)
      })
  })
}

/** As in geth. */
const MAX_HASHES = 200

const HASHES: Reader<readonly Hex[]> = (value, context) => {
  if (Array.isArray(value) && value.length > MAX_HASHES) {
    return fail(
      context,
      `exceed max number of transaction hashes allowed per transactionReceipts subscription: max ${MAX_HASHES}, got ${value.length}`,
    )
  }
  return HASH_LIST(value, context)
}

const HASH_LIST = listOf(hash32(), 'a list of hashes')

const RECEIPT_FILTER = objectOf({
  optional: { transactionHashes: HASHES },
  what: 'a filter of receipts',
})
