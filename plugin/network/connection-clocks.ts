import type { Status } from '../../devnet/types.ts'
import type { PendingNode } from '../types.ts'
import type { Ask } from './controls.ts'
import { pluginError } from './plugin-error.ts'

/** What the clocks of a node are at, as far as freezing goes. */
type Clocks = Pick<Status, 'ticks' | 'sealing' | 'instant'>

/**
 * Runs `work` with sealing frozen, and puts the clocks back.
 *
 * @throws what `work` throws, also where the clocks cannot be put back; why they cannot is at the end of its causes then
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
      await putClocksBack(before, await status(), ask)
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error)
      throw pluginError(`withFrozenSealing cannot put the clocks back: ${reason}`, error)
    }
  }
  let result: Result
  try {
    result = await work()
  } catch (error) {
    // The error itself, whatever its class: a test runner shows the difference that an assertion found.
    await restore().catch((reason: unknown) => addCause(error, reason))
    throw error
  }
  await restore()
  return result
}

/** Puts `cause` at the end of the causes of `error`, so that both are printed. */
function addCause(error: unknown, cause: unknown): void {
  const chain = new Set([error])
  let last = error
  while (last instanceof Error && last.cause !== undefined) {
    last = last.cause
    // A circle has no end.
    if (chain.has(last)) return
    chain.add(last)
  }
  if (last instanceof Error && Object.isExtensible(last)) last.cause = cause
}

/** Lets both clocks run or stand as they did in `before`. */
async function putClocksBack(before: Clocks, now: Clocks, ask: Ask): Promise<void> {
  const ticks = before.ticks.running
  if (seals(before)) {
    if (ticks) await ask('preconf_resume')
    else await sealOnly(before, now, ask)
  } else {
    // Only a resume starts the ticks, and it starts sealing too.
    if (ticks && !now.ticks.running) await ask('preconf_resume')
    await ask('preconf_freeze', { ticks: !ticks })
  }
}

function seals({ sealing, instant }: Clocks): boolean {
  return sealing.running || instant
}

/** Sealing runs and the ticks stand: only Hardhat's own commands get there. */
async function sealOnly(before: Clocks, now: Clocks, ask: Ask): Promise<void> {
  if (now.ticks.running) await ask('preconf_freeze', { ticks: true })
  if (before.instant) await ask('evm_setAutomine', true)
  if (before.sealing.running) await ask('evm_setIntervalMining', before.sealing.interval)
}
