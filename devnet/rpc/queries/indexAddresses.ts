import type { AddressIndex } from '../../chain/addressIndex.ts'
import type { Chain } from '../../chain/chain.ts'
import { ExecutionAbortedError, Scheduler } from '../../engine/scheduler.ts'
import type { SealedBlock } from '../../protocol/block.ts'
import type { InnerFrames } from '../../protocol/receipt.ts'
import { UNRECORDED_FRAMES } from '../../protocol/receipt.ts'
import { LOST_VERSION } from '../../state/store/versionedStore.ts'

/**
 * The index of addresses with all sealed blocks. Adds those that it lacks, in slices. Use it in the
 * turn of the event loop in which it comes.
 *
 * @param time - ms after which it comes with the blocks that it has by then, of which one is new
 *   even if that one takes longer. Default: never
 * @throws {ExecutionAbortedError} if the client hangs up
 */
export async function indexAddresses(
  chain: Chain,
  signal: AbortSignal,
  time = Number.POSITIVE_INFINITY,
): Promise<AddressIndex> {
  const scheduler = new Scheduler({ signal })
  const until = performance.now() + time
  for (;;) {
    // A load replaces the history, and other requests add blocks meanwhile.
    const { history } = chain
    const block = history.unindexed
    if (block === undefined) return history.addresses
    const replayed = isRecorded(block) ? [] : await innerFramesAgain(chain, block, signal)
    if (history.unindexed === block) history.addresses.add(block, replayed)
    if (performance.now() > until) return chain.history.addresses
    const pause = scheduler.yieldIfDue()
    if (pause !== undefined) await pause
  }
}

function isRecorded({ executed }: SealedBlock): boolean {
  return executed.every(({ innerFrames }) => innerFrames !== UNRECORDED_FRAMES)
}

/**
 * Inner frames of a block that another node executed: the block is executed again. None if the
 * state before it is unknown, or if that fails: a search that lacks the calls inside of one block
 * is better than none.
 */
async function innerFramesAgain(
  chain: Chain,
  block: SealedBlock,
  signal: AbortSignal,
): Promise<(InnerFrames | undefined)[]> {
  const parent = chain.history.byNumber(block.number - 1)
  if (parent === undefined || parent.version === LOST_VERSION) return []
  const [{ executeAgain }, { tracedBlock }] = await Promise.all([
    import('../../tracing/executeAgain.ts'),
    import('../../tracing/tracedBlock.ts'),
  ])
  const { executed } = block
  try {
    const traced = tracedBlock(chain, block)
    const executions = await executeAgain(chain, traced, executed.length, { signal })
    return executions.map(({ innerFrames }) => innerFrames)
  } catch (error) {
    if (error instanceof ExecutionAbortedError) throw error
    chain.onInternalError(
      new Error(`Block ${block.number} cannot be executed again`, { cause: error }),
    )
    return []
  }
}
