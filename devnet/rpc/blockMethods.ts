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
import { defineMethod, type RpcMethod } from './method.ts'

type Block = SealedBlock | PendingView

/** Properties of such a method that others must know. */
type Facts = Pick<RpcMethod, 'answers' | 'byHash' | 'mayLack'>

/**
 * Defines a method that finds a block by hash and answers its `format`, or `null` if there is none.
 *
 * @param extra - schemas of the parameters after the hash; `format` gets their values
 */
export function byBlockHash<const Extra extends readonly Reader<unknown>[]>(
  extra: Extra,
  format: (block: Block, ...values: Outputs<Extra>) => unknown,
  facts?: Facts,
): RpcMethod<never> {
  return defineMethod({
    ...facts,
    params: params(blockHash(), ...extra),
    remote: 'block',
    handle(context, [hash, ...values]) {
      const block = findByHash(context, hash)
      // The values have the types of `extra`; TypeScript cannot infer that from a generic tuple.
      return block === undefined ? null : format(block, ...(values as Outputs<Extra>))
    },
  })
}

/**
 * Like {@link byBlockHash}, but by block number or tag.
 *
 * @param facts - with `find`, which finds the block. Default: {@link findBlock}
 */
export function byBlockNumber<const Extra extends readonly Reader<unknown>[]>(
  extra: Extra,
  format: (block: Block, ...values: Outputs<Extra>) => unknown,
  { find = findBlock, ...facts }: Facts & { readonly find?: typeof findBlock },
): RpcMethod<never> {
  return defineMethod({
    ...facts,
    params: params(blockNumberReference(), ...extra),
    remote: 'block',
    handle(context, [reference, ...values]) {
      const block = find(context, reference)
      // As in byBlockHash.
      return block === undefined ? null : format(block, ...(values as Outputs<Extra>))
    },
  })
}

/** Like {@link byBlockNumber}, but also by hash, and by a number that is a JSON integer. */
export function byBlockReference<const Extra extends readonly Reader<unknown>[]>(
  extra: Extra,
  format: (block: Block, ...values: Outputs<Extra>) => unknown,
  facts?: Facts,
): RpcMethod<never> {
  return defineMethod({
    ...facts,
    params: params(blockReferenceOrNumber(), ...extra),
    remote: 'block',
    handle(context, [reference, ...values]) {
      const block = findBlock(context, reference)
      // As in byBlockHash.
      return block === undefined ? null : format(block, ...(values as Outputs<Extra>))
    },
  })
}
