import type { BlockHeader } from '../chain/header.ts'
import {
  BlockNumberOrderError,
  BlockTimeOrderError,
  EmptySimulationError,
  SimulationLimitError,
} from './simulateErrors.ts'
import type { PlannedBlock, SimulationLimits, SimulationPayload } from './simulateTypes.ts'

/** Timestamps have 64 bits. */
const LAST_TIME = 2n ** 64n - 1n

/** Time in s between simulated blocks, whatever the interval of the seals (geth, Base). */
const BLOCK_TIME = 12n

/**
 * Whether a request is small enough to be looked at; comes before the look-up of its base block.
 *
 * @throws {EmptySimulationError}
 * @throws {SimulationLimitError}
 */
export function checkSimulationSize(
  { blockStateCalls }: SimulationPayload,
  limits: SimulationLimits,
): void {
  if (blockStateCalls.length === 0) throw new EmptySimulationError()
  if (blockStateCalls.length > limits.blocks) throw new SimulationLimitError('too many blocks')
  let total = 0
  for (const { calls = [] } of blockStateCalls) {
    if (calls.length > limits.callsPerBlock) {
      throw new SimulationLimitError(
        `too many calls in block: ${calls.length} > ${limits.callsPerBlock}`,
      )
    }
    total += calls.length
    if (total > limits.calls) {
      throw new SimulationLimitError(`too many calls: ${total} > ${limits.calls}`)
    }
  }
}

/**
 * Settles number and time of each block, and fills gaps in the numbers with empty blocks.
 *
 * @param base - the block that the first one follows on
 * @throws {BlockNumberOrderError}
 * @throws {BlockTimeOrderError}
 * @throws {SimulationLimitError}
 */
export function planBlocks(
  { blockStateCalls }: SimulationPayload,
  base: BlockHeader,
  limits: SimulationLimits,
): PlannedBlock[] {
  const planned: PlannedBlock[] = []
  let { number, timestamp: time } = base
  const last = base.number + BigInt(limits.blocks)
  for (const block of blockStateCalls) {
    const wanted = block.blockOverrides?.number ?? number + 1n
    if (wanted <= number) throw new BlockNumberOrderError(wanted, number)
    if (wanted > last) throw new SimulationLimitError('too many blocks')
    for (number += 1n; number < wanted; number++) {
      time = laterTime(time + BLOCK_TIME, time)
      planned.push({ number, time })
    }
    time = laterTime(block.blockOverrides?.time ?? time + BLOCK_TIME, time)
    planned.push({ ...block, number, time })
  }
  return planned
}

/** @throws {BlockTimeOrderError} where `time` is not later than `before`, or no timestamp can hold it */
function laterTime(time: bigint, before: bigint): bigint {
  if (time <= before || time > LAST_TIME) throw new BlockTimeOrderError(time, before)
  return time
}
