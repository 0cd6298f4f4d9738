import type { ChainWriter } from '../chain/chainWriter.ts'
import { InvalidParamsError } from '../primitives/errors.ts'
import type { SealedBlock } from '../protocol/block.ts'
import type { BlockWork } from './blockWork.ts'
import { chooseTimestamp } from './timeCommands.ts'
import { checkedTimestamp } from './virtualTime.ts'

/** See {@link Clocks.tickAndSeal}. */
export async function sealSeries(
  series: Series,
  writer: ChainWriter,
  work: BlockWork,
): Promise<SealedBlock> {
  const { count, timestamp, interval } = series
  const { chain } = work
  checkEnd(series, work)
  if (timestamp === undefined) await work.refresh(writer)
  else {
    await work.takeSent(writer)
    await chooseTimestamp(timestamp, writer, work)
  }
  const step = stepOf(interval, 0, work)
  for (let left = count; left > 0; ) {
    if (left === count || chain.mempool.runnableCount > 0) await work.take(writer)
    const reserved = left === count ? 0 : work.reserve(writer, left, { step, interval })
    if (reserved === 0) {
      const next = Number(chain.pending.environment.timestamp) + (interval ?? 0)
      const nextTimestamp = left === 1 || interval === undefined ? undefined : next
      await work.seal(writer, { nextTimestamp })
    }
    left -= Math.max(reserved, 1)
    await work.yieldAfterBlock()
  }
  return chain.head
}

/** See {@link Clocks.advanceBlocks}. */
export async function advanceBlocks(
  count: number,
  writer: ChainWriter,
  work: BlockWork,
): Promise<void> {
  const { state } = work
  checkEnd({ count }, work, state.seals.interval)
  for (let left = count; left > 0; ) {
    const passing = state.seals.interval
    await work.take(writer)
    state.advance(passing)
    await work.refresh(writer)
    const pace = { step: stepOf(undefined, passing, work), passing }
    const reserved = left === count ? 0 : work.reserve(writer, left, pace)
    if (reserved === 0) await work.seal(writer)
    left -= Math.max(reserved, 1)
    await work.yieldToOthers()
  }
}

/** See {@link Clocks.tickAndSealApart}. */
export async function sealApart(
  { count, interval }: Series & { readonly interval: number },
  writer: ChainWriter,
  work: BlockWork,
): Promise<SealedBlock> {
  const first = () => {
    const { timestamp } = work.chain.head.header
    return Math.max(Number(timestamp), work.state.second) + interval
  }
  checkEnd({ count, timestamp: first(), interval }, work)
  await work.takeSent(writer)
  await work.sealPreconfirmed(writer)
  await chooseTimestamp(first(), writer, work)
  return await sealSeries({ count, interval }, writer, work)
}

/** Blocks that a command seals one after the other. */
interface Series {
  readonly count: number
  /** Of the first block, in s. Default: that of the pending block */
  readonly timestamp?: number | undefined
  /** s between their timestamps. Default: as scheduled */
  readonly interval?: number | undefined
}

/**
 * ms between the timestamps of blocks that a command seals one after the other.
 *
 * @param passing - ms of virtual time that pass with each block
 */
function stepOf(interval: number | undefined, passing: number, { chain, state }: BlockWork) {
  const seconds = interval ?? chain.settings.timestampInterval
  const step = seconds === undefined ? passing : Number(seconds) * 1000
  return Math.max(step, state.equalTimestamps ? 0 : 1000)
}

/**
 * Checks time and number of the last block of a series.
 *
 * @param passing - ms of virtual time that pass with each block. Default: 0
 */
function checkEnd({ count, timestamp: first = 0, interval }: Series, work: BlockWork, passing = 0) {
  const { head, pending } = work.chain
  const last = BigInt(head.number) + BigInt(count)
  if (last > BigInt(Number.MAX_SAFE_INTEGER)) {
    throw new InvalidParamsError(
      `${count} blocks are too many: want no block number over ${Number.MAX_SAFE_INTEGER}`,
    )
  }
  const { timestamp } = pending.environment
  const start = BigInt(Math.max(Number(timestamp), work.state.second, first))
  const step = Math.max(stepOf(interval, passing, work), passing)
  checkedTimestamp(start + (BigInt(count - 1) * BigInt(step)) / 1000n)
}
