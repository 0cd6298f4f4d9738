import { InvalidParamsError } from '../primitives/errors.ts'

/** The latest time that a JavaScript Date can hold, in s since the epoch. */
const LATEST_TIMESTAMP = 8_640_000_000_000n

/**
 * The chain's time, in ms since the epoch: follows the wall clock at an offset while it runs, and
 * moves only by command while it is stopped.
 */
export class VirtualTime {
  readonly #clock: () => number
  /** The last reading of the wall clock. */
  #last = Number.NEGATIVE_INFINITY
  /** ms to add to wall time to get virtual time, while running. */
  #offset = 0
  /** Virtual time while stopped; `undefined` while running. */
  #stopped: number | undefined

  /** @param start - ms since the epoch; virtual time is stopped there until {@link resume} */
  constructor(start: number, wall: () => number = Date.now) {
    this.#clock = wall
    this.#stopped = start
  }

  get running(): boolean {
    return this.#stopped === undefined
  }

  now(): number {
    if (this.#stopped !== undefined) return this.#stopped
    // Read first, because `#wall` may change the offset.
    const wall = this.#wall()
    return wall + this.#offset
  }

  /**
   * In s. While time runs, it changes with the second of the wall clock, whatever the offset: two
   * chains that were moved by the same whole seconds then agree at any moment.
   */
  get second(): number {
    if (this.#stopped !== undefined) return Math.floor(this.#stopped / 1000)
    const wall = this.#wall()
    return Math.floor(wall / 1000) + Math.ceil(this.#offset / 1000)
  }

  /** ms by which virtual time is ahead of the wall clock; negative if behind. */
  get ahead(): number {
    const wall = this.#wall()
    return this.#stopped === undefined ? this.#offset : this.#stopped - wall
  }

  stop(): void {
    this.#stopped = this.now()
  }

  /** Continues from the time at which it was stopped, without a jump. */
  resume(): void {
    if (this.#stopped === undefined) return
    this.#offset = this.#stopped - this.#wall()
    this.#stopped = undefined
  }

  advance(ms: number): void {
    if (this.#stopped === undefined) this.#offset += ms
    else this.#stopped += ms
  }

  jumpTo(time: number): void {
    if (this.#stopped === undefined) this.#offset = time - this.#wall()
    else this.#stopped = time
  }

  /**
   * Reads the wall clock. If it was set back, raises the offset so that virtual time does not go
   * back; otherwise, no timer would fire until the wall clock caught up.
   */
  #wall(): number {
    const wall = this.#clock()
    if (wall < this.#last) this.#offset += this.#last - wall
    this.#last = wall
    return wall
  }
}

/** Converts a timestamp in s. @throws {InvalidParamsError} if it is later than a Date can hold */
export function checkedTimestamp(timestamp: bigint): number {
  if (timestamp > LATEST_TIMESTAMP) {
    throw new InvalidParamsError(
      `timestamp ${timestamp} is too late: it is in seconds, and at most ${LATEST_TIMESTAMP}`,
    )
  }
  return Number(timestamp)
}
