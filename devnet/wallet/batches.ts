import type { Hex } from '../types.ts'

/** Batches that are remembered; older ones are unknown again. */
const MOST_BATCHES = 1000

/** One call of a batch: its hash, or `undefined` where it failed while it was sent. */
export type BatchCall = Hex | undefined

/** A batch of calls that was sent (EIP-5792). */
export interface Batch {
  readonly id: string
  readonly chainId: Hex
  readonly calls: readonly BatchCall[]
}

/** The batches of a session. An origin sees only its own. */
export class Batches {
  readonly #batches = new Map<string, Batch>()

  find(origin: string | null, id: string): Batch | undefined {
    return this.#batches.get(keyOf(origin, id))
  }

  add(origin: string | null, batch: Batch): void {
    this.#batches.set(keyOf(origin, batch.id), batch)
    const [oldest] = this.#batches.keys()
    if (this.#batches.size > MOST_BATCHES && oldest !== undefined) this.#batches.delete(oldest)
  }
}

function keyOf(origin: string | null, id: string): string {
  return JSON.stringify([origin, id])
}
