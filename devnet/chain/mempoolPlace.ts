import type { AddressKey } from '../state/types.ts'
import { type ChainTransaction, effectiveTip } from './transaction.ts'

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
