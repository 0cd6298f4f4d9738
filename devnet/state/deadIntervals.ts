import type { Version } from './types.ts'

/** Abandoned versions: all from `after` (exclusive) to `until` (inclusive). */
export interface DeadInterval {
  readonly after: Version
  readonly until: Version
}

/** Abandoned versions that somebody still reads. */
export class DeadIntervals {
  /** Whether there are none: then no reader has to look for hidden entries. A field, as every read asks for it. */
  none = true
  #intervals: readonly DeadInterval[] = []

  /** A new array after each change: safe to walk while removing. */
  get all(): readonly DeadInterval[] {
    return this.#intervals
  }

  add(interval: DeadInterval): void {
    this.#set([...this.#intervals, interval])
  }

  remove(interval: DeadInterval): void {
    this.#set(this.#intervals.filter((other) => other !== interval))
  }

  /** The newest version before all intervals; infinity where there is none. */
  get start(): Version {
    return Math.min(...this.#intervals.map(({ after }) => after))
  }

  /**
   * Whether a reader at version `reader` must skip an entry of version `entry`: it lies in an interval that the reader
   * was not opened in.
   *
   * @returns the version to go on from, or `undefined` where the entry counts
   */
  skip(entry: Version, reader: Version): Version | undefined {
    if (this.none) return undefined
    for (const interval of this.#intervals) {
      if (isInside(entry, interval) && !isInside(reader, interval)) return interval.after
    }
    return undefined
  }

  #set(intervals: readonly DeadInterval[]): void {
    this.#intervals = intervals
    this.none = intervals.length === 0
  }
}

function isInside(version: Version, { after, until }: DeadInterval): boolean {
  return version > after && version <= until
}
