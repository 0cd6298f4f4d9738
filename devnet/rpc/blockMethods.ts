import type { PendingView } from '../chain/building/pendingView.ts'
import {
  blockHash,
  blockNumberReference,
  blockReferenceOrNumber,
  type Outputs,
  params,
} from '../json/params.ts'
import { findBlock, findByHash } from '../json/resolveBlock.ts'
import type { Reader } from '../primitives/reader.ts'
import type { SealedBlock } from '../protocol/block.ts'
import type { RpcContext } from './context.ts'
import { defineMethod, type RpcMethod } from './method.ts'

type Block = SealedBlock | PendingView

/** Properties of such a method that others must know. */
type Facts = Pick<RpcMethod, 'answers' | 'byHash' | 'mayLack'>

/**
 * Makes what defines a method that finds a block, and answers its `format`, or `null` if there is
 * none.
 *
 * @param named - reader of the parameter that names the block
 */
const byBlock =
  <Given>(
    named: () => Reader<Given>,
    find: (context: RpcContext, given: Given) => Block | undefined,
  ) =>
  /**
   * @param extra - readers of the parameters after the block; `format` gets their values
   * @param facts - with `find`, which finds the block in another way
   */
  <const Extra extends readonly Reader<unknown>[]>(
    extra: Extra,
    format: (block: Block, ...values: Outputs<Extra>) => unknown,
    { find: findOther = find, ...facts }: Facts & { readonly find?: typeof find } = {},
  ): RpcMethod<never> =>
    defineMethod({
      ...facts,
      params: params(named(), ...extra),
      remote: 'block',
      handle(context, [given, ...values]) {
        const block = findOther(context, given)
        // The values have the types of `extra`; TypeScript cannot infer that from a generic tuple.
        return block === undefined ? null : format(block, ...(values as Outputs<Extra>))
      },
    })

export const byBlockHash = byBlock(blockHash, findByHash)
/** By number or tag. */
export const byBlockNumber = byBlock(blockNumberReference, findBlock)
/** By number or tag, by hash, and by a number that is a JSON integer. */
export const byBlockReference = byBlock(blockReferenceOrNumber, findBlock)
