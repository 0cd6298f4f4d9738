import * as z from 'zod'
import type { PendingView } from '../../chain/pendingView.ts'
import { isPending } from '../../json/blockRef.ts'
import { blockNumberReference, params, quantity64OrNumber, wanted } from '../../json/params.ts'
import { findBlock, requireBlock } from '../../json/resolveBlock.ts'
import { InvalidParamsError } from '../../primitives/errors.ts'
import type { SealedBlock } from '../../protocol/block.ts'
import { defineMethod } from '../method.ts'
import { feeHistory } from '../queries/feeHistory.ts'

/** Maximum number of blocks in one answer, as in geth and hardhat node. */
const MOST_BLOCKS = 1024n

/** Maximum number of percentiles in one request, as in geth. Each is computed for every block. */
const MOST_PERCENTILES = 100

const percentiles = z.array(z.number(wanted('a number')), wanted('a list of percentiles'))

export default defineMethod({
  params: params(quantity64OrNumber(), blockNumberReference(), percentiles.optional()),
  handle(context, [count, reference, percentiles = []]) {
    if (count < 1n || count > MOST_BLOCKS) {
      throw new InvalidParamsError(`block count must be from 1 to ${MOST_BLOCKS}, not ${count}`)
    }
    checkPercentiles(percentiles)
    const { history, head, pending } = context.chain
    const newest = requireBlock(context, reference, findBlock)
    const blocks: (SealedBlock | PendingView)[] = [newest]
    let older = isPending(newest) ? newest.environment.parent.number : newest.number - 1
    for (; blocks.length < Number(count); older--) {
      const block = history.byNumber(older)
      if (block === undefined) break
      blocks.push(block)
    }
    const next = isPending(newest)
      ? undefined
      : newest === head
        ? pending
        : history.byNumber(newest.number + 1)
    return feeHistory(blocks.reverse(), next, percentiles)
  },
})

function checkPercentiles(percentiles: readonly number[]): void {
  if (percentiles.length > MOST_PERCENTILES) {
    throw new InvalidParamsError(
      `at most ${MOST_PERCENTILES} reward percentiles can be asked for, not ${percentiles.length}`,
    )
  }
  let before = 0
  for (const percentile of percentiles) {
    if (percentile < before || percentile > 100) {
      throw new InvalidParamsError(
        `invalid reward percentile: ${percentile}; they go from 0 to 100 and do not fall`,
      )
    }
    before = percentile
  }
}
