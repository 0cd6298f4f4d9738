import { pendingHeader } from '../../chain/building/pendingView.ts'
import { isPending } from '../../json/blockRef.ts'
import { blockReference, params } from '../../json/params.ts'
import { toHex } from '../../primitives/hex.ts'
import { encodeHeader } from '../../protocol/header.ts'
import { defineMethod } from '../method.ts'
import { encodableBlock } from '../queries/debugBlock.ts'

/** The header as RLP. That of the pending block has 32 zero bytes as its state root. */
export default defineMethod({
  params: params(blockReference()),
  remote: 'block',
  handle(context, [reference]) {
    const block = encodableBlock(context, reference)
    return toHex(encodeHeader(isPending(block) ? pendingHeader(block) : block.header))
  },
})
