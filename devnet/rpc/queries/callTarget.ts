import { type ExecutionTarget, executionTarget } from '../../execution/executionTarget.ts'
import { isPending } from '../../json/blockRef.ts'
import { blockReference, params } from '../../json/params.ts'
import { type BlockContext, requireBlock } from '../../json/resolveBlock.ts'
import { blockOverrides } from '../../json/schemas/blockOverrides.ts'
import { callRequest } from '../../json/schemas/callRequest.ts'
import { stateOverrides } from '../../json/schemas/stateOverrides.ts'
import { optional } from '../../primitives/reader.ts'
import type { BlockReference } from '../../protocol/blockReference.ts'

/** Parameters of a call: its request, its block, and overrides of state and block. */
export const callParams = params(
  callRequest(),
  optional(blockReference()),
  optional(stateOverrides()),
  optional(blockOverrides()),
)

/**
 * The state and the block that a call runs on. On Base's nodes, a call on `pending` runs on the
 * pre-confirmed state, but sees the number, time and fees of the newest sealed block.
 *
 * @throws {DevnetError}
 */
export function callTarget(context: BlockContext, reference?: BlockReference): ExecutionTarget {
  const { chain, sight } = context
  const block = requireBlock(context, reference)
  const target = executionTarget(chain, block)
  if (sight?.profile.callBlock !== 'latest' || !isPending(block)) return target
  const { block: newest, rules } = executionTarget(chain, chain.head)
  return { ...target, block: newest, rules }
}
