import { DevnetError, ErrorCode } from '../../primitives/errors.ts'
import type { Codes } from '../codes.ts'
import type {
  AccountRecord,
  AddressKey,
  SlotKey,
  StateDiff,
  StateReader,
  Version,
} from '../types.ts'
import { StateHistory } from './stateHistory.ts'
import { type Changes, VersionLog } from './versionLog.ts'
import { LiveVersions, RetainedVersions } from './versions.ts'

/**
 * One version of the store. Its answers never change while it is retained; without that it may be used until the next
 * change of the store that abandons or forgets versions.
 */
export class StateView implements StateReader {
  readonly version: Version
  readonly #store: VersionedStore
  readonly #history: StateHistory

  constructor(store: VersionedStore, history: StateHistory, version: Version) {
    this.version = version
    this.#store = store
    this.#history = history
  }

  account(key: AddressKey): AccountRecord | null {
    return this.#history.account(key, this.version)
  }

  slot(key: AddressKey, slot: SlotKey): Uint8Array {
    return this.#history.slot(key, slot, this.version)
  }

  hasStorage(key: AddressKey): boolean {
    return this.slots(key).next().done !== true
  }

  slots(key: AddressKey): Generator<readonly [SlotKey, Uint8Array]> {
    return this.#history.slots(key, this.version)
  }

  code(codeHash: Uint8Array): Uint8Array {
    return this.#store.codes.get(codeHash)
  }

  /** Keeps the version readable until as many calls of {@link release}. */
  retain(): this {
    this.#store.retain(this.version)
    return this
  }

  /** @throws {StateUsageError} when called more often than {@link retain} */
  release(): void {
    this.#store.release(this.version)
  }
}

/** The version of a state that nobody has: of an old block in a dump that holds the newest state only. */
export const LOST_VERSION: Version = -1

/** The version was abandoned or forgotten, or never was: code -32001. */
export class VersionGoneError extends DevnetError {
  override name = 'VersionGoneError'
  constructor(version: Version) {
    super(
      ErrorCode.resourceNotFound,
      version === LOST_VERSION
        ? 'the state of this block is not known: the dump that the node started from holds that of its newest block only'
        : `the state of version ${version} is not kept any more`,
    )
  }
}

/**
 * All states of the chain. Each commit makes a version, and a view is one version: nothing is copied, and a view stays
 * as it is while commits go on. Its first version is the empty state.
 */
export class VersionedStore {
  readonly codes: Codes
  readonly #history = new StateHistory()
  readonly #live: LiveVersions
  readonly #log = new VersionLog()
  readonly #retained = new RetainedVersions()
  /** The oldest version that can be read. */
  #oldest: Version = 0
  /** What {@link forgetBefore} asked for; ahead of `#oldest` while readers hold older versions. */
  #wantedOldest: Version = 0

  /** @param first - number of its first version: that of a store whose versions must not be taken for this one's */
  constructor(codes: Codes, first: Version = 0) {
    this.codes = codes
    this.#live = new LiveVersions(first)
  }

  /** The newest version that is not abandoned. */
  get head(): Version {
    return this.#live.head
  }

  /** The highest number that a version of it ever had. */
  get newest(): Version {
    return this.#live.newest
  }

  /**
   * Makes a version out of `diff` over the head.
   *
   * @param diff - belongs to the store from now on: its records must not change any more
   */
  commit(diff: StateDiff): Version {
    const { head } = this
    const version = this.#live.next()
    this.#log.add(this.#history.write(diff, version, head))
    return version
  }

  /**
   * The state as of `version`.
   *
   * @param version - default: the head
   * @throws {VersionGoneError} where it is forgotten, or abandoned and not retained
   */
  view(version: Version = this.head): StateView {
    if (version !== this.head) this.#check(version)
    return new StateView(this, this.#history, version)
  }

  /**
   * Goes back to version `after`: it is the head again, and the next commit gets a new number. Views of later versions
   * that are retained read on as before; the rest of those versions is freed with the last of them.
   *
   * @throws {VersionGoneError} where `after` itself is gone
   */
  abandon(after: Version): void {
    if (!this.#live.has(after)) throw new VersionGoneError(after)
    if (after === this.head) return
    this.#history.dead.add({ after, until: this.#live.newest })
    this.#live.cut(after)
    this.#wantedOldest = Math.min(this.#wantedOldest, after)
    this.#eraseUnread()
  }

  /**
   * Drops what only versions before `version` need; as far as retained views allow now, the rest when they are released.
   *
   * @throws {VersionGoneError} where `version` is gone
   */
  forgetBefore(version: Version): void {
    if (!this.#live.has(version)) throw new VersionGoneError(version)
    this.#wantedOldest = Math.max(this.#wantedOldest, version)
    this.#forgetUnread()
  }

  /** The accounts of all kept versions; walking over them goes on while the store changes. */
  accountKeys(): Iterable<AddressKey> {
    return this.#history.accountKeys()
  }

  /**
   * What the versions from `after` (exclusive) to `until` (inclusive) wrote: all in which the two states differ, and
   * perhaps more. To be asked while both are retained.
   */
  writtenBetween(after: Version, until: Version): readonly Changes[] {
    return this.#log.between(after, until)
  }

  /** Keeps `version` readable until as many calls of {@link release}. @throws {VersionGoneError} */
  retain(version: Version): void {
    if (version !== this.head) this.#check(version)
    this.#retained.retain(version)
  }

  /** @throws {StateUsageError} when called more often than {@link retain} */
  release(version: Version): void {
    if (!this.#retained.release(version)) return
    this.#eraseUnread()
    this.#forgetUnread()
  }

  /** Number of account records and slot values held, of all versions: what memory grows with. Walks over all of them. */
  countValues(): number {
    return this.#history.countValues()
  }

  #check(version: Version): void {
    if (this.#live.has(version) || this.#retained.has(version)) return
    throw new VersionGoneError(version)
  }

  #eraseUnread(): void {
    const { dead } = this.#history
    if (dead.none) return
    for (const interval of dead.all) {
      const { after, until } = interval
      if (this.#retained.anyIn(after, until)) continue
      this.#history.erase(this.#log.take(after, until), after, until)
      dead.remove(interval)
    }
  }

  #forgetUnread(): void {
    if (this.#wantedOldest === this.#oldest) return
    // What a dead interval supersedes comes back when its entries go.
    const oldest = Math.min(this.#wantedOldest, this.#retained.oldest, this.#history.dead.start)
    if (oldest <= this.#oldest) return
    for (const changes of this.#log.takeUntil(oldest)) this.#history.forget(changes)
    this.#live.dropBefore(oldest)
    this.#oldest = oldest
  }
}
