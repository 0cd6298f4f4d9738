import { bigIntToBytes } from '../primitives/bytes.ts'
import {
  encodeRlpString,
  RLP_LIST,
  RLP_STRING,
  rlpListLength,
  writeRlpHead,
} from '../primitives/rlp.ts'
import type { RlpItem } from '../primitives/rlpReader.ts'
import type { Crypto } from './crypto.ts'

/** A signed hash and its signature, from which the sender is recovered. */
export interface SignedMessage {
  /** 32 bytes. */
  readonly hash: Uint8Array
  /** 64 bytes: r, then s. */
  readonly signature: Uint8Array
  /** 0 or 1. */
  readonly recoveryId: number
}

/** A decoded transaction, of which the message is a part. */
interface SignedBytes {
  /** EIP-2718 bytes. */
  readonly raw: Uint8Array
  readonly type: number
  /** All fields; the last three are the signature. */
  readonly items: readonly RlpItem[]
  /** Chain that the signature is bound to, which a legacy transaction signs too (EIP-155). */
  readonly chainId: bigint | undefined
  /** y parity of a typed transaction; of a legacy one, 27 or, with a chain id c, 35 + 2c more. */
  readonly v: bigint
  /** Without leading zeros. */
  readonly r: Uint8Array
  readonly s: Uint8Array
}

export function signedMessage(
  signed: SignedBytes,
  { keccak256 }: Pick<Crypto, 'keccak256'>,
): SignedMessage {
  const { type, r, s } = signed
  const signature = new Uint8Array(64)
  signature.set(r, 32 - r.length)
  signature.set(s, 64 - s.length)
  const suffix = type === 0 && signed.chainId !== undefined ? chainItems(signed.chainId) : undefined
  return { hash: keccak256(cut(signed, suffix)), signature, recoveryId: parity(signed) }
}

/** The type and the fields before the signature, cut from the bytes, with `suffix` after them. */
function cut({ raw, type, items }: SignedBytes, suffix: Uint8Array | undefined): Uint8Array {
  const start = items[0]?.start ?? 0
  const end = items.at(-3)?.start ?? start
  const length = end - start + (suffix?.length ?? 0)
  const prefix = type === 0 ? 0 : 1
  const message = new Uint8Array(prefix + rlpListLength(length))
  if (prefix === 1) message[0] = type
  const content = writeRlpHead(message, prefix, RLP_LIST, length)
  message.set(raw.subarray(start, end), content)
  if (suffix !== undefined) message.set(suffix, content + end - start)
  return message
}

/** RLP items that EIP-155 adds to the signed message: chain id, 0, 0. */
function chainItems(chainId: bigint): Uint8Array {
  return Uint8Array.from([...encodeRlpString(bigIntToBytes(chainId)), RLP_STRING, RLP_STRING])
}

function parity({ type, v, chainId }: SignedBytes): number {
  if (type !== 0) return Number(v)
  return Number(chainId === undefined ? v - 27n : v - 35n - 2n * chainId)
}
