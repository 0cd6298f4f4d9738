import { StateUsageError } from '../../primitives/errors.ts'
import type { Version } from '../types.ts'

/** The versions that represent a state. Numbers are given once; abandoned ones never come back. */
export class LiveVersions {
  /** Ranges of live versions, ascending; the last one ends with the head. */
  readonly #ranges: { first: Version; last: Version }[]
  #current: { first: Version; last: Version }
  #newest: Version

  /** @param first - live from the beginning */
  constructor(first: Version) {
    this.#current = { first, last: first }
    this.#ranges = [this.#current]
    this.#newest = first
  }

  /** The newest live version. */
  get head(): Version {
    return this.#current.last
  }

  /** The highest number ever given. */
  get newest(): Version {
    return this.#newest
  }

  /** Gives the next number, which becomes the head. */
  next(): Version {
    const version = ++this.#newest
    if (this.#current.last === version - 1) {
      this.#current.last = version
    } else {
      this.#current = { first: version, last: version }
      this.#ranges.push(this.#current)
    }
    return version
  }

  has(version: Version): boolean {
    const range = this.#ranges.findLast(({ first }) => first <= version)
    return range !== undefined && version <= range.last && Number.isInteger(version)
  }

  /** Ends all versions after `version`, which must be live. */
  cut(version: Version): void {
    const index = this.#ranges.findLastIndex(({ first }) => first <= version)
    const range = this.#ranges[index]
    if (range === undefined) return
    this.#ranges.length = index + 1
    this.#current = range
    range.last = version
  }

  /** Forgets the versions before `version`, which must be live. */
  dropBefore(version: Version): void {
    const index = this.#ranges.findLastIndex(({ first }) => first <= version)
    this.#ranges.splice(0, index)
    const [range] = this.#ranges
    if (range !== undefined) range.first = version
  }
}

/** Counts the readers of each version. */
export class RetainedVersions {
  readonly #counts = new Map<Version, number>()

  /** Infinity if no version is retained. */
  get oldest(): Version {
    return Math.min(...this.#counts.keys())
  }

  retain(version: Version): void {
    this.#counts.set(version, (this.#counts.get(version) ?? 0) + 1)
  }

  /** Returns whether that was the last reader. @throws {StateUsageError} if there is none */
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

  anyIn(range: AbandonedRange): boolean {
    for (const version of this.#counts.keys()) if (isInside(version, range)) return true
    return false
  }
}

/** Abandoned versions: from `after` (exclusive) to `until` (inclusive). */
export interface AbandonedRange {
  readonly after: Version
  readonly until: Version
}

/** Abandoned versions that retained views still read. */
export class AbandonedRanges {
  /** Lets readers skip the search. A field, because every read checks it. */
  isEmpty = true
  #ranges: readonly AbandonedRange[] = []

  /** A new array after each change: ranges may be removed during an iteration. */
  get all(): readonly AbandonedRange[] {
    return this.#ranges
  }

  /** The newest version before all ranges; infinity without ranges. */
  get start(): Version {
    return Math.min(...this.#ranges.map(({ after }) => after))
  }

  add(range: AbandonedRange): void {
    this.#set([...this.#ranges, range])
  }

  remove(range: AbandonedRange): void {
    this.#set(this.#ranges.filter((other) => other !== range))
  }

  /**
   * Checks whether an entry of version `entry` is hidden from a reader at version `reader`: it lies
   * in a range, and the reader outside.
   *
   * @returns the version to continue from, or `undefined` if the entry is visible
   */
  skip(entry: Version, reader: Version): Version | undefined {
    if (this.isEmpty) return undefined
    for (const range of this.#ranges) {
      if (isInside(entry, range) && !isInside(reader, range)) return range.after
    }
    return undefined
  }

  #set(ranges: readonly AbandonedRange[]): void {
    this.#ranges = ranges
    this.isEmpty = ranges.length === 0
  }
}

function isInside(version: Version, { after, until }: AbandonedRange): boolean {
  return version > after && version <= until
}
