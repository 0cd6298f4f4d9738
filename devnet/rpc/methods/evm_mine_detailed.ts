import type { Execution } from '../../engine/types.ts'
import { revertReason } from '../../execution/failureMessage.ts'
import { blockRefOf } from '../../json/blockRef.ts'
import { formatBlock } from '../../json/formatBlock.ts'
import { formatTransaction } from '../../json/formatTransaction.ts'
import { params } from '../../json/params.ts'
import { InvalidParamsError } from '../../primitives/errors.ts'
import { type Hex, toHex } from '../../primitives/hex.ts'
import { optional } from '../../primitives/reader.ts'
import type { SealedBlock } from '../../protocol/block.ts'
import { defineMethod } from '../method.ts'
import { mine, mineRequest } from '../mineRequest.ts'
import { recordExecutions } from '../sending/recordExecutions.ts'

/** Maximum number of blocks in one answer. */
const MOST_BLOCKS = 10_000n

/**
 * Like `evm_mine`, but returns the blocks, with the return data and revert reason of each
 * transaction. Both are missing for transactions that were pre-confirmed before the command.
 */
export default defineMethod({
  params: params(optional(mineRequest())),
  browser: false,
  handle(context, [request]) {
    const { chain } = context
    const { blocks = 1n } = request ?? {}
    if (blocks > MOST_BLOCKS) {
      throw new InvalidParamsError(
        `${blocks} blocks are too many for one answer, want at most ${MOST_BLOCKS}; evm_mine seals more`,
      )
    }
    return recordExecutions(chain, async (executions) => {
      const { first, last } = await mine(context, request)
      const sealed = Array.from({ length: last - first + 1 }, (_, index) =>
        chain.history.byNumber(first + index),
      )
      // --keep-blocks may have dropped some of the blocks.
      return sealed.flatMap((block) => (block === undefined ? [] : detailed(block, executions)))
    })
  },
})

function detailed(block: SealedBlock, executions: ReadonlyMap<Hex, Execution>) {
  const ref = blockRefOf(block)
  return {
    ...formatBlock(block, false),
    transactions: block.executed.map((executed) => ({
      ...formatTransaction(executed, ref),
      ...outcome(executions.get(executed.transaction.hash)),
    })),
  }
}

function outcome(execution: Execution | undefined): { output?: Hex; revertReason?: string } {
  if (execution === undefined) return {}
  const { returnData, success } = execution
  const reason = success ? undefined : revertReason(returnData)
  return {
    output: toHex(returnData),
    ...(reason === undefined ? {} : { revertReason: reason }),
  }
}
