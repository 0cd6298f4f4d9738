import type { PendingView } from '../../chain/building/pendingView.ts'
import { isPending } from '../../json/blockRef.ts'
import { blockNumberReference, params, quantity64OrNumber } from '../../json/params.ts'
import { findBlock, requireBlock } from '../../json/resolveBlock.ts'
import { InvalidParamsError } from '../../primitives/errors.ts'
import { listOf, number, optional } from '../../primitives/reader.ts'
import type { SealedBlock } from '../../protocol/block.ts'
import type { RpcContext } from '../context.ts'
import { defineMethod } from '../method.ts'
import { feeHistory } from '../queries/feeHistory.ts'

/** Maximum number of blocks in one answer, as in geth and hardhat node. */
const MOST_BLOCKS = 1024n

/** Maximum number of percentiles in one request, as in geth. Each is computed for every block. */
const MOST_PERCENTILES = 100

const percentiles = listOf(number(), 'a list of percentiles')

export default defineMethod({
  params: params(quantity64OrNumber(), blockNumberReference(), optional(percentiles)),
  remote: 'in part',
  handle(context, [count, reference, percentiles = []], { signal }) {
    if (count < 1n || count > MOST_BLOCKS) {
      throw new InvalidParamsError(`block count must be from 1 to ${MOST_BLOCKS}, not ${count}`)
    }
    const { chain, options } = context
    // Equal ones are refused by geth and Besu, and taken by Hardhat's own network and anvil.
    checkPercentiles(percentiles, options.likeHardhat || options.anvil)
    const { border } = context.fork
    const asked = border?.numberOf(reference)
    if (border !== undefined && asked !== undefined && asked <= border.last) {
      // The first own block may have another base fee than the upstream predicts.
      const next = asked === border.last ? blockAfter(chain, asked) : undefined
      const own = next === undefined ? undefined : feeHistory([], next, percentiles)
      return border.fees({ count: Number(count), newest: asked, percentiles, signal }, own)
    }
    const newest = requireBlock(context, reference, findBlock)
    const blocks = blocksUpTo(newest, Number(count), context)
    const next = isPending(newest) ? undefined : blockAfter(chain, newest.number)
    const fees = feeHistory(blocks, next, percentiles)
    const rest = Number(count) - blocks.length
    // With --keep-blocks, blocks after the fork block may be gone.
    if (border === undefined || rest === 0 || BigInt(fees.oldestBlock) > border.last + 1)
      return fees
    return border.fees({ count: rest, newest: border.last, percentiles, signal }, fees)
  },
})

/** The block `newest` and those before it that this node has: at most `count`, oldest first. */
function blocksUpTo(
  newest: SealedBlock | PendingView,
  count: number,
  { chain, fork: { border } }: RpcContext,
): (SealedBlock | PendingView)[] {
  const blocks = [newest]
  let older = isPending(newest) ? newest.environment.parent.number : newest.number - 1
  for (; blocks.length < count && older > (border?.last ?? -1); older--) {
    const block = chain.history.byNumber(older)
    if (block === undefined) break
    blocks.push(block)
  }
  return blocks.reverse()
}

/** The block after a sealed one. */
function blockAfter(
  { head, history, pending }: RpcContext['chain'],
  number: number,
): SealedBlock | PendingView | undefined {
  return number === head.number ? pending : history.byNumber(number + 1)
}

function checkPercentiles(percentiles: readonly number[], takesEqual: boolean): void {
  if (percentiles.length > MOST_PERCENTILES) {
    throw new InvalidParamsError(
      `at most ${MOST_PERCENTILES} reward percentiles can be asked for, not ${percentiles.length}`,
    )
  }
  for (const [index, percentile] of percentiles.entries()) {
    const before = percentiles[index - 1] ?? -1
    const isBehind = takesEqual ? percentile >= before : percentile > before
    if (!isBehind || percentile < 0 || percentile > 100) {
      const order = takesEqual ? 'do not fall' : 'rise'
      throw new InvalidParamsError(
        `invalid reward percentile: ${percentile}; they go from 0 to 100 and ${order}`,
      )
    }
  }
}
