import { RefusedError } from '../primitives/errors.ts'
import type { Hex } from '../primitives/hex.ts'
import { type ChainTransaction, effectiveTip } from '../protocol/transaction.ts'
import type { AddressKey, StateReader } from '../state/types.ts'
import { NonceTooLowError } from './admission.ts'

/** The very same transaction is in the mempool, or pre-confirmed, already. */
export class AlreadyKnownError extends RefusedError {
  override name = 'AlreadyKnownError'
  constructor() {
    super('already known')
  }
}

/**
 * Why a transaction that is here already is refused. Sealed, it has used its nonce up, as geth and EDR say, unless a cheat has
 * put that back: a chain cannot hold the same transaction twice nevertheless.
 *
 * @param at - where it is
 * @param state - of the pending block
 */
export function knownError(
  { senderKey, nonce }: ChainTransaction,
  at: 'sealed' | 'pending' | 'mempool',
  state: StateReader,
): RefusedError {
  const next = state.account(senderKey)?.nonce ?? 0n
  return at === 'sealed' && nonce < next
    ? new NonceTooLowError(next, nonce)
    : new AlreadyKnownError()
}

/** A transaction with this nonce waits already, and the new one does not pay enough more. */
export class ReplacementUnderpricedError extends RefusedError {
  override name = 'ReplacementUnderpricedError'
  constructor() {
    super('replacement transaction underpriced')
  }
}

/** The mempool holds as many transactions as its option allows. */
export class MempoolFullError extends RefusedError {
  override name = 'MempoolFullError'
  constructor(size: number) {
    super(
      `txpool is full: ${size} transactions wait; raise the option mempoolSize, or let a tick take some`,
    )
  }
}

/** Order in which a tick takes transactions of different senders. */
export type Order = 'fifo' | 'fees'

interface Sender {
  readonly places: Map<bigint, Place>
  /** The first nonce that is not runnable. */
  next: bigint
}

/** Accepted transactions that no tick has taken yet. */
export class Mempool {
  readonly #capacity: number
  readonly #order: Order
  /** Pending nonce of a sender. */
  readonly #nonce: (sender: AddressKey) => bigint
  readonly #senders = new Map<AddressKey, Sender>()
  readonly #byHash = new Map<Hex, Place>()
  /** In the order in which they became runnable. */
  #runnable: Place[] = []
  #sequence = 0
  #turn = 0

  constructor(parameters: {
    capacity: number
    order: Order
    nonce: (sender: AddressKey) => bigint
  }) {
    this.#capacity = parameters.capacity
    this.#order = parameters.order
    this.#nonce = parameters.nonce
  }

  get size(): number {
    return this.#byHash.size
  }

  get runnableCount(): number {
    return this.#runnable.length
  }

  get(hash: Hex): ChainTransaction | undefined {
    return this.#byHash.get(hash)?.transaction
  }

  /** The one that waits with this nonce. */
  at(sender: AddressKey, nonce: bigint): ChainTransaction | undefined {
    return this.#senders.get(sender)?.places.get(nonce)?.transaction
  }

  /** Whether the next tick can take it: no nonce gap before it. */
  isRunnable(hash: Hex): boolean {
    return this.#byHash.get(hash)?.runnable !== undefined
  }

  /** The nonce for the next transaction of `sender`: after the pre-confirmed and the runnable ones. */
  nextNonce(sender: AddressKey): bigint {
    return this.#senders.get(sender)?.next ?? this.#nonce(sender)
  }

  /** Whether the nonce of somebody who waits is not where it was when the turns were given. */
  hasStale(): boolean {
    for (const [key, { places, next }] of this.#senders) {
      const nonce = this.#nonce(key)
      if (nonce > next || (nonce < next && !places.has(nonce))) return true
    }
    return false
  }

  /** All, in order of arrival. */
  transactions(): ChainTransaction[] {
    return [...this.#byHash.values()]
      .sort((a, b) => a.sequence - b.sequence)
      .map(({ transaction }) => transaction)
  }

  /**
   * Takes a transaction in.
   *
   * @returns how many can run because of it: none behind a gap, several where it fills one
   * @throws {AlreadyKnownError} {@link ReplacementUnderpricedError} {@link MempoolFullError}
   */
  add(transaction: ChainTransaction): number {
    if (this.#byHash.has(transaction.hash)) throw new AlreadyKnownError()
    const sender = this.#sender(transaction.senderKey)
    const place = sender.places.get(transaction.nonce)
    if (place !== undefined) {
      if (place.locked) throw new NonceTooLowError(transaction.nonce + 1n, transaction.nonce)
      if (!outbids(transaction, place.transaction)) throw new ReplacementUnderpricedError()
      this.#byHash.delete(place.transaction.hash)
      place.transaction = transaction
      this.#byHash.set(transaction.hash, place)
      return place.runnable === undefined ? 0 : 1
    }
    if (this.#byHash.size >= this.#capacity) {
      this.#forgetIfEmpty(transaction.senderKey, sender)
      throw new MempoolFullError(this.#byHash.size)
    }
    return this.#insert(transaction, sender)
  }

  #insert(transaction: ChainTransaction, sender: Sender): number {
    const place: Place = {
      transaction,
      sequence: this.#sequence++,
      runnable: undefined,
      locked: false,
    }
    sender.places.set(transaction.nonce, place)
    this.#byHash.set(transaction.hash, place)
    return this.#promote(sender)
  }

  /** Makes runnable what no gap keeps back any more: a filled gap is followed at once by what waited behind it. */
  #promote(sender: Sender): number {
    for (let count = 0; ; count++) {
      const place = sender.places.get(sender.next)
      if (place === undefined || place.runnable !== undefined) return count
      place.runnable = this.#turn++
      this.#runnable.push(place)
      sender.next++
    }
  }

  /** The runnable ones in the order in which a tick tries them. A copy: the tick may remove while it walks. */
  runnable(baseFee: bigint): ChainTransaction[] {
    if (this.#order === 'fifo') return this.#runnable.map(({ transaction }) => transaction)
    return byWorth(this.#runnable, baseFee).map(({ transaction }) => transaction)
  }

  /** Keeps a transaction from being replaced while a tick executes it; false where it is not there any more. */
  lock(hash: Hex): boolean {
    const place = this.#byHash.get(hash)
    if (place === undefined) return false
    place.locked = true
    return true
  }

  unlock(hash: Hex): void {
    const place = this.#byHash.get(hash)
    if (place !== undefined) place.locked = false
  }

  /** Takes out what a tick has executed. */
  taken(hashes: ReadonlySet<Hex>): void {
    for (const hash of hashes) {
      const place = this.#byHash.get(hash)
      if (place === undefined) continue
      this.#byHash.delete(hash)
      const { senderKey, nonce } = place.transaction
      const sender = this.#senders.get(senderKey)
      if (sender === undefined) continue
      sender.places.delete(nonce)
      this.#forgetIfEmpty(senderKey, sender)
    }
    this.#runnable = this.#runnable.filter(({ transaction }) => !hashes.has(transaction.hash))
  }

  /** Takes one out for good; those of its sender behind it wait for another with its nonce. */
  remove(hash: Hex): ChainTransaction | undefined {
    const place = this.#byHash.get(hash)
    if (place === undefined) return undefined
    const { transaction } = place
    const { senderKey, nonce } = transaction
    this.#byHash.delete(hash)
    const sender = this.#sender(senderKey)
    sender.places.delete(nonce)
    if (place.runnable !== undefined) {
      for (const [later, other] of sender.places) if (later > nonce) other.runnable = undefined
      sender.next = nonce
      this.#runnable = this.#runnable.filter(
        (other) => other !== place && other.runnable !== undefined,
      )
    }
    this.#forgetIfEmpty(senderKey, sender)
    return transaction
  }

  /**
   * Looks anew at who can run, after the pending nonces changed by something else than a tick.
   *
   * @returns what can never run any more, with the reason
   */
  rebase(): { transaction: ChainTransaction; reason: string }[] {
    return this.#rebuild(inTurn([...this.#byHash.values()]))
  }

  /** Puts transactions back that were executed before, in front of all that wait. */
  putBack(transactions: readonly ChainTransaction[]): ReturnType<Mempool['rebase']> {
    const waiting = inTurn([...this.#byHash.values()])
    const back = transactions.map(
      (transaction): Place => ({
        transaction,
        sequence: this.#sequence++,
        runnable: undefined,
        locked: false,
      }),
    )
    return this.#rebuild([...back, ...waiting])
  }

  #rebuild(places: readonly Place[]): { transaction: ChainTransaction; reason: string }[] {
    this.#senders.clear()
    this.#byHash.clear()
    this.#runnable = []
    const dead: { transaction: ChainTransaction; reason: string }[] = []
    for (const place of places) {
      const { transaction } = place
      const next = this.#nonce(transaction.senderKey)
      const sender = this.#sender(transaction.senderKey)
      if (transaction.nonce < next || sender.places.has(transaction.nonce)) {
        const reason =
          transaction.nonce < next
            ? new NonceTooLowError(next, transaction.nonce).message
            : new ReplacementUnderpricedError().message
        dead.push({ transaction, reason })
        this.#forgetIfEmpty(transaction.senderKey, sender)
        continue
      }
      place.runnable = undefined
      place.locked = false
      sender.places.set(transaction.nonce, place)
      this.#byHash.set(transaction.hash, place)
      this.#promote(sender)
    }
    return dead
  }

  /** What {@link restore} needs; does not change with the mempool. */
  snapshot(): MempoolSnapshot {
    return inTurn([...this.#byHash.values()]).map((place) => ({ ...place }))
  }

  restore(snapshot: MempoolSnapshot): void {
    this.#rebuild(snapshot.map((place) => ({ ...place })))
  }

  #sender(key: AddressKey): Sender {
    let sender = this.#senders.get(key)
    if (sender === undefined) {
      sender = { places: new Map(), next: this.#nonce(key) }
      this.#senders.set(key, sender)
    }
    return sender
  }

  #forgetIfEmpty(key: AddressKey, sender: Sender): void {
    if (sender.places.size === 0) this.#senders.delete(key)
  }
}

/** Place in the mempool. A replacement takes the place of what it replaces. */
export interface Place {
  transaction: ChainTransaction
  /** Rises with each arrival; a replacement keeps that of its place. */
  readonly sequence: number
  /** In which order it became runnable; `undefined` behind a nonce gap. */
  runnable: number | undefined
  /** A tick is executing it: too late to replace it. */
  locked: boolean
}

/** The places of a mempool at one moment, in the order of their turns. */
export type MempoolSnapshot = readonly Readonly<Place>[]

/** Sorts by when they became runnable; those behind a gap come last, by arrival. */
export function inTurn(places: Place[]): Place[] {
  return places.sort((a, b) => {
    if (a.runnable !== undefined && b.runnable !== undefined) return a.runnable - b.runnable
    if (a.runnable !== undefined) return -1
    if (b.runnable !== undefined) return 1
    return a.sequence - b.sequence
  })
}

/** Sorts runnable places by what they pay; a sender's stay in the order of their nonces. */
export function byWorth(places: readonly Place[], baseFee: bigint): Place[] {
  // What comes after a cheap transaction of the same sender is worth no more than that.
  const worth = new Map<Place, bigint>()
  const lowest = new Map<AddressKey, bigint>()
  for (const place of places) {
    const tip = effectiveTip(place.transaction, baseFee)
    const before = lowest.get(place.transaction.senderKey)
    const least = before === undefined || tip < before ? tip : before
    lowest.set(place.transaction.senderKey, least)
    worth.set(place, least)
  }
  return [...places].sort((a, b) => {
    const difference = (worth.get(b) ?? 0n) - (worth.get(a) ?? 0n)
    if (difference !== 0n) return difference > 0n ? 1 : -1
    return (a.runnable ?? 0) - (b.runnable ?? 0)
  })
}

/** A replacement pays at least a tenth more, for gas, tip and blobs alike (geth); blobs at least double. */
export function outbids(replacement: ChainTransaction, old: ChainTransaction): boolean {
  const factor = old.blobGas > 0n ? 200n : 110n
  const enough = (offer: bigint, price: bigint) => offer * 100n >= price * factor
  return (
    enough(replacement.maxFeePerGas, old.maxFeePerGas) &&
    enough(replacement.maxPriorityFeePerGas, old.maxPriorityFeePerGas) &&
    enough(replacement.maxFeePerBlobGas, old.maxFeePerBlobGas)
  )
}
