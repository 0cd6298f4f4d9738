import { RejectedError } from '../primitives/errors.ts'
import type { HeldBytes } from '../primitives/heldBytes.ts'
import type { Hex } from '../primitives/hex.ts'
import { type ChainTransaction, effectiveTip } from '../protocol/transaction.ts'
import type { AddressKey } from '../state/types.ts'
import { AlreadyKnownError, checkReplacement, NonceTooLowError, replacement } from './admission.ts'
import type { Dropped } from './chainWork.ts'

/** Order in which a tick tries the senders' transactions: as they became runnable, or by tip. */
export type Order = 'fifo' | 'fees'

/** A waiting transaction. A replacement takes over the entry of the one that it replaces. */
interface PoolEntry {
  transaction: ChainTransaction
  /** Position in the order of arrival. */
  readonly sequence: number
  /** Position in the order of becoming runnable; `undefined` behind a nonce gap. */
  runnable: number | undefined
  /** True if a tick is executing it, so that it can no longer be replaced. */
  locked: boolean
}

/** The entries at one moment, in the order of {@link inOrder}. */
export type MempoolSnapshot = readonly Readonly<PoolEntry>[]

/** A transaction that can never run any more. */
interface Dead extends Pick<Dropped, 'reason' | 'replacedBy'> {
  readonly transaction: ChainTransaction
}

interface Sender {
  /** By nonce. */
  readonly entries: Map<bigint, PoolEntry>
  /** The lowest nonce without a runnable transaction. */
  next: bigint
}

/** Accepted transactions that no tick has executed yet. */
export class Mempool {
  readonly #capacity: number
  /** Counts the transactions, and the snapshots of them. */
  readonly held: HeldBytes
  readonly #order: Order
  readonly #easyReplacement: boolean
  /** Returns the nonce of a sender in the pending state. */
  readonly #nonce: (sender: AddressKey) => bigint
  readonly #senders = new Map<AddressKey, Sender>()
  readonly #byHash = new Map<Hex, PoolEntry>()
  /** In the order in which they became runnable. Until the next sweep, some no longer are. */
  #ready: PoolEntry[] = []
  #isSwept = true
  #sequence = 0
  #nextRunnable = 0
  #revision = 0

  constructor(parameters: {
    capacity: number
    order: Order
    /** True if any higher max fee replaces a waiting transaction, as on anvil. */
    easyReplacement: boolean
    nonce: (sender: AddressKey) => bigint
    held: HeldBytes
  }) {
    this.held = parameters.held
    this.#capacity = parameters.capacity
    this.#order = parameters.order
    this.#easyReplacement = parameters.easyReplacement
    this.#nonce = parameters.nonce
  }

  get size(): number {
    return this.#byHash.size
  }

  /** Bytes that the transactions take. */
  get bytes(): number {
    return [...this.#byHash.values()].reduce((sum, one) => sum + bytesOf(one.transaction), 0)
  }

  get runnableCount(): number {
    return this.#runnable.length
  }

  /** Rises with every change of the transactions that can run, and each {@link touch}. */
  get revision(): number {
    return this.#revision
  }

  /** Makes a tick try again what the last one could not run, as more of the state is known. */
  touch(): void {
    this.#revision++
  }

  get(hash: Hex): ChainTransaction | undefined {
    return this.#byHash.get(hash)?.transaction
  }

  /** The waiting transaction with this nonce. */
  at(sender: AddressKey, nonce: bigint): ChainTransaction | undefined {
    return this.#senders.get(sender)?.entries.get(nonce)?.transaction
  }

  /** True if the transaction is not behind a nonce gap, so that the next tick will try it. */
  isRunnable(hash: Hex): boolean {
    return this.#byHash.get(hash)?.runnable !== undefined
  }

  /** The nonce after the pre-confirmed and runnable transactions of `sender`. */
  nextNonce(sender: AddressKey): bigint {
    return this.#senders.get(sender)?.next ?? this.#nonce(sender)
  }

  /** True if a sender's nonce has changed by something other than the sender's transactions. */
  hasStale(): boolean {
    for (const [key, { entries, next }] of this.#senders) {
      const nonce = this.#nonce(key)
      if (nonce > next || (nonce < next && !entries.has(nonce))) return true
    }
    return false
  }

  /**
   * All transactions: first those that can run, in the order in which they became so; then those
   * behind a nonce gap, in order of arrival.
   */
  transactions(): ChainTransaction[] {
    return inOrder([...this.#byHash.values()]).map(({ transaction }) => transaction)
  }

  /**
   * Adds a transaction.
   *
   * @returns how many transactions became runnable: none behind a gap, several if it fills one
   * @throws {RefusedError}
   * @throws {LimitError} if the node holds too much for its clients
   */
  add(transaction: ChainTransaction): number {
    if (this.#byHash.has(transaction.hash)) throw new AlreadyKnownError(transaction)
    const old = this.#senderOf(transaction)?.entries.get(transaction.nonce)
    if (old?.locked) throw new NonceTooLowError(transaction.nonce + 1n, transaction)
    if (old !== undefined) checkReplacement(transaction, old.transaction, this.#easyReplacement)
    else if (transaction.deposit === undefined && this.size >= this.#capacity) {
      throw new RejectedError(
        `txpool is full: ${this.size} transactions wait; raise the option mempoolSize, or let a tick take some`,
      )
    }
    const bytes = bytesOf(transaction) - (old === undefined ? 0 : bytesOf(old.transaction))
    this.held.require(bytes, 'let a tick take some of the waiting transactions')
    if (old === undefined) return this.#insert(this.#entry(transaction))
    this.#byHash.delete(old.transaction.hash)
    old.transaction = transaction
    this.#byHash.set(transaction.hash, old)
    this.#revision++
    return old.runnable === undefined ? 0 : 1
  }

  /** `undefined` if nothing of the sender waits, and for a deposit, whose nonce is not its own. */
  #senderOf({ deposit, senderKey }: ChainTransaction): Sender | undefined {
    return deposit === undefined ? this.#senders.get(senderKey) : undefined
  }

  #makeRunnable(entry: PoolEntry): number {
    // Pushed before the new number is set: the list may still hold the entry at its old place.
    this.#runnable.push(entry)
    entry.runnable = this.#nextRunnable++
    this.#revision++
    return 1
  }

  #entry(transaction: ChainTransaction): PoolEntry {
    return { transaction, sequence: this.#sequence++, runnable: undefined, locked: false }
  }

  /** Returns how many transactions became runnable: at once a deposit, which bars no other. */
  #insert(entry: PoolEntry): number {
    const { deposit, hash, senderKey, nonce } = entry.transaction
    this.#byHash.set(hash, entry)
    if (deposit !== undefined) return this.#makeRunnable(entry)
    let sender = this.#senders.get(senderKey)
    if (sender === undefined) {
      sender = { entries: new Map(), next: this.#nonce(senderKey) }
      this.#senders.set(senderKey, sender)
    }
    sender.entries.set(nonce, entry)
    return this.#promote(sender)
  }

  #delete(hash: Hex): PoolEntry | undefined {
    const entry = this.#byHash.get(hash)
    if (entry === undefined) return undefined
    const { senderKey, nonce } = entry.transaction
    this.#byHash.delete(hash)
    this.held.add(-bytesOf(entry.transaction))
    const entries = this.#senderOf(entry.transaction)?.entries
    entries?.delete(nonce)
    if (entries?.size === 0) this.#senders.delete(senderKey)
    return entry
  }

  /** Makes the sender's next nonces runnable up to the first gap; returns how many. */
  #promote(sender: Sender): number {
    for (let count = 0; ; count++) {
      const entry = sender.entries.get(sender.next)
      if (entry === undefined || entry.runnable !== undefined) return count
      this.#makeRunnable(entry)
      sender.next++
    }
  }

  /** Swept when it is read: many transactions may be removed in a row. */
  get #runnable(): PoolEntry[] {
    if (!this.#isSwept) this.#ready = this.#ready.filter(({ runnable }) => runnable !== undefined)
    this.#isSwept = true
    return this.#ready
  }

  /** The runnable transactions, in the order in which a tick tries them. A copy. */
  runnable(baseFee: bigint): ChainTransaction[] {
    if (this.#order === 'fifo') return this.#runnable.map(({ transaction }) => transaction)
    return byTip(this.#runnable, baseFee).map(({ transaction }) => transaction)
  }

  /** Prevents replacing a transaction while a tick executes it; returns false if it is gone. */
  lock(hash: Hex): boolean {
    const entry = this.#byHash.get(hash)
    if (entry === undefined) return false
    entry.locked = true
    return true
  }

  unlock(hash: Hex): void {
    const entry = this.#byHash.get(hash)
    if (entry !== undefined) entry.locked = false
  }

  /** Removes the transactions that a tick has executed. */
  taken(hashes: ReadonlySet<Hex>): void {
    if (hashes.size > 0) this.#revision++
    for (const hash of hashes) this.#delete(hash)
    this.#ready = this.#runnable.filter(({ transaction }) => !hashes.has(transaction.hash))
  }

  /** Removes a transaction for good. The sender's later ones wait until another uses its nonce. */
  remove(hash: Hex): ChainTransaction | undefined {
    const entry = this.#delete(hash)
    if (entry === undefined) return undefined
    if (entry.runnable === undefined) return entry.transaction
    this.#revision++
    const { nonce } = entry.transaction
    const sender = this.#senderOf(entry.transaction)
    if (sender !== undefined) {
      for (const [later, other] of sender.entries) if (later > nonce) other.runnable = undefined
      sender.next = nonce
    }
    entry.runnable = undefined
    this.#isSwept = false
    return entry.transaction
  }

  /**
   * Recomputes what is runnable, after a nonce changed by other means than its sender's
   * transactions.
   *
   * @param transactions - transactions that left the pending block; they come before all others
   * @returns the transactions that can never run any more
   */
  putBack(transactions: readonly ChainTransaction[]): Dead[] {
    const waiting = inOrder([...this.#byHash.values()])
    return this.#rebuild([...transactions.map((one) => this.#entry(one)), ...waiting])
  }

  #rebuild(entries: readonly PoolEntry[]): Dead[] {
    const { bytes } = this
    this.#senders.clear()
    this.#byHash.clear()
    this.#ready = []
    this.#revision++
    const dead: Dead[] = []
    for (const entry of entries) {
      const { transaction } = entry
      const other = this.#senderOf(transaction)?.entries.get(transaction.nonce)?.transaction
      const next = transaction.deposit === undefined ? this.#nonce(transaction.senderKey) : 0n
      if (transaction.nonce < next || other !== undefined) {
        const { message: reason } = new NonceTooLowError(next, transaction)
        dead.push({ transaction, ...(other === undefined ? { reason } : replacement(other)) })
        continue
      }
      entry.runnable = undefined
      entry.locked = false
      this.#insert(entry)
    }
    // None is refused: all of them were accepted before.
    this.held.add(this.bytes - bytes)
    return dead
  }

  /** A copy that does not change with the mempool. */
  snapshot(): MempoolSnapshot {
    return inOrder([...this.#byHash.values()]).map((entry) => ({ ...entry }))
  }

  /** @param snapshot - of this mempool, or of that of the chain that this one branches off */
  restore(snapshot: MempoolSnapshot): void {
    for (const { sequence } of snapshot) this.#sequence = Math.max(this.#sequence, sequence + 1)
    this.#rebuild(snapshot.map((entry) => ({ ...entry })))
  }
}

/**
 * Bytes that a waiting transaction takes, rather too many than too few: an item of a list is an
 * array of its own, some eight times as long as when it is encoded.
 */
function bytesOf({ raw, data }: ChainTransaction): number {
  return 512 + raw.length + data.length + 8 * (raw.length - data.length)
}

/** Sorts by the order of becoming runnable; entries behind a gap come last, by arrival. */
function inOrder(entries: PoolEntry[]): PoolEntry[] {
  return entries.sort((a, b) => {
    if (a.runnable !== undefined && b.runnable !== undefined) return a.runnable - b.runnable
    if (a.runnable !== undefined) return -1
    if (b.runnable !== undefined) return 1
    return a.sequence - b.sequence
  })
}

const ABOVE_ALL_TIPS = 2n ** 256n

/**
 * Sorts runnable entries by tip (`--order fees`), but those of one sender by nonce. Deposits come
 * first, as in the blocks of the OP Stack.
 */
function byTip(entries: readonly PoolEntry[], baseFee: bigint): PoolEntry[] {
  // Each is sorted by the lowest tip among itself and its sender's earlier ones, which go first.
  const value = new Map<PoolEntry, bigint>()
  const lowest = new Map<AddressKey, bigint>()
  for (const entry of entries) {
    if (entry.transaction.deposit !== undefined) {
      value.set(entry, ABOVE_ALL_TIPS)
      continue
    }
    const tip = effectiveTip(entry.transaction, baseFee)
    const before = lowest.get(entry.transaction.senderKey)
    const least = before === undefined || tip < before ? tip : before
    lowest.set(entry.transaction.senderKey, least)
    value.set(entry, least)
  }
  return [...entries].sort((a, b) => {
    const difference = (value.get(b) ?? 0n) - (value.get(a) ?? 0n)
    if (difference !== 0n) return difference > 0n ? 1 : -1
    return (a.runnable ?? 0) - (b.runnable ?? 0)
  })
}
