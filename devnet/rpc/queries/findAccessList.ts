import type { PendingView } from '../../chain/building/pendingView.ts'
import { isPending } from '../../json/blockRef.ts'
import { describeMissing, findBlock } from '../../json/resolveBlock.ts'
import { sameBytes } from '../../primitives/bytes.ts'
import { DevnetError, ErrorCode } from '../../primitives/errors.ts'
import { encodeRlp } from '../../primitives/rlp.ts'
import type { BlockReference } from '../../protocol/blockReference.ts'
import { EMPTY_ACCESS_LIST_HASH } from '../../protocol/header.ts'
import type { RpcContext } from '../context.ts'

/**
 * The RLP of the access list of a block, as execution-apis defines it; the pending block itself if
 * the request names that; `undefined` if there is no such block.
 *
 * @throws {DevnetError} with code -32001 if the block is older than Amsterdam, 4444 if its list is
 * not kept
 */
export function findAccessList(
  context: RpcContext,
  reference: BlockReference,
): Uint8Array | PendingView | undefined {
  const block = findBlock(context, reference)
  const { head, history } = context.chain
  const isDropped = 'number' in reference && reference.number < BigInt(history.oldest)
  if (block === undefined && !isDropped) return undefined
  const { rules } = block !== undefined && isPending(block) ? block.environment : (block ?? head)
  if (!rules.blockAccessLists) {
    throw new DevnetError(
      ErrorCode.resourceNotFound,
      'resource not found: blocks have access lists from the hardfork Amsterdam on; start a chain with --hardfork amsterdam',
    )
  }
  if (block === undefined) throw pruned(describeMissing(context, reference))
  if (isPending(block)) return block
  const { accessList, header } = block
  if (accessList !== undefined) return accessList
  // Genesis blocks and reserved ones access nothing.
  if (sameBytes(header.blockAccessListHash ?? EMPTY_ACCESS_LIST_HASH, EMPTY_ACCESS_LIST_HASH)) {
    return EMPTY_LIST
  }
  throw pruned(`block ${block.number} was loaded from a file without its access list`)
}

const EMPTY_LIST = encodeRlp([])

/** This node does not keep what was asked for. */
function pruned(reason: string): DevnetError {
  return new DevnetError(ErrorCode.prunedHistory, `pruned history unavailable: ${reason}`)
}
