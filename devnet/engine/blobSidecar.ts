import { createHash } from 'node:crypto'
import { type NestedUint8Array, RLP } from '@ethereumjs/rlp'
import { RefusedError } from '../primitives/errors.ts'
import { encodeRlp } from '../primitives/rlp.ts'
import { UndecodableTransactionError } from './decodeTransaction.ts'

/**
 * The EIP-2718 bytes of a transaction that may come with its blob sidecar (EIP-4844, EIP-7594), as
 * `0x03 || rlp([transaction, (version,) blobs, commitments, proofs])`. Checks the commitments
 * against the versioned hashes, but not the KZG proofs.
 *
 * @throws {UndecodableTransactionError}
 * @throws {RefusedError} if a blob or commitment does not belong to the transaction
 */
export function withoutSidecar(raw: Uint8Array): Uint8Array {
  if (raw[0] !== 3) return raw
  let decoded: Uint8Array | NestedUint8Array
  try {
    decoded = RLP.decode(raw.subarray(1))
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new UndecodableTransactionError(`transaction is not valid RLP: ${reason}`, { cause })
  }
  if (!Array.isArray(decoded) || !Array.isArray(decoded[0])) return raw
  const payload = decoded[0]
  const lists = decoded.slice(decoded[1] instanceof Uint8Array ? 2 : 1)
  const [blobs, commitments] = lists
  const hashes = payload[10]
  if (!Array.isArray(blobs) || !Array.isArray(commitments) || !Array.isArray(hashes)) {
    throw new UndecodableTransactionError('blob sidecar is malformed')
  }
  if (blobs.length !== hashes.length || commitments.length !== hashes.length) {
    throw new RefusedError(
      `blob sidecar has ${blobs.length} blobs and ${commitments.length} commitments for ${hashes.length} hashes`,
    )
  }
  for (const [index, commitment] of commitments.entries()) {
    const hash = hashes[index]
    if (!(commitment instanceof Uint8Array) || !(hash instanceof Uint8Array)) {
      throw new UndecodableTransactionError('blob sidecar is malformed')
    }
    const digest = createHash('sha256').update(commitment).digest()
    digest[0] = 1
    if (!digest.equals(hash)) {
      throw new RefusedError(`blob ${index} does not belong to its versioned hash`)
    }
  }
  return encodeRlp(payload, 3)
}
