import { DevnetError, ErrorCode } from '../../primitives/errors.ts'
import type { Paced } from '../../primitives/paced.ts'
import type { Codes } from '../codes.ts'
import { emptyDiff, piecesOf } from '../diffs.ts'
import type { RemoteLayer } from '../remote/remoteLayer.ts'
import type {
  AccountRecord,
  AddressKey,
  LazyReads,
  SlotKey,
  StateDiff,
  StateReader,
  Version,
} from '../types.ts'
import { BranchHistory } from './branchHistory.ts'
import { ForkedHistory } from './forkedHistory.ts'
import { StateHistory } from './stateHistory.ts'
import { type Changes, VersionLog } from './versionLog.ts'
import { LiveVersions, RetainedVersions } from './versions.ts'

/**
 * All states of the chain. Each commit makes a version. A view reads one version: it is cheap to
 * create, and commits do not change it. The first version is the empty state, or a fork block's.
 */
export class VersionedStore {
  readonly codes: Codes
  /** The layer under all versions; `undefined`: the empty state. */
  readonly remote: RemoteLayer | undefined
  /** Tells its versions from those of other stores with the same numbers. */
  readonly id = ++stores
  readonly #history: StateHistory
  readonly #live: LiveVersions
  readonly #log: VersionLog
  readonly #retained = new RetainedVersions()
  #oldest: Version = 0
  /** Target of {@link forgetBefore}; ahead of `#oldest` while views retain older versions. */
  #wantedOldest: Version = 0
  /** Number of its users: one is its chain, the others are branches that read through it. */
  #users = 1
  #onUnused: (() => void) | undefined

  /**
   * @param first - number of the first version, so that numbers of two stores need not overlap
   * @param remote - the state under the first version; default: the empty state
   * @param parent - of a {@link branch}, whose versions from `oldest` on it has. Default: none
   */
  constructor(
    codes: Codes,
    first: Version = 0,
    remote?: RemoteLayer,
    parent?: { readonly store: VersionedStore; readonly oldest: Version },
  ) {
    this.codes = codes
    this.remote = remote
    if (parent !== undefined) {
      const { store, oldest } = parent
      this.#history = new BranchHistory(store.#history, first)
      // The branch need not know which earlier versions were abandoned: nobody has their numbers.
      this.#live = new LiveVersions(first, oldest)
      this.#log = new VersionLog(store.#log, first)
      this.#oldest = oldest
      this.#wantedOldest = oldest
      return
    }
    // A class for each case: reads need no check whether there is a layer below.
    this.#history = remote === undefined ? new StateHistory() : new ForkedHistory(remote)
    this.#live = new LiveVersions(first)
    this.#log = new VersionLog()
  }

  /**
   * A store that begins with the versions of this one up to the head. What either commits or
   * abandons from now on, the other does not see.
   *
   * @param codes - where its codes are kept; it has those of this store
   * @param oldest - the first version that it can read
   * @returns `release`: to be called once, when the branch is no longer read
   * @throws {VersionGoneError} if `oldest` is not kept
   */
  branch(codes: Codes, oldest: Version): { store: VersionedStore; release: () => void } {
    const retained = [this.view(oldest), this.view()].map((view) => view.retain())
    const store = new VersionedStore(codes, this.head, this.remote, { store: this, oldest })
    this.#users++
    store.#onUnused = () => {
      for (const view of retained) view.release()
      this.#leave()
    }
    return { store, release: () => store.#leave() }
  }

  #leave(): void {
    if (--this.#users === 0) this.#onUnused?.()
  }

  /** The newest version that was not abandoned. */
  get head(): Version {
    return this.#live.head
  }

  /** The highest version number ever assigned. */
  get newest(): Version {
    return this.#live.newest
  }

  /**
   * Commits `diff` on top of the head as a new version.
   *
   * @param diff - the store keeps its records, so they must not change afterwards
   */
  commit(diff: StateDiff): Version {
    const { head } = this
    const version = this.#live.next()
    this.#log.add(this.#history.write(diff, version, head))
    return version
  }

  /**
   * As {@link commit}, in small pieces, each of which gets a version. Whoever reads the store
   * meanwhile sees part of the change.
   *
   * @returns the version with all of it
   */
  *commitPaced(diff: StateDiff): Paced<Version> {
    for (const piece of piecesOf(diff)) {
      this.commit(piece)
      yield
    }
    return this.head
  }

  /** Says which version is the state of the genesis block. */
  noteGenesis(version: Version): void {
    this.#history.genesis = version
  }

  /**
   * The state as of `version`.
   *
   * @param version - default: the head
   * @throws {VersionGoneError} if it was forgotten, or abandoned and is not retained
   */
  view(version: Version = this.head): StateView {
    if (version !== this.head) this.#check(version)
    return new StateView(this, this.#history, version)
  }

  /**
   * Goes back to version `after`, which becomes the head; the next commit gets a new number.
   * Retained views of later versions stay readable until the last of them is released.
   *
   * @throws {VersionGoneError} if `after` was abandoned or forgotten
   */
  abandon(after: Version): void {
    if (!this.#live.has(after)) throw new VersionGoneError(after)
    if (after === this.head) return
    this.#history.abandoned.add({ after, until: this.#live.newest })
    this.#live.cut(after)
    this.#wantedOldest = Math.min(this.#wantedOldest, after)
    this.#eraseUnread()
  }

  /**
   * Drops the values that only versions before `version` use, once no retained view needs them.
   *
   * @throws {VersionGoneError} if `version` was abandoned or forgotten
   */
  forgetBefore(version: Version): void {
    if (!this.#live.has(version)) throw new VersionGoneError(version)
    this.#wantedOldest = Math.max(this.#wantedOldest, version)
    this.#forgetUnread()
  }

  /** Keys of the accounts that a version has written. May be iterated while the store changes. */
  accountKeys(): Iterable<AddressKey> {
    return this.#history.accountKeys()
  }

  /**
   * Keys that the versions from `after` (exclusive) to `until` (inclusive) wrote: at least those
   * whose values differ between the two states. Both versions must be retained.
   */
  writtenBetween(after: Version, until: Version): readonly Changes[] {
    return this.#log.between(after, until)
  }

  /** The difference between the states of versions `after` and `until`. Both must be readable. */
  diffBetween(after: Version, until: Version): StateDiff {
    const diff = emptyDiff()
    const now = this.view(until)
    for (const { accounts, cleared, owners, slots } of this.writtenBetween(after, until)) {
      for (const key of accounts) diff.accounts.set(key, now.account(key))
      for (const key of cleared) {
        diff.storage.set(key, { cleared: true, slots: new Map(now.slots(key)) })
      }
      for (const [index, slot] of slots.entries()) {
        const owner = owners[index]
        if (owner === undefined) continue
        const change = diff.storage.get(owner) ?? { cleared: false, slots: new Map() }
        change.slots.set(slot, now.slot(owner, slot))
        diff.storage.set(owner, change)
      }
    }
    return diff
  }

  /**
   * The difference between the state under the first version and that of `version`; it must be
   * readable.
   */
  writtenAt(version: Version): Paced<StateDiff> {
    this.#check(version)
    return this.#history.written(version)
  }

  /** Keeps `version` readable until a matching {@link release}. @throws {VersionGoneError} */
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

  /** Counts account records and slot values in all versions by visiting each. */
  countValues(): number {
    return this.#history.countValues()
  }

  #check(version: Version): void {
    if (this.#live.has(version) || this.#retained.has(version)) return
    throw new VersionGoneError(version)
  }

  #eraseUnread(): void {
    const { abandoned } = this.#history
    for (const range of abandoned.all) {
      if (this.#retained.anyIn(range)) continue
      const { after, until } = range
      this.#history.erase(this.#log.take(after, until), after, until)
      abandoned.remove(range)
    }
  }

  #forgetUnread(): void {
    if (this.#wantedOldest === this.#oldest) return
    // Keep the values before an abandoned range: erasing the range makes them current again.
    const { start } = this.#history.abandoned
    const oldest = Math.min(this.#wantedOldest, this.#retained.oldest, start)
    if (oldest <= this.#oldest) return
    for (const changes of this.#log.takeUntil(oldest)) this.#history.forget(changes)
    this.#live.dropBefore(oldest)
    this.#oldest = oldest
  }
}

/**
 * Reads one version of the store. While it is retained, its results never change. If it is not, it
 * may be used until the store next abandons or forgets versions.
 */
export class StateView implements StateReader {
  readonly version: Version
  /** See {@link VersionedStore.id}. */
  readonly store: number
  readonly lazyReads: LazyReads | undefined
  readonly #store: VersionedStore
  readonly #history: StateHistory

  constructor(store: VersionedStore, history: StateHistory, version: Version) {
    this.version = version
    this.store = store.id
    this.#store = store
    this.#history = history
    this.lazyReads = history.lazyReads(version)
  }

  account(key: AddressKey): AccountRecord | null {
    return this.#history.account(key, this.version)
  }

  slot(key: AddressKey, slot: SlotKey): Uint8Array {
    return this.#history.slot(key, slot, this.version)
  }

  hasOldStorage(key: AddressKey): boolean {
    return this.#history.hasOldStorage(key, this.version)
  }

  slots(key: AddressKey): Generator<readonly [SlotKey, Uint8Array]> {
    return this.#history.slots(key, this.version)
  }

  code(codeHash: Uint8Array): Uint8Array {
    return this.#store.codes.get(codeHash)
  }

  /** Keeps the version readable until {@link release} was called as often. */
  retain(): this {
    this.#store.retain(this.version)
    return this
  }

  /** @throws {StateUsageError} when called more often than {@link retain} */
  release(): void {
    this.#store.release(this.version)
  }
}

/** Number of stores that were made. */
let stores = 0

/** Marks a missing state: a dump may hold only the state of its newest block. */
export const LOST_VERSION: Version = -1

/** The version was abandoned or forgotten, or never existed: code -32001. */
export class VersionGoneError extends DevnetError {
  override name = 'VersionGoneError'
  constructor(version: Version) {
    super(
      ErrorCode.resourceNotFound,
      version === LOST_VERSION
        ? 'the state of this block is not known: the dump that the node started from holds only the state of its newest block'
        : `the state of version ${version} is not kept any more`,
    )
  }
}
