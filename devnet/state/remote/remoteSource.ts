import { DevnetError, ErrorCode } from '../../primitives/errors.ts'
import type { AddressKey, SlotKey } from '../types.ts'
import type { PrefetchChanges } from './prefetchChanges.ts'

/** Values of the fork block's state that are asked for. */
export interface RemoteKeys {
  readonly accounts: readonly AddressKey[]
  readonly slots: readonly RemoteSlot[]
}

export type RemoteSlot = readonly [account: AddressKey, slot: SlotKey]

/** An account of the fork block with its code. */
export interface RemoteAccount {
  readonly nonce: bigint
  /** In wei. */
  readonly balance: bigint
  /** Empty if there is none. Must not change afterwards. */
  readonly code: Uint8Array
}

/**
 * The values, in the order of their keys; an error stands for each that could not be had. Empty
 * accounts (EIP-161) are `null`. Slots have no leading zeros, an empty array means zero.
 */
export interface RemoteValues {
  readonly accounts: readonly (RemoteAccount | null | UpstreamError)[]
  readonly slots: readonly (Uint8Array | UpstreamError)[]
}

/** A call that is about to run, so that its reads can be predicted. */
export interface PrefetchedCall {
  /** 20 bytes. */
  readonly from: Uint8Array
  /** 20 bytes; `undefined` for a creation. */
  readonly to: Uint8Array | undefined
  readonly data: Uint8Array
  /** wei. */
  readonly value: bigint
}

/** A call that lacked a value, whose other reads a source may predict. */
export interface Prefetch {
  /** The same object each time that the call lacks a value. */
  readonly call: PrefetchedCall
  /** Differences from the fork block's state now. */
  changes(): PrefetchChanges
  /** Called with the predicted reads. They affect only the time of answers, not their content. */
  found(keys: RemoteKeys): void
}

/** Reads the state of the fork block, and the hashes of the blocks up to it. */
export interface RemoteSource {
  /** @param prefetches - calls that need them @throws {UpstreamError} if nothing could be had */
  load(keys: RemoteKeys, prefetches?: readonly Prefetch[]): Promise<RemoteValues>
  /** The hash of a block before the fork block. @throws {UpstreamError} */
  blockHash(number: bigint): Promise<Uint8Array>
}

/**
 * The upstream did not give a value. The message says which one, why, and what to do about it. Code
 * -32000, or -32001 if it will never give it.
 */
export class UpstreamError extends DevnetError {
  override name = 'UpstreamError'
  /** True if it may give it later, e.g. after a rate limit or a network fault. */
  readonly transient: boolean

  /** @param options.transient - default: false */
  constructor(message: string, options: { transient?: boolean; cause?: unknown } = {}) {
    const { transient = false, cause } = options
    super(transient ? ErrorCode.server : ErrorCode.resourceNotFound, message, { cause })
    this.transient = transient
  }
}

/** The keys whose values are known, each with its value. */
export function pairsOf<Key, Value>(
  keys: readonly Key[],
  values: readonly (Value | UpstreamError)[],
): [Key, Value][] {
  return keys.flatMap((key, index): [Key, Value][] => {
    const value = values[index]
    return value === undefined || value instanceof UpstreamError ? [] : [[key, value]]
  })
}
