import type { AddressKey, SlotKey, Version } from '../types.ts'

/** Keys that one version changed. They locate its entries without a search of the whole state. */
export interface Changes {
  readonly version: Version
  readonly accounts: readonly AddressKey[]
  /** Accounts whose storage was cleared. */
  readonly cleared: readonly AddressKey[]
  /** The account of each slot in `slots`, at the same index. */
  readonly owners: readonly AddressKey[]
  readonly slots: readonly SlotKey[]
}

/** The changes of all versions that have not been forgotten. */
export class VersionLog {
  /** Ascending by version. Entries before `#start` were taken, and are removed many at a time. */
  #changes: Changes[] = []
  #start = 0
  readonly #lower: VersionLog | undefined
  readonly #until: Version

  /**
   * @param lower - has the changes of the versions up to `until`. Default: there are none
   */
  constructor(lower?: VersionLog, until: Version = 0) {
    this.#lower = lower
    this.#until = until
  }

  /** @param changes - changes of a version newer than all before; ignored if empty */
  add(changes: Changes): void {
    const { accounts, cleared, slots } = changes
    if (accounts.length + cleared.length + slots.length > 0) this.#changes.push(changes)
  }

  /** Takes out the changes of versions from `after` (exclusive) to `until` (inclusive). */
  take(after: Version, until: Version): Changes[] {
    const from = this.#indexAfter(after)
    return this.#changes.splice(from, this.#indexAfter(until) - from)
  }

  /** Returns the changes of versions from `after` (exclusive) to `until` (inclusive). */
  between(after: Version, until: Version): readonly Changes[] {
    const own = this.#changes.slice(this.#indexAfter(after), this.#indexAfter(until))
    if (this.#lower === undefined || after >= this.#until) return own
    return [...this.#lower.between(after, Math.min(until, this.#until)), ...own]
  }

  /** Removes and returns the changes of all versions up to `version`, oldest first. */
  takeUntil(version: Version): Changes[] {
    const end = this.#indexAfter(version)
    const taken = this.#changes.slice(this.#start, end)
    this.#start = end
    if (this.#start * 2 > this.#changes.length) {
      this.#changes = this.#changes.slice(this.#start)
      this.#start = 0
    }
    return taken
  }

  /** Index of the first entry newer than `version`. */
  #indexAfter(version: Version): number {
    let low = this.#start
    let high = this.#changes.length
    while (low < high) {
      const middle = (low + high) >> 1
      const changes = this.#changes[middle]
      if (changes !== undefined && changes.version <= version) low = middle + 1
      else high = middle
    }
    return low
  }
}

export class ChangesBuilder {
  readonly accounts: AddressKey[] = []
  readonly cleared: AddressKey[] = []
  readonly owners: AddressKey[] = []
  readonly slots: SlotKey[] = []

  build(version: Version): Changes {
    return {
      version,
      accounts: compact(this.accounts),
      cleared: compact(this.cleared),
      owners: compact(this.owners),
      slots: compact(this.slots),
    }
  }
}

/** Copies the keys to an array without spare room, which is kept as long as the version. */
function compact<Key>(keys: readonly Key[]): readonly Key[] {
  return keys.length === 0 ? NONE : keys.slice()
}

const NONE: readonly never[] = []
