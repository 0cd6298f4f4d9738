import type { Chain } from '../chain/chain.ts'
import { blockRefOf } from '../json/blockRef.ts'
import { formatHeader } from '../json/formatBlock.ts'
import { formatReceipt } from '../json/formatReceipt.ts'
import { formatTransaction } from '../json/formatTransaction.ts'
import { address, params } from '../json/params.ts'
import { quantity, toHex } from '../primitives/hex.ts'
import { type SharedText, sharedJson } from '../primitives/jsonText.ts'
import { listOf, text } from '../primitives/reader.ts'
import { encodeReceipts } from '../protocol/receipt.ts'
import { IndexTrie } from '../state/trie/indexTrie.ts'
import { chainFeed } from './chainFeed.ts'
import { everySlice, type Slice } from './slices.ts'
import { stateChanges as changesOf } from './stateChanges.ts'
import { defineKind } from './subscriptionKind.ts'

// MegaETH's kinds: a slice is a mini-block.

const blocks = chainFeed<SharedText>((chain, emit) =>
  everySlice(chain, (slice) => emit(sharedJson(miniBlock(chain, slice)))),
)

/** Sends each mini-block, also an empty one. Without a signature: there is no sequencer. */
export const miniBlocks = defineKind(params(text()), (chain) => (push) => blocks(chain).add(push))

function miniBlock({ engine, now }: Chain, { view, added, index = 0, total = 0 }: Slice) {
  const block = blockRefOf(view)
  const root = (values: readonly Uint8Array[]) =>
    toHex(IndexTrie.empty(engine.crypto.keccak256).append(values, 0).rootHash())
  return {
    block_number: block.number,
    block_timestamp: block.timestamp,
    index: quantity(BigInt(index)),
    mini_block_number: quantity(BigInt(total)),
    mini_block_timestamp: quantity(BigInt(Math.floor(now)) * 1000n),
    gas_used: quantity(added.reduce((sum, { gasUsed }) => sum + gasUsed, 0n)),
    transaction_root: root(added.map(({ transaction }) => transaction.raw)),
    receipt_root: root(encodeReceipts(added)),
    transactions: added.map((executed) => formatTransaction(executed, block)),
    receipts: added.map((executed) => formatReceipt(executed, block)),
  }
}

const changes = chainFeed<ReturnType<typeof changesOf>>((chain, emit) =>
  everySlice(chain, ({ view, before, added }) => {
    if (added.length > 0) emit(changesOf(view, before))
  }),
)

/** Sends each of the given accounts that a mini-block has changed. */
export const stateChanges = defineKind(
  params(text(), listOf(address(), 'a list of addresses')),
  (chain, [, wanted]) => {
    const addresses = new Set(wanted)
    return (push) =>
      changes(chain).add((all) => {
        for (const { address, account, storage } of all) {
          if (!addresses.has(address)) continue
          const { nonce = 0n, balance = 0n } = account ?? {}
          const slots = Object.entries(storage).map(
            ([slot, value]) => [slot, quantity(BigInt(value))] as const,
          )
          const change = { address, nonce: Number(nonce), balance: quantity(balance) }
          push(sharedJson({ ...change, storage: Object.fromEntries(slots) }))
        }
      })
  },
)

/** Sends the header of each sealed block, with the number of its mini-blocks. */
const heads = chainFeed<SharedText>((chain, emit) => {
  // The opening of a block is a mini-block, too.
  let count = chain.pending.ticks + 1
  let miniBlockCount = count
  const stops = [
    everySlice(chain, ({ index = 0 }) => {
      // The next block opens before listeners hear of the seal.
      if (index === 0) miniBlockCount = count
      count = index + 1
    }),
    chain.events.sealed.add((block) =>
      emit(
        sharedJson({ ...formatHeader(block), miniBlockCount: quantity(BigInt(miniBlockCount)) }),
      ),
    ),
  ]
  return () => {
    for (const stop of stops) stop()
  }
})

export const newHeads = defineKind(params(text()), (chain) => (push) => heads(chain).add(push))
