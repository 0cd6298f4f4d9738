import type { CallExecution } from '../engine/executor.ts'
import { callFailure } from './call.ts'
import { GasAllowanceError } from './callErrors.ts'
import { isOutOfGas } from './haltReason.ts'

/** Gas that a call with value hands over for free, and must have first. */
const CALL_STIPEND = 2300n

/** How far an estimate may be above the least gas that is enough, as a part of itself (geth). */
const ERROR_RATIO = 0.015

/** Tries a call with this much gas; answers `undefined` where that does not even pay for its bytes. */
export type Probe = (gasLimit: bigint) => Promise<CallExecution | undefined>

/**
 * The least gas with which a call succeeds, within {@link ERROR_RATIO}, by geth's search.
 *
 * @param ceiling - the most gas that it may get
 * @param onFailure - gets the execution that fails with all of it
 * @throws {ExecutionRevertedError} where it reverts with that
 * @throws {ExecutionHaltedError} where it fails otherwise with that
 * @throws {GasAllowanceError} where that is not enough
 */
export async function searchGas(
  probe: Probe,
  ceiling: bigint,
  onFailure?: (execution: CallExecution) => void,
): Promise<bigint> {
  const first = await probe(ceiling)
  if (first?.success === false) onFailure?.(first)
  if (first === undefined || isOutOfGas(first)) throw new GasAllowanceError(ceiling)
  if (!first.success) throw callFailure(first)
  /** The call fails with `low`, and succeeds with `high`. */
  let low = first.gasUsed - 1n
  let high = ceiling
  const narrow = async (gas: bigint): Promise<void> => {
    const execution = await probe(gas)
    if (execution?.success === true) high = gas
    else low = gas
  }
  // Most calls succeed with what they use before refunds, if one 64th of it more is there to be kept back (EIP-150).
  const optimistic = ((first.gasBeforeRefund + CALL_STIPEND) * 64n) / 63n
  if (optimistic < high) await narrow(optimistic)
  while (low + 1n < high && Number(high - low) / Number(high) >= ERROR_RATIO) {
    const middle = low + (high - low) / 2n
    // Most calls need little more than they use: the search looks there first.
    await narrow(middle > low * 2n ? low * 2n : middle)
  }
  return high
}
