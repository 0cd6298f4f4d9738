import { InvalidParamsError } from '../errors.ts'
import type { Clocks } from './clocks.ts'

/** Beats of one command. */
export const MOST_BEATS = 1_000_000

/**
 * Moves the clocks as `preconf_advance` does, for a program in the same process, whose types may not have been checked.
 *
 * @throws {InvalidParamsError} unless `by` has one number of ticks or blocks, from 1 to {@link MOST_BEATS}
 */
export function advance(
  clocks: Pick<Clocks, 'advanceTicks' | 'advanceBlocks'>,
  by: { readonly ticks: number } | { readonly blocks: number },
): Promise<void> {
  const { ticks, blocks }: { ticks?: number; blocks?: number } = by ?? {}
  if (ticks !== undefined && blocks === undefined) {
    return clocks.advanceTicks(checked('ticks', ticks))
  }
  if (blocks !== undefined && ticks === undefined) {
    return clocks.advanceBlocks(checked('blocks', blocks))
  }
  throw new InvalidParamsError('advance: want either ticks or blocks, such as { ticks: 1 }')
}

function checked(name: string, count: number): number {
  if (Number.isInteger(count) && count >= 1 && count <= MOST_BEATS) return count
  throw new InvalidParamsError(`advance: ${name}: want an integer from 1 to ${MOST_BEATS}`)
}
