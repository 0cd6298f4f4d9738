import { blockReference, params } from '../../json/params.ts'
import { toHex } from '../../primitives/hex.ts'
import { encodeReceipts } from '../../protocol/receipt.ts'
import { defineMethod } from '../method.ts'
import { debugBlock } from '../queries/debugBlock.ts'

/** Receipts as encoded in the receipts trie (EIP-2718). With `pending`, the pre-confirmed ones. */
export default defineMethod({
  params: params(blockReference()),
  remote: 'block',
  handle: (context, [reference]) =>
    encodeReceipts(debugBlock(context, reference).executed).map(toHex),
})
