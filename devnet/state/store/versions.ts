import { StateUsageError } from '../../primitives/errors.ts'
import type { Version } from '../types.ts'

/** The versions that are neither abandoned nor forgotten. A version number is never reused. */
export class LiveVersions {
  /** Ranges of live versions, ascending; the last one ends with the head. */
  readonly #ranges: { first: Version; last: Version }[]
  #current: { first: Version; last: Version }
  #newest: Version

  /**
   * @param head - number of a version that is live at once
   * @param oldest - the first of the live ones before it. Default: there are none
   */
  constructor(head: Version, oldest = head) {
    this.#current = { first: oldest, last: head }
    this.#ranges = [this.#current]
    this.#newest = head
  }

  get head(): Version {
    return this.#current.last
  }

  /** The highest number ever assigned. */
  get newest(): Version {
    return this.#newest
  }

  /** Assigns and returns the next number, which becomes the head. */
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
    const range = this.#ranges[this.#indexOf(version)]
    return range !== undefined && version <= range.last && Number.isInteger(version)
  }

  /** Abandons all versions after `version`, which must be live. */
  cut(version: Version): void {
    const index = this.#indexOf(version)
    const range = this.#ranges[index]
    if (range === undefined) return
    this.#ranges.length = index + 1
    this.#current = range
    range.last = version
  }

  /** Forgets the versions before `version`, which must be live. */
  dropBefore(version: Version): void {
    this.#ranges.splice(0, this.#indexOf(version))
    const [range] = this.#ranges
    if (range !== undefined) range.first = version
  }

  /** Index of the last range that begins at or before `version`; -1 if there is none. */
  #indexOf(version: Version): number {
    // Most reads are of recent versions.
    if (this.#current.first <= version) return this.#ranges.length - 1
    let [low, high] = [0, this.#ranges.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if ((this.#ranges[middle]?.first ?? version) <= version) low = middle + 1
      else high = middle
    }
    return low - 1
  }
}

export class RetainedVersions {
  readonly #counts = new Map<Version, number>()

  /** The oldest version with a reader; Infinity if there is none. */
  get oldest(): Version {
    return Math.min(...this.#counts.keys())
  }

  retain(version: Version): void {
    this.#counts.set(version, (this.#counts.get(version) ?? 0) + 1)
  }

  /** Removes a reader; returns whether it was the last. @throws {StateUsageError} if none left */
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

/** Abandoned versions, from `after` (exclusive) to `until` (inclusive). */
export interface AbandonedRange {
  readonly after: Version
  readonly until: Version
}

/** Ranges of abandoned versions that retained views still read. */
export class AbandonedRanges {
  /** Lets readers skip the search. A field instead of a getter, because every read checks it. */
  isEmpty = true
  #ranges: readonly AbandonedRange[] = []

  /** Each change makes a new array, so ranges may be removed while this one is iterated. */
  get all(): readonly AbandonedRange[] {
    return this.#ranges
  }

  /** The newest version before all ranges; Infinity if there are no ranges. */
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
   * Checks whether an entry of version `entry` is hidden from a reader at version `reader`: the
   * entry is inside an abandoned range and the reader outside it.
   *
   * @returns the version from which to search further down, or `undefined` if the entry is visible
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
