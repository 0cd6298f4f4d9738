import type { TraceStep } from './tracer.ts'

/**
 * Makes text of stacks, one after the other. Most of what is on a stack was there a step before, and to write a large
 * number takes longer than to see that it is the same.
 */
export class StackTexts {
  readonly #items: bigint[] = []
  readonly #texts: string[] = []

  /** The items of a stack, bottom first, in quotation marks with commas between them. */
  join({ state, height }: Pick<TraceStep, 'state' | 'height'>): string {
    const items = state.stack._store
    for (let index = 0; index < height; index++) {
      const item = items[index] ?? 0n
      if (this.#items[index] === item) continue
      this.#items[index] = item
      this.#texts[index] = `"0x${item.toString(16)}"`
    }
    return this.#texts.slice(0, height).join(',')
  }
}
