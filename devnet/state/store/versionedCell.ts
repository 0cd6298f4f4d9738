import { bytesToText, EMPTY_BYTES, textToBytes } from '../../primitives/bytes.ts'
import type { AccountRecord, SlotKey, Version } from '../types.ts'
import type { AbandonedRanges } from './versions.ts'

/**
 * All values of one account or slot. The newest is in the cell itself, for fast reads at the head;
 * older ones are in a sorted list, in the compact form `Kept`.
 */
abstract class VersionedCell<Value, Kept> {
  version: Version
  value: Value
  /** Version, value, version, value, …, oldest first; `undefined` if there are none. */
  #older: (Version | Kept)[] | undefined = undefined

  constructor(version: Version, value: Value) {
    this.version = version
    this.value = value
  }

  /** Converts a superseded value to its compact form. */
  protected abstract keep(value: Value): Kept
  protected abstract restore(kept: Kept): Value
  /** True if readers see no difference between `value` and no value. */
  protected abstract isBlank(value: Value): boolean

  /** Number of values in all versions. */
  get size(): number {
    return 1 + (this.#older === undefined ? 0 : this.#older.length >> 1)
  }

  /** @param version - higher than the version of any earlier call */
  put(version: Version, value: Value): void {
    this.#older = withEntry(this.#older, this.version, this.keep(this.value))
    this.version = version
    this.value = value
  }

  /** The value that a reader at `version` sees; `undefined` if there was none yet. */
  at(version: Version, abandoned: AbandonedRanges): Value | undefined {
    let limit = version
    if (this.version <= limit) {
      const below = abandoned.skip(this.version, version)
      if (below === undefined) return this.value
      limit = below
    }
    const older = this.#older
    if (older === undefined) return undefined
    for (let index = indexAfter(older, limit) - 2; index >= 0; ) {
      const below = abandoned.skip(versionAt<Kept>(older, index), version)
      if (below === undefined) return this.restore(keptAt<Kept>(older, index))
      index = indexAfter(older, below) - 2
    }
    return undefined
  }

  /**
   * Removes the entries of the versions from `after` (exclusive) to `until` (inclusive).
   *
   * @returns whether no value is left
   */
  remove(after: Version, until: Version): boolean {
    const older = this.#older
    if (older !== undefined) {
      const from = indexAfter(older, after)
      older.splice(from, indexAfter(older, until) - from)
    }
    if (this.version > after && this.version <= until) {
      if (older === undefined || older.length === 0) return true
      const index = older.length - 2
      this.version = versionAt<Kept>(older, index)
      this.value = this.restore(keptAt<Kept>(older, index))
      older.length = index
    }
    if (older?.length === 0) this.#older = undefined
    return false
  }

  /**
   * Removes the values that readers at `version` or later do not need.
   *
   * @param version - a version that wrote this cell
   * @param hides - whether a blank value differs from none, because it hides another below the cell
   * @returns whether the cell can be dropped: readers would see no difference
   */
  forgetBefore(version: Version, hides: boolean): boolean {
    const older = this.#older
    if (this.version <= version || older === undefined) {
      this.#older = undefined
      return !hides && this.isBlank(this.value)
    }
    const end = indexAfter(older, version)
    const base = end - 2
    const keepsBase = base >= 0 && (hides || !this.isBlank(this.restore(keptAt<Kept>(older, base))))
    older.splice(0, keepsBase ? base : end)
    if (older.length === 0) this.#older = undefined
    return false
  }
}

/** Below this length the list grows by exact copies, above it by pushes. */
const EXACT_LENGTH = 16

function withEntry<Kept>(
  older: (Version | Kept)[] | undefined,
  version: Version,
  kept: Kept,
): (Version | Kept)[] {
  if (older === undefined) return [version, kept]
  if (older.length >= EXACT_LENGTH) {
    older.push(version, kept)
    return older
  }
  // Not a push: on a short array it reserves 16 more elements, and most cells have few entries.
  return older.concat([version, kept])
}

/** The cast is safe: {@link withEntry} puts versions at even indexes. */
function versionAt<Kept>(older: readonly (Version | Kept)[], index: number): Version {
  return older[index] as Version
}

/** The cast is safe: {@link withEntry} puts values at odd indexes. */
function keptAt<Kept>(older: readonly (Version | Kept)[], index: number): Kept {
  return older[index + 1] as Kept
}

/** Index of the first entry newer than `version`. */
function indexAfter<Kept>(older: readonly (Version | Kept)[], version: Version): number {
  let low = 0
  let high = older.length >> 1
  while (low < high) {
    const middle = (low + high) >> 1
    if (versionAt<Kept>(older, middle * 2) <= version) low = middle + 1
    else high = middle
  }
  return low * 2
}

export class AccountCell extends VersionedCell<AccountRecord | null, AccountRecord | null> {
  protected keep(record: AccountRecord | null): AccountRecord | null {
    return record
  }

  protected restore(record: AccountRecord | null): AccountRecord | null {
    return record
  }

  protected isBlank(record: AccountRecord | null): boolean {
    return record === null
  }
}

/** The values of one slot. Superseded values are kept as text, in a fifth of the memory. */
export class SlotCell extends VersionedCell<Uint8Array, string> {
  protected keep(value: Uint8Array): string {
    return bytesToText(value)
  }

  protected restore(text: string): Uint8Array {
    return text.length === 0 ? EMPTY_BYTES : textToBytes(text)
  }

  protected isBlank(value: Uint8Array): boolean {
    return value.length === 0
  }
}

/**
 * The storage of one account from one clear to the next. Clearing it puts an empty table in front
 * of the old one, which readers of older versions still use.
 */
export class SlotTable {
  /** The version that cleared the storage; 0 for the first table. */
  readonly since: Version
  readonly cells = new Map<SlotKey, SlotCell>()
  /** The table from before the clear, if a reader may still need it. */
  older: SlotTable | undefined

  constructor(since: Version, older: SlotTable | undefined) {
    this.since = since
    this.older = older
  }
}

/** True if the storage was cleared, so that nothing below the versions shows through. */
export function hidesBelow(table: SlotTable | undefined): boolean {
  return table !== undefined && table.since > 0
}
