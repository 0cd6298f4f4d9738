import { diffsSinceSeal } from '../chain/building/pendingView.ts'
import type { Chain } from '../chain/chain.ts'
import { blockRefOf } from '../json/blockRef.ts'
import { formatTransaction } from '../json/formatTransaction.ts'
import { params } from '../json/params.ts'
import { sameBytes } from '../primitives/bytes.ts'
import { quantity, toHex } from '../primitives/hex.ts'
import { SharedText } from '../primitives/jsonText.ts'
import { flag, optional, text } from '../primitives/reader.ts'
import { EMPTY_ACCOUNT } from '../state/accounts.ts'
import { addressKeyFromHex } from '../state/keys.ts'
import type { AddressKey } from '../state/types.ts'
import { chainFeed } from './chainFeed.ts'
import { bareReceipt } from './raw/metadata.ts'
import { everySlice, type Slice } from './slices.ts'
import { newDiffs, stateChanges } from './stateChanges.ts'
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
      const changed = wantsState ? accountsAfter(slice, chain) : {}
      emit(SharedText.of({ ...shred(slice), stateChanges: changed }))
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

/** The changed accounts by address; with code only those whose code has changed. */
function accountsAfter({ view, before }: Slice, { store }: Chain) {
  const all = diffsSinceSeal(view)
  const earlier = all.slice(0, all.length - newDiffs(view, before).length)
  const parent = store.view(view.environment.parent.version)
  const recordBefore = (key: AddressKey) => {
    const diff = earlier.findLast(({ accounts }) => accounts.has(key))
    return diff === undefined ? parent.account(key) : diff.accounts.get(key)
  }
  const changes = stateChanges(view, before).map(({ address, account, storage }) => {
    const { nonce, balance, codeHash } = account ?? EMPTY_ACCOUNT
    const was = recordBefore(addressKeyFromHex(address)) ?? EMPTY_ACCOUNT
    const newCode = sameBytes(codeHash, was.codeHash) ? null : toHex(view.state.code(codeHash))
    return [
      address,
      { nonce: Number(nonce), balance: quantity(balance), storage, newCode },
    ] as const
  })
  return Object.fromEntries(changes)
}
