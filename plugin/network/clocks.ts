import type { Status } from '../../devnet/types.ts'
import type { Ask } from './controls.ts'

/** What the clocks of a node are at, as far as freezing goes. */
type Clocks = Pick<Status, 'ticks' | 'sealing' | 'instant'>

/** Lets both clocks run or stand as they did in `before`. */
export async function putClocksBack(before: Clocks, now: Clocks, ask: Ask): Promise<void> {
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
