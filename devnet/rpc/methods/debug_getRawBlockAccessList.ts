import { blockReference, params } from '../../json/params.ts'
import { describeMissing } from '../../json/resolveBlock.ts'
import { blockNotFound, DevnetError, ErrorCode } from '../../primitives/errors.ts'
import { toHex } from '../../primitives/hex.ts'
import { defineMethod } from '../method.ts'
import { findAccessList } from '../queries/findAccessList.ts'

/** The RLP of the access list of a sealed block (EIP-7928); no other block has a whole one. */
export default defineMethod({
  params: params(blockReference()),
  remote: 'block',
  handle(context, [reference]) {
    const found = findAccessList(context, reference)
    if (found instanceof Uint8Array) return toHex(found)
    if (found === undefined) throw blockNotFound(describeMissing(context, reference))
    throw new DevnetError(
      ErrorCode.resourceNotFound,
      'resource not found: the access list of the pending block is complete only after the seal; eth_getBlockAccessList returns what there is of it',
    )
  },
})
