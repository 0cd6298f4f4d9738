import type { Status } from '../../devnet/index.ts'
import { reasonOf } from '../../devnet/pluginApi.ts'
import type { Ask } from '../rpc-client.ts'
import type { PendingNode } from '../types.ts'
import { addCause, pluginError } from './plugin-error.ts'

/** The part of a node's status that freezing changes. */
type Clocks = Pick<Status, 'ticks' | 'sealing' | 'instant'>

/**
 * Runs `work` with sealing frozen, then restores the clocks.
 *
 * @throws what `work` throws; if the clocks cannot be restored either, its last cause says why
 * @throws {HardhatPluginError} if only the clocks cannot be restored
 */
export async function withSealingFrozen<Result>(
  { status, freeze }: Pick<PendingNode, 'status' | 'freeze'>,
  ask: Ask,
  work: () => Result | Promise<Result>,
): Promise<Result> {
  const before = await status()
  await freeze()
  const restore = async () => {
    try {
      await restoreClocks(before, await status(), ask)
    } catch (error) {
      const reason = reasonOf(error)
      throw pluginError(`withFrozenSealing cannot restore the clocks: ${reason}`, error)
    }
  }
  let result: Result
  try {
    result = await work()
  } catch (error) {
    // Throw the error itself, not a wrapper: test runners show the diff of an AssertionError.
    await restore().catch((reason: unknown) => addCause(error, reason))
    throw error
  }
  await restore()
  return result
}

/** Makes both clocks run or stop as they did in `before`. */
async function restoreClocks(before: Clocks, now: Clocks, ask: Ask): Promise<void> {
  const ticks = before.ticks.running
  if (!before.sealing.running && !before.instant) {
    // Only `preconf_resume` starts the ticks. It starts sealing too, so sealing is frozen again.
    if (ticks && !now.ticks.running) await ask('preconf_resume')
    await ask('preconf_freeze', { ticks: !ticks })
  } else if (ticks) await ask('preconf_resume')
  else {
    // Sealing was on while ticks were frozen. It continues with its interval, or its range of them.
    if (now.ticks.running) await ask('preconf_freeze', { ticks: true })
    if (before.instant) await ask('evm_setAutomine', true)
    if (before.sealing.running) await ask('preconf_resume', { ticks: false })
  }
}
