import type { HardhatRuntimeEnvironment } from 'hardhat/types/hre'

/** The id under which Hardhat keeps what the tests of vitest collect. */
const RUN_ID = 'vitest'

/** True if Hardhat is asked, by the environment, to collect coverage or gas statistics. */
export function isCollecting(): boolean {
  const { HARDHAT_COVERAGE: coverage } = process.env
  return coverage === 'true' || isMeasuringGas()
}

/** True if Hardhat is asked, by the environment, to collect gas statistics. */
export function isMeasuringGas(): boolean {
  const { HARDHAT_GAS_STATS: shown, HARDHAT_GAS_STATS_JSON: file } = process.env
  return shown === 'true' || file !== undefined
}

/** Tells Hardhat what its own test runners tell it: it then clears, saves or reports the data. */
export async function tellHardhat(
  event: 'onTestRunStart' | 'onTestWorkerDone' | 'onTestRunDone',
  { hooks }: Pick<HardhatRuntimeEnvironment, 'hooks'>,
): Promise<void> {
  await hooks.runHandlerChain('test', event, [RUN_ID], async () => undefined)
}
