import { isEmptyBlock, type PendingView } from '../chain/building/pendingView.ts'
import type { ChainWriter } from '../chain/chainWriter.ts'
import { RefusedError } from '../primitives/errors.ts'
import type { BlockWork } from './blockWork.ts'

/** See {@link Clocks.setNextTimestamp}; without what was sent, which comes first. */
export async function chooseTimestamp(
  timestamp: number,
  writer: ChainWriter,
  work: BlockWork,
): Promise<void> {
  checkTimestamp(timestamp, work)
  await work.sealPreconfirmed(writer)
  work.state.expectedTimestamp = timestamp
  await writer.overrideNext({ timestamp: BigInt(timestamp) })
}

/** Checks a timestamp for the block after the newest one that has transactions or is sealed. */
function checkTimestamp(timestamp: number, { chain, state }: BlockWork): void {
  const { head, pending } = chain
  const isEmpty = isEmptyBlock(pending)
  const parent = Number(isEmpty ? head.header.timestamp : pending.environment.timestamp)
  if (timestamp > parent || (timestamp === parent && state.equalTimestamps)) return
  throw isEmpty ? new TimestampError(timestamp, parent) : new PreconfirmedTimestampError(pending)
}

/** See {@link Clocks.increaseTime}. */
export async function increaseTime(
  seconds: number,
  writer: ChainWriter,
  work: BlockWork,
): Promise<number> {
  const { chain, state } = work
  await work.takeSent(writer)
  await work.refresh(writer)
  const { timestamp } = chain.pending.environment
  await work.sealPreconfirmed(writer)
  if (state.expectedTimestamp !== undefined) return state.increase(seconds)
  if (state.stampsNow && chain.settings.timestampInterval === undefined) {
    // The block's timestamp follows virtual time, but may be slightly ahead of it.
    state.catchUp(Number(timestamp))
    const total = state.increase(seconds)
    await writer.reschedule()
    return total
  }
  const total = state.increase(seconds)
  const earliest = chain.head.header.timestamp + (state.equalTimestamps ? 0n : 1n)
  const later = timestamp + BigInt(seconds)
  await writer.overrideNext({ timestamp: later > earliest ? later : earliest })
  return total
}

/** See {@link Clocks.setTime}. */
export async function setTime(
  timestamp: number,
  writer: ChainWriter,
  work: BlockWork,
): Promise<number> {
  const { state } = work
  await work.takeSent(writer)
  checkTimestamp(timestamp, work)
  await work.sealPreconfirmed(writer)
  const before = Math.floor(state.now / 1000)
  state.setTime(timestamp * 1000)
  // Virtual time is already there, so it need not jump at the seal.
  state.expectedTimestamp = undefined
  if (state.stampsNow) await writer.reschedule({ always: true })
  else await writer.overrideNext({ timestamp: BigInt(timestamp) })
  return Math.max(0, timestamp - before)
}

/** The timestamp is before the newest sealed block's, or equal to it where that is not allowed. */
export class TimestampError extends RefusedError {
  override name = 'TimestampError'
  constructor(timestamp: number, parent: number) {
    super(
      // The message is hardhat's.
      timestamp < parent
        ? `Timestamp ${timestamp} is lower than the previous block's timestamp ${parent}`
        : `Timestamp ${timestamp} is equal to the previous block's timestamp. Enable the 'allowBlocksWithSameTimestamp' option to allow this`,
    )
  }
}

/** The timestamp is not after that of the pending block, whose transactions are pre-confirmed. */
class PreconfirmedTimestampError extends RefusedError {
  override name = 'PreconfirmedTimestampError'
  constructor({ environment: { number, timestamp }, executed }: PendingView) {
    const count =
      executed.length === 1
        ? 'a pre-confirmed transaction'
        : `${executed.length} pre-confirmed transactions`
    super(`block ${number} holds ${count} at ${timestamp}: want a timestamp after ${timestamp}`)
  }
}
