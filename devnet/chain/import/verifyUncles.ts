import type { Engine } from '../../engine/engine.ts'
import type { Hex } from '../../types.ts'
import type { SealedBlock, Uncle } from '../block.ts'
import { toHex } from '../bytes.ts'
import type { BlockHeader } from '../header.ts'
import type { History } from '../history.ts'
import { InvalidBlockError, verifyHeader } from './verifyHeader.ts'

/** Of one block (yellow paper 4.4). */
const MOST_UNCLES = 2

/** Generations from the parent of a block to the oldest parent that an uncle can have. */
const REACH = 7

/**
 * Holds the uncles of a block against the rules: few, recent, not named before, no ancestors, and each a valid header
 * over an ancestor.
 *
 * @throws {InvalidBlockError}
 */
export function verifyUncles(
  { parentHash }: BlockHeader,
  uncles: readonly Uncle[],
  history: History,
  { schedule }: Engine,
): void {
  if (uncles.length === 0) return
  if (uncles.length > MOST_UNCLES) {
    throw new InvalidBlockError(`has ${uncles.length} uncles, expected ${MOST_UNCLES} at most`)
  }
  const ancestors = recent(history)
  const known = new Set<Hex>(
    [...ancestors.values()].flatMap(({ hash, uncles }) => [hash, ...uncles.map((one) => one.hash)]),
  )
  for (const [index, { header, hash }] of uncles.entries()) {
    if (known.has(hash)) {
      throw new InvalidBlockError(`has uncle ${index} (${hash}), which the chain knows already`)
    }
    known.add(hash)
    const parent = ancestors.get(toHex(header.parentHash))
    if (parent === undefined || Buffer.from(parentHash).equals(header.parentHash)) {
      throw new InvalidBlockError(
        `has uncle ${index} (${hash}), whose parent is none of the ${REACH - 1} blocks before the parent`,
      )
    }
    verifyUncle(index, header, parent, schedule)
  }
}

function verifyUncle(
  index: number,
  header: BlockHeader,
  parent: SealedBlock,
  schedule: Engine['schedule'],
): void {
  try {
    verifyHeader(header, parent, schedule.at(header.number, header.timestamp), schedule.dao)
  } catch (error) {
    if (!(error instanceof InvalidBlockError)) throw error
    throw new InvalidBlockError(`has uncle ${index}, which ${error.message}`)
  }
}

/** The newest blocks by hash. */
function recent(history: History): Map<Hex, SealedBlock> {
  const blocks = new Map<Hex, SealedBlock>()
  for (let back = 0; back < REACH; back++) {
    const block = history.byNumber(history.head.number - back)
    if (block !== undefined) blocks.set(block.hash, block)
  }
  return blocks
}
