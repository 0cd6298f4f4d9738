import type { TypedTransaction } from '@ethereumjs/tx'
import type { Crypto } from './crypto.ts'

/** What a sender is recovered from. */
export interface SignedMessage {
  /** 32 bytes. */
  readonly hash: Uint8Array
  /** 64 bytes: r, then s. */
  readonly signature: Uint8Array
  /** 0 to 3 where it is valid. */
  readonly recoveryId: number
}

/** Fields before v, r and s, by type; of a legacy transaction the type is 0. */
const UNSIGNED_FIELDS = [6, 8, 9, 11, 10]

/** The highest type whose fields are all checked to be canonical by the library, but for the chain id. */
const HIGHEST_CUT_TYPE = 2

/** EIP-155, as the library numbers what a transaction supports. */
const REPLAY_PROTECTION = 155

const EMPTY_ITEM = 0x80

/**
 * What the sender of `tx` signed, and the signature.
 *
 * @param raw - the canonical EIP-2718 bytes that `tx` was read from, with its signature
 */
export function readSignedMessage(
  tx: TypedTransaction,
  raw: Uint8Array,
  recoveryId: number,
  crypto: Pick<Crypto, 'keccak256'>,
): SignedMessage {
  const { type } = tx
  const start = contentStart(raw, type === 0 ? 0 : 1)
  let end = start
  for (let field = UNSIGNED_FIELDS[type] ?? 0; field > 0; field--) end = itemEnd(raw, end)
  const r = itemEnd(raw, end)
  const s = itemEnd(raw, r)
  const signature = new Uint8Array(64)
  placeItem(raw, r, signature, 32)
  placeItem(raw, s, signature, 64)
  // The library would encode all fields anew: the same bytes, as it has refused what is not canonical RLP.
  const isCut = type <= HIGHEST_CUT_TYPE && (type === 0 || startsCanonical(raw, start))
  const hash = isCut
    ? crypto.keccak256(cutMessage(tx, raw, start, end))
    : tx.getMessageToVerifySignature()
  return { hash, signature, recoveryId }
}

/** The type and the fields from `start` to `end` as a list of their own; EIP-155 puts the chain id behind them. */
function cutMessage(tx: TypedTransaction, raw: Uint8Array, start: number, end: number): Uint8Array {
  const suffix = tx.type === 0 && tx.supports(REPLAY_PROTECTION) ? chainItems(tx) : undefined
  const length = end - start + (suffix?.length ?? 0)
  const lengthSize = length < 56 ? 0 : 4 - (Math.clz32(length) >>> 3)
  const prefix = tx.type === 0 ? 0 : 1
  const message = new Uint8Array(prefix + 1 + lengthSize + length)
  if (prefix === 1) message[0] = tx.type
  message[prefix] = lengthSize === 0 ? 0xc0 + length : 0xf7 + lengthSize
  for (let index = 0; index < lengthSize; index++) {
    message[prefix + 1 + index] = length >>> (8 * (lengthSize - 1 - index))
  }
  const content = prefix + 1 + lengthSize
  message.set(raw.subarray(start, end), content)
  if (suffix !== undefined) message.set(suffix, content + end - start)
  return message
}

/** Chain id, 0, 0. */
function chainItems(tx: TypedTransaction): Uint8Array {
  const hex = tx.common.chainId().toString(16)
  const id = Buffer.from(hex.length % 2 === 0 ? hex : `0${hex}`, 'hex')
  const isOwnItem = id.length === 1 && (id[0] ?? 0) < EMPTY_ITEM
  const head = isOwnItem ? [] : [EMPTY_ITEM + id.length]
  return Uint8Array.from([...head, ...id, EMPTY_ITEM, EMPTY_ITEM])
}

/** Whether the integer at `start` has no zeros in front. */
function startsCanonical(raw: Uint8Array, start: number): boolean {
  return raw[contentStart(raw, start)] !== 0
}

/** Where the content of the RLP item at `start` begins. */
function contentStart(raw: Uint8Array, start: number): number {
  const first = raw[start] ?? 0
  if (first < EMPTY_ITEM) return start
  if (first < 0xb8) return start + 1
  if (first < 0xc0) return start + 1 + first - 0xb7
  if (first < 0xf8) return start + 1
  return start + 1 + first - 0xf7
}

/** Where the RLP item at `start` ends. */
function itemEnd(raw: Uint8Array, start: number): number {
  const first = raw[start] ?? 0
  if (first < EMPTY_ITEM) return start + 1
  if (first < 0xb8) return start + 1 + first - EMPTY_ITEM
  if (first >= 0xc0 && first < 0xf8) return start + 1 + first - 0xc0
  const content = contentStart(raw, start)
  let length = 0
  for (let index = start + 1; index < content; index++) length = length * 256 + (raw[index] ?? 0)
  return content + length
}

/** Copies the integer at `start` in front of `end`, where its last byte belongs. */
function placeItem(raw: Uint8Array, start: number, target: Uint8Array, end: number): void {
  const from = contentStart(raw, start)
  const to = itemEnd(raw, start)
  for (let index = from; index < to; index++) target[end - to + index] = raw[index] ?? 0
}
