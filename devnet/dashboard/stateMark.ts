import type { Chain } from '../chain/chain.ts'

/** Tells if anything has changed that a call on the sealed or the pending state can see. */
export class StateMark {
  readonly #chain: Pick<Chain, 'head' | 'pending'>
  /** Tells the marks of different runs of the node apart. */
  readonly #run = Date.now()
  #seen: readonly unknown[] = []
  #count = 0

  constructor(chain: Pick<Chain, 'head' | 'pending'>) {
    this.#chain = chain
  }

  /** Differs from all earlier ones after a change; an empty tick is none. */
  get current(): string {
    const { head, pending } = this.#chain
    const { environment, executed, steps, cheatDiffs } = pending
    // After a drop, the last transaction is another object, because the rest ran again.
    const counts = [executed.length, executed.at(-1), steps.length, cheatDiffs.length]
    const seen = [head, head.version, environment, ...counts]
    if (seen.some((one, index) => one !== this.#seen[index])) this.#count++
    this.#seen = seen
    return `${this.#run}.${this.#count}`
  }
}
