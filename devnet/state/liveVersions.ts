import type { Version } from './types.ts'

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
