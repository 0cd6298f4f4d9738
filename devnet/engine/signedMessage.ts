import type { TypedTransaction } from '@ethereumjs/tx'
import { bigIntToBytes } from '../primitives/bytes.ts'
import {
  encodeRlpString,
  RLP_LIST,
  RLP_STRING,
  rlpListLength,
  writeRlpHead,
} from '../primitives/rlp.ts'
import type { Crypto } from './crypto.ts'

/** A signed hash and its signature, from which the sender is recovered. */
export interface SignedMessage {
  /** 32 bytes. */
  readonly hash: Uint8Array
  /** 64 bytes: r, then s. */
  readonly signature: Uint8Array
  /** 0 to 3 if valid. */
  readonly recoveryId: number
}

/** Number of fields before v, r and s, by type; 0 is legacy. */
const UNSIGNED_FIELDS = [6, 8, 9, 11, 10]

/** Up to this type, the library ensures that all fields but the chain id are canonical RLP. */
const HIGHEST_CUT_TYPE = 2

/** The library's number for the EIP-155 capability. */
const REPLAY_PROTECTION = 155

/**
 * The hash that the sender of `tx` signed, and the signature.
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
  // Cut from `raw` if possible: the library would encode all fields again, to the same bytes.
  const isCut = type <= HIGHEST_CUT_TYPE && (type === 0 || startsCanonical(raw, start))
  const hash = isCut
    ? crypto.keccak256(cutMessage(tx, raw, start, end))
    : tx.getMessageToVerifySignature()
  return { hash, signature, recoveryId }
}

/** The signed message: type, the fields from `start` to `end` of `raw`, and what EIP-155 adds. */
function cutMessage(tx: TypedTransaction, raw: Uint8Array, start: number, end: number): Uint8Array {
  const suffix = tx.type === 0 && tx.supports(REPLAY_PROTECTION) ? chainItems(tx) : undefined
  const length = end - start + (suffix?.length ?? 0)
  const prefix = tx.type === 0 ? 0 : 1
  const message = new Uint8Array(prefix + rlpListLength(length))
  if (prefix === 1) message[0] = tx.type
  const content = writeRlpHead(message, prefix, RLP_LIST, length)
  message.set(raw.subarray(start, end), content)
  if (suffix !== undefined) message.set(suffix, content + end - start)
  return message
}

/** RLP items that EIP-155 adds to the signed message: chain id, 0, 0. */
function chainItems(tx: TypedTransaction): Uint8Array {
  const id = encodeRlpString(bigIntToBytes(tx.common.chainId()))
  return Uint8Array.from([...id, RLP_STRING, RLP_STRING])
}

/** Whether the RLP integer at `start` has no leading zeros. */
function startsCanonical(raw: Uint8Array, start: number): boolean {
  return raw[contentStart(raw, start)] !== 0
}

/** Start of the content of the RLP item at `start`. */
function contentStart(raw: Uint8Array, start: number): number {
  const first = raw[start] ?? 0
  if (first < RLP_STRING) return start
  if (first < 0xb8) return start + 1
  if (first < 0xc0) return start + 1 + first - 0xb7
  if (first < 0xf8) return start + 1
  return start + 1 + first - 0xf7
}

/** End of the RLP item at `start`. */
function itemEnd(raw: Uint8Array, start: number): number {
  const first = raw[start] ?? 0
  if (first < RLP_STRING) return start + 1
  if (first < 0xb8) return start + 1 + first - RLP_STRING
  if (first >= 0xc0 && first < 0xf8) return start + 1 + first - 0xc0
  const content = contentStart(raw, start)
  let length = 0
  for (let index = start + 1; index < content; index++) length = length * 256 + (raw[index] ?? 0)
  return content + length
}

/** Copies the RLP integer at `start` to `target`, so that it ends at `end`. */
function placeItem(raw: Uint8Array, start: number, target: Uint8Array, end: number): void {
  const from = contentStart(raw, start)
  const to = itemEnd(raw, start)
  for (let index = from; index < to; index++) target[end - to + index] = raw[index] ?? 0
}
