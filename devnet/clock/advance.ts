import { InvalidParamsError } from '../primitives/errors.ts'
import type { Clocks } from './clocks.ts'

/** Maximum number of ticks that one command can advance by. */
export const MAX_TICKS = 1_000_000

/**
 * Does what `preconf_advance` does. Checks `by`, as JavaScript may pass anything.
 *
 * @throws {InvalidParamsError} unless `by` has either ticks, 1 to {@link MAX_TICKS}, or blocks, at
 *   least 1
 */
export function advance(
  clocks: Pick<Clocks, 'advanceTicks' | 'advanceBlocks'>,
  by: { readonly ticks: number } | { readonly blocks: number },
): Promise<void> {
  const { ticks, blocks }: { ticks?: number; blocks?: number } = by ?? {}
  const count = ticks ?? blocks
  if (count === undefined || (ticks !== undefined && blocks !== undefined)) {
    throw new InvalidParamsError('advance: want either ticks or blocks, such as { ticks: 1 }')
  }
  const [name, most] =
    ticks === undefined ? ['blocks', Number.MAX_SAFE_INTEGER] : ['ticks', MAX_TICKS]
  if (!Number.isInteger(count) || count < 1 || count > most) {
    throw new InvalidParamsError(`advance: ${name}: want an integer from 1 to ${most}`)
  }
  return ticks === undefined ? clocks.advanceBlocks(count) : clocks.advanceTicks(count)
}
