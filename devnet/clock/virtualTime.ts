/**
 * The time of the chain, in ms since the epoch: follows the wall clock by an offset while it runs, and moves by command
 * only while it stands.
 */
export class VirtualTime {
  readonly #clock: () => number
  /** What the wall clock said last. */
  #last = Number.NEGATIVE_INFINITY
  /** ms between virtual and wall time while running. */
  #offset = 0
  /** Where it stands; `undefined` while running. */
  #stopped: number | undefined

  /** @param start - ms since the epoch; it stands there until {@link resume} */
  constructor(start: number, wall: () => number = Date.now) {
    this.#clock = wall
    this.#stopped = start
  }

  get running(): boolean {
    return this.#stopped === undefined
  }

  now(): number {
    if (this.#stopped !== undefined) return this.#stopped
    // Not in one expression: the reading may move the offset.
    const wall = this.#wall()
    return wall + this.#offset
  }

  /** ms that it is ahead of the wall clock. */
  get ahead(): number {
    return this.now() - this.#wall()
  }

  /** Stands still from now on. */
  stop(): void {
    this.#stopped = this.now()
  }

  /** Goes on from where it stands, without a jump. */
  resume(): void {
    if (this.#stopped === undefined) return
    this.#offset = this.#stopped - this.#wall()
    this.#stopped = undefined
  }

  /** Moves by `ms`, running or not. */
  advance(ms: number): void {
    this.jumpTo(this.now() + ms)
  }

  /** Moves to `time`, running or not. */
  jumpTo(time: number): void {
    if (this.#stopped === undefined) this.#offset = time - this.#wall()
    else this.#stopped = time
  }

  /** Where the wall clock was set back, time goes on from where it was: else nothing would beat until it is there again. */
  #wall(): number {
    const wall = this.#clock()
    if (wall < this.#last) this.#offset += this.#last - wall
    this.#last = wall
    return wall
  }
}
