import { blockRefOf } from '../json/blockRef.ts'
import { formatTransaction } from '../json/formatTransaction.ts'
import { params } from '../json/params.ts'
import { type Hex, quantity, toHex } from '../primitives/hex.ts'
import { SharedText } from '../primitives/jsonText.ts'
import { flag, optional, text } from '../primitives/reader.ts'
import type { ExecutedTransaction } from '../protocol/receipt.ts'
import { addressHex, addressKeysIn } from '../state/keys.ts'
import { chainFeed } from './chainFeed.ts'
import { bareReceipt } from './raw/metadata.ts'
import { everySlice, type Slice } from './slices.ts'
import { stateChanges } from './stateChanges.ts'
import { defineKind } from './subscriptionKind.ts'

/**
 * Sends each tick that took transactions: them, their receipts and, with `true`, the accounts after
 * it (RISE). On RISE a shred is one transaction; here it is so if ticks run on arrival.
 */
export const shreds = defineKind(params(text(), optional(flag())), (chain, [, wantsState]) => {
  const feed = feeds[wantsState === true ? 'whole' : 'short'](chain)
  return (push) => feed.add(push)
})

const feeds = { short: shredFeed(false), whole: shredFeed(true) }

function shredFeed(wantsState: boolean) {
  return chainFeed<SharedText>((chain, emit) =>
    everySlice(chain, (slice) => {
      if (slice.added.length === 0) return
      const { codes } = chain.engine
      const changed = wantsState ? accountsAfter(slice, codes) : {}
      emit(new SharedText(JSON.stringify({ ...shred(slice), stateChanges: changed })))
    }),
  )
}

function shred({ view, added }: Slice) {
  const [first] = added
  const { number, timestamp } = view.environment
  const block = blockRefOf(view)
  return {
    blockNumber: Number(number),
    shredIdx: first?.index,
    blockTimestamp: Number(timestamp),
    startingLogIndex: first?.firstLogIndex,
    transactions: added.map((executed) => {
      const { blockHash, blockNumber, blockTimestamp, transactionIndex, from, ...transaction } =
        formatTransaction(executed, block)
      return { transaction: { ...transaction, signer: from }, receipt: bareReceipt(executed) }
    }),
  }
}

/** The changed accounts by address; with code only those that were created. */
function accountsAfter({ view, before, added }: Slice, codes: Codes) {
  const created = new Set(added.flatMap(createdBy))
  const changes = stateChanges(view, before).map(({ address, account, storage }) => {
    const { nonce = 0n, balance = 0n, codeHash } = account ?? {}
    const isNew = codeHash !== undefined && created.has(address)
    const newCode = isNew ? toHex(codes.get(codeHash)) : null
    return [
      address,
      { nonce: Number(nonce), balance: quantity(balance), storage, newCode },
    ] as const
  })
  return Object.fromEntries(changes)
}

/** Finds code by its hash. */
type Codes = { get(codeHash: Uint8Array): Uint8Array }

/** The contracts that a transaction has created. */
function createdBy({ contractAddress, innerFrames }: ExecutedTransaction): Hex[] {
  // Each is followed by its creator.
  const inner = addressKeysIn(innerFrames?.created ?? '').filter((_, index) => index % 2 === 0)
  return [
    ...(contractAddress === undefined ? [] : [toHex(contractAddress)]),
    ...inner.map(addressHex),
  ]
}
