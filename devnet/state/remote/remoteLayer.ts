import { EMPTY_BYTES } from '../../primitives/bytes.ts'
import type { Paced } from '../../primitives/paced.ts'
import { type Codes, EMPTY_CODE_HASH, isDelegation } from '../codes.ts'
import type { AccountRecord, AddressKey, SlotKey, StateDiff, StateReader } from '../types.ts'
import type { PrefetchChanges } from './prefetchChanges.ts'
import {
  type Prefetch,
  type PrefetchedCall,
  pairsOf,
  type RemoteAccount,
  type RemoteKeys,
  type RemoteSlot,
  type RemoteSource,
  type RemoteValues,
  UpstreamError,
} from './remoteSource.ts'

/** Dev accounts, which get funds on top of what they are upstream. */
export interface RemoteFunding {
  readonly accounts: ReadonlySet<AddressKey>
  /** In wei; replaces the balance. */
  readonly balance: bigint
}

/** Maximum ms for which misses are gathered; a round trip takes several times as long. */
const GATHERING = 5

interface NextKeys {
  readonly accounts: AddressKey[]
  readonly slots: RemoteSlot[]
}

/**
 * The state of the fork block, as far as it is known. It lies under all versions of the store and
 * in none of them: a value that becomes known changes no view, because all views always had it.
 */
export class RemoteLayer {
  #source: RemoteSource
  readonly #codes: Codes
  readonly #funding: RemoteFunding
  readonly #accounts: Map<AddressKey, AccountRecord | null>
  readonly #slots: Map<AddressKey, Map<SlotKey, Uint8Array>>
  readonly #hashes: Map<bigint, Uint8Array>
  readonly #loadingHashes = new Map<bigint, Promise<Uint8Array>>()
  /** Keys that are going to be asked for; see {@link #sendSoon}. */
  #next: NextKeys | undefined
  /** Calls that have missed something since the last request. */
  readonly #prefetches: Prefetch[] = []
  /** Values that were asked for and have not come yet, by account or by account and slot. */
  readonly #waits = new Map<string, PromiseWithResolvers<void>>()
  readonly #closing = Promise.withResolvers<never>()
  #closed: UpstreamError | undefined
  #hits = 0
  #misses = 0

  /**
   * @param codes - the store's, which adopts the codes of the accounts
   * @param same - a layer of the same block with the same codes and funding, with which this one
   * shares what either knows
   */
  constructor(
    source: RemoteSource,
    codes: Codes,
    funding: RemoteFunding = NO_FUNDING,
    same?: RemoteLayer,
  ) {
    this.#source = source
    this.#codes = codes
    this.#funding = funding
    this.#accounts = same === undefined ? new Map() : same.#accounts
    this.#slots = same === undefined ? new Map() : same.#slots
    this.#hashes = same === undefined ? new Map() : same.#hashes
  }

  /**
   * Asks another source of the same block from now on; what is known stays. Whatever the one before
   * still owes and then fails to give is asked of this one.
   */
  readFrom(source: RemoteSource): void {
    this.#source = source
  }

  /** Reads that were answered from what was known. */
  get hits(): number {
    return this.#hits
  }

  /** Values that had to be asked for. */
  get misses(): number {
    return this.#misses
  }

  /** Values that were asked for and have not come yet. */
  get waiting(): number {
    return this.#waits.size
  }

  /** `undefined` if it is not known yet. */
  account(key: AddressKey): AccountRecord | null | undefined {
    const record = this.#accounts.get(key)
    if (record !== undefined) this.#hits++
    return record
  }

  /** Without leading zeros, an empty array for zero; `undefined` if it is not known yet. */
  slot(key: AddressKey, slot: SlotKey): Uint8Array | undefined {
    const value = this.#slots.get(key)?.get(slot)
    if (value !== undefined) this.#hits++
    return value
  }

  /** The slots that are known not to be zero. */
  *slots(key: AddressKey): Generator<readonly [SlotKey, Uint8Array]> {
    for (const entry of this.#slots.get(key) ?? []) if (entry[1].length > 0) yield entry
  }

  /**
   * Resolves when these values are known. What is missing in one turn of the event loop, or in
   * turns right behind one another, is asked for together, and nothing twice.
   *
   * @throws {UpstreamError} if one cannot be had
   */
  async load({ accounts, slots }: RemoteKeys): Promise<void> {
    const waits: Promise<void>[] = []
    for (const key of accounts) {
      if (this.#accounts.has(key)) continue
      waits.push(this.#waitFor(key, ({ accounts }) => accounts.push(key)))
    }
    for (const entry of slots) {
      const [key, slot] = entry
      if (this.#slots.get(key)?.has(slot) === true) continue
      waits.push(this.#waitFor(key + slot, ({ slots }) => slots.push(entry)))
    }
    await Promise.all(waits)
  }

  /** The hash of a block before the fork block; a promise if it is not known yet. */
  blockHash(number: bigint): Uint8Array | Promise<Uint8Array> {
    const known = this.#hashes.get(number)
    if (known !== undefined) return known
    const loading = this.#loadingHashes.get(number)
    if (loading !== undefined) return loading
    const asked = this.#askHash(number).finally(() => this.#loadingHashes.delete(number))
    this.#loadingHashes.set(number, asked)
    return asked
  }

  async #askHash(number: bigint): Promise<Uint8Array> {
    if (this.#closed !== undefined) throw this.#closed
    const source = this.#source
    try {
      const hash = await Promise.race([source.blockHash(number), this.#closing.promise])
      this.#hashes.set(number, hash)
      return hash
    } catch (error) {
      if (source === this.#source) throw error
      return await this.#askHash(number)
    }
  }

  /** Adds values that came unasked; values that are already known stay. */
  learn(keys: RemoteKeys, values: RemoteValues): void {
    for (const [key, account] of pairsOf(keys.accounts, values.accounts)) {
      if (!this.#accounts.has(key)) this.#accounts.set(key, this.#recordOf(key, account))
    }
    for (const [[key, slot], value] of pairsOf(keys.slots, values.slots)) {
      this.#setSlot(key, slot, value)
    }
  }

  /**
   * To be called whenever a call lacks a value: the source may then prefetch all of its reads.
   *
   * @param changes - what differs from the fork block, given how to find codes
   */
  prefetch(
    call: PrefetchedCall,
    changes: (code: PrefetchChanges['code']) => PrefetchChanges,
  ): void {
    if (this.#prefetches.at(-1)?.call === call) return
    this.#prefetches.push({
      call,
      changes: () => changes((hash) => this.#codes.get(hash)),
      found: (keys) => {
        // A failed prefetch is not reported: the read that needs the value asks again.
        if (this.#closed === undefined) this.load(keys).catch(() => undefined)
      },
    })
  }

  /** All that is known, for a state file; an account's code is in `Codes`. */
  *known(): Paced<StateDiff> {
    const diff: StateDiff = { accounts: new Map(), storage: new Map() }
    for (const [key, record] of this.#accounts) {
      diff.accounts.set(key, record)
      yield
    }
    for (const [key, known] of this.#slots) {
      const slots = new Map<SlotKey, Uint8Array>()
      diff.storage.set(key, { cleared: false, slots })
      for (const [slot, value] of known) {
        slots.set(slot, value)
        yield
      }
    }
    return diff
  }

  /**
   * Takes what another layer of the same block {@link known | knew}, except for accounts that are
   * known here; codes are in `Codes`.
   */
  restore({ accounts, storage }: StateDiff): void {
    for (const [key, record] of accounts) {
      if (!this.#accounts.has(key)) this.#accounts.set(key, record)
    }
    for (const [key, { slots }] of storage) {
      for (const [slot, value] of slots) this.#setSlot(key, slot, value)
    }
  }

  /** Ends all waits with an error, now and later; what is known stays. */
  close(): void {
    if (this.#closed !== undefined) return
    this.#closed = new UpstreamError('The node was stopped')
    // Nobody may be waiting for a hash.
    this.#closing.promise.catch(() => undefined)
    this.#closing.reject(this.#closed)
    for (const wait of this.#waits.values()) wait.reject(this.#closed)
    this.#waits.clear()
  }

  #waitFor(key: string, ask: (next: NextKeys) => void): Promise<void> {
    if (this.#closed !== undefined) return Promise.reject(this.#closed)
    const waiting = this.#waits.get(key)
    if (waiting !== undefined) return waiting.promise
    if (this.#next === undefined) {
      this.#next = { accounts: [], slots: [] }
      this.#sendSoon(performance.now() + GATHERING, 0)
    }
    ask(this.#next)
    this.#misses++
    const wait = Promise.withResolvers<void>()
    this.#waits.set(key, wait)
    return wait.promise
  }

  /**
   * Sends at the end of a turn of the event loop that has brought no more misses: of many calls, a
   * few begin in each turn.
   *
   * @param latest - value of `performance.now()` after which it is not put off again
   * @param seen - the number of misses a turn ago
   */
  #sendSoon(latest: number, seen: number): void {
    setImmediate(() => {
      const keys = this.#next ?? { accounts: [], slots: [] }
      const count = keys.accounts.length + keys.slots.length
      if (count > seen && performance.now() < latest) return this.#sendSoon(latest, count)
      this.#next = undefined
      if (this.#closed === undefined) void this.#ask(keys, this.#prefetches.splice(0))
    })
  }

  async #ask(keys: RemoteKeys, prefetches: readonly Prefetch[]): Promise<void> {
    const source = this.#source
    let values: RemoteValues | undefined
    let failure: unknown
    try {
      values = await source.load(keys, prefetches)
      this.learn(keys, values)
    } catch (error) {
      failure = error
    }
    const again: NextKeys = { accounts: [], slots: [] }
    const isReplaced = source !== this.#source && this.#closed === undefined
    const isOwed = (outcome: unknown) => isReplaced && outcome instanceof Error
    for (const [index, key] of keys.accounts.entries()) {
      const outcome = failure ?? values?.accounts[index]
      if (isOwed(outcome)) again.accounts.push(key)
      else this.#settle(key, outcome)
    }
    for (const [index, slot] of keys.slots.entries()) {
      const outcome = failure ?? values?.slots[index]
      if (isOwed(outcome)) again.slots.push(slot)
      else this.#settle(slot[0] + slot[1], outcome)
    }
    if (again.accounts.length + again.slots.length > 0) await this.#ask(again, prefetches)
  }

  #settle(key: string, outcome: unknown): void {
    const wait = this.#waits.get(key)
    this.#waits.delete(key)
    if (outcome === undefined) wait?.reject(new Error('The source left out a value'))
    else if (outcome instanceof Error) wait?.reject(outcome)
    else wait?.resolve()
  }

  #recordOf(key: AddressKey, account: RemoteAccount | null): AccountRecord | null {
    const isFunded = this.#funding.accounts.has(key)
    if (account === null && !isFunded) return null
    const { nonce, balance, code } = account ?? { nonce: 0n, balance: 0n, code: EMPTY_BYTES }
    if (!isFunded) return { nonce, balance, codeHash: this.#codes.add(code) }
    // On live chains, thieves have delegated the accounts of well-known mnemonics to themselves.
    const codeHash = isDelegation(code) ? EMPTY_CODE_HASH : this.#codes.add(code)
    return { nonce, balance: this.#funding.balance, codeHash }
  }

  #setSlot(key: AddressKey, slot: SlotKey, value: Uint8Array): void {
    const slots = this.#slots.get(key) ?? new Map<SlotKey, Uint8Array>()
    if (slots.has(slot)) return
    this.#slots.set(key, slots.set(slot, value.length === 0 ? EMPTY_BYTES : value))
  }
}

/**
 * A value was read that is not known yet, outside of an execution that could await it. The caller
 * calls {@link load}, then tries again.
 */
export class MissError extends Error {
  override name = 'MissError'
  /** @throws {UpstreamError} */
  readonly load: () => Promise<void>

  constructor(load: () => Promise<void>) {
    super('A value of the fork block is not known yet')
    this.load = load
  }
}

/** To be called before several reads: what they miss is loaded together. @throws {MissError} */
export function requireKnown({ lazyReads }: StateReader, keys: RemoteKeys): void {
  const ready = lazyReads?.all(keys)
  if (ready !== undefined) throw new MissError(() => ready)
}

const NO_FUNDING: RemoteFunding = { accounts: new Set(), balance: 0n }
