import { isEmptyBlock } from '../chain/building/pendingView.ts'
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
  if (!isEmpty) {
    const { length } = pending.executed
    const count =
      length === 1 ? 'a pre-confirmed transaction' : `${length} pre-confirmed transactions`
    throw new RefusedError(
      `block ${pending.environment.number} holds ${count} at ${parent}: want a timestamp after ${parent}`,
    )
  }
  throw new RefusedError(
    // The messages are hardhat's.
    timestamp < parent
      ? `Timestamp ${timestamp} is lower than the previous block's timestamp ${parent}`
      : `Timestamp ${timestamp} is equal to the previous block's timestamp. Enable the 'allowBlocksWithSameTimestamp' option to allow this`,
  )
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
  const { pending } = chain
  await work.sealPreconfirmed(writer)
  const newest = Number(chain.head.header.timestamp)
  const isPaced = chain.settings.timestampInterval !== undefined
  // The timestamp of an empty block is derived from the time to come, unless a command chose it.
  const isDerived = isEmptyBlock(pending) && chain.chosenTimestamp === undefined && !isPaced
  const base = isDerived ? Math.max(newest, state.second) : Number(pending.environment.timestamp)
  const total = state.increase(seconds)
  if (state.expectedTimestamp !== undefined) return total
  if (state.stampsNow && !isPaced) await writer.reschedule()
  else {
    const earliest = newest + (state.equalTimestamps ? 0 : 1)
    await writer.overrideNext({ timestamp: BigInt(Math.max(base + seconds, earliest)) })
  }
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
  const before = state.second
  state.setTime(timestamp * 1000)
  // Virtual time is already there, so it need not jump at the seal.
  state.expectedTimestamp = undefined
  if (state.stampsNow) await writer.reschedule({ always: true })
  else await writer.overrideNext({ timestamp: BigInt(timestamp) })
  return Math.max(0, timestamp - before)
}
