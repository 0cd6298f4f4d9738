import type { Version } from './types.ts'
import { StateUsageError } from './usageError.ts'

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
