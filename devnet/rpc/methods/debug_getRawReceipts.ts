import { toHex } from '../../chain/bytes.ts'
import { encodeReceipt } from '../../chain/receipt.ts'
import { debugBlock } from '../debugBlock.ts'
import { defineMethod } from '../method.ts'
import { params } from '../params.ts'
import { blockReference } from '../schemas/blockReference.ts'

/** As they stand in the receipts trie (EIP-2718); of the pending block, those of what is pre-confirmed. */
export default defineMethod({
  params: params(blockReference()),
  handle: (context, [reference]) =>
    debugBlock(context, reference).executed.map((executed) => toHex(encodeReceipt(executed))),
})
