import { StateUsageError } from '../../primitives/errors.ts'
import type { Version } from '../types.ts'

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

/** Which version numbers stand for a state: numbers are given once, and abandoned ones never come back. */
export class LiveVersions {
  /** First and last version of each run of living ones, ascending. */
  readonly #runs: { first: Version; last: Version }[] = []
  #current: { first: Version; last: Version }
  #newest: Version

  /** @param first - lives from the beginning */
  constructor(first: Version) {
    this.#current = { first, last: first }
    this.#newest = first
    this.#runs.push(this.#current)
  }

  /** The newest living version. */
  get head(): Version {
    return this.#current.last
  }

  /** The highest number ever given. */
  get newest(): Version {
    return this.#newest
  }

  /** Gives the next number; it is the head then. */
  next(): Version {
    const version = ++this.#newest
    if (this.#current.last === version - 1) {
      this.#current.last = version
    } else {
      this.#current = { first: version, last: version }
      this.#runs.push(this.#current)
    }
    return version
  }

  has(version: Version): boolean {
    const run = this.#runs.findLast(({ first }) => first <= version)
    return run !== undefined && version <= run.last && Number.isInteger(version)
  }

  /** Ends all versions after `version`, which must live. */
  cut(version: Version): void {
    const index = this.#runs.findLastIndex(({ first }) => first <= version)
    const run = this.#runs[index]
    if (run === undefined) return
    this.#runs.length = index + 1
    this.#current = run
    run.last = version
  }

  /** Forgets the versions before `version`, which must live. */
  dropBefore(version: Version): void {
    const index = this.#runs.findLastIndex(({ first }) => first <= version)
    this.#runs.splice(0, index)
    const [run] = this.#runs
    if (run !== undefined) run.first = version
  }
}

/** How many readers hold each version. */
export class RetainedVersions {
  readonly #counts = new Map<Version, number>()

  retain(version: Version): void {
    this.#counts.set(version, (this.#counts.get(version) ?? 0) + 1)
  }

  /** Answers whether that was the last reader of the version. @throws {StateUsageError} where there is none */
  release(version: Version): boolean {
    const count = this.#counts.get(version)
    if (count === undefined) {
      throw new StateUsageError(`version ${version} was released more often than retained`)
    }
    if (count > 1) this.#counts.set(version, count - 1)
    else this.#counts.delete(version)
    return count === 1
  }

  has(version: Version): boolean {
    return this.#counts.has(version)
  }

  /** Whether a version from `after` (exclusive) to `until` (inclusive) is held. */
  anyIn(after: Version, until: Version): boolean {
    for (const version of this.#counts.keys()) {
      if (version > after && version <= until) return true
    }
    return false
  }

  /** Infinity where none is held. */
  get oldest(): Version {
    return Math.min(...this.#counts.keys())
  }
}
