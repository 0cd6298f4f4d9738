import { createHash } from 'node:crypto'
import { bytesToBigInt } from '../primitives/bytes.ts'
import { InvalidParamsError, RefusedError, reasonOf } from '../primitives/errors.ts'
import { encodeRlp, type RlpInput } from '../primitives/rlp.ts'
import { decodeRlp } from '../primitives/rlpReader.ts'

const BLOB_SIZE = 131_072
/** Bytes of a commitment, and of a proof. */
const POINT_SIZE = 48
/** Cells of an extended blob, each of which has a proof (EIP-7594). */
const CELLS = 128

/**
 * The EIP-2718 bytes of a transaction that may come with its blob sidecar (EIP-4844, EIP-7594), as
 * `0x03 || rlp([transaction, (version,) blobs, commitments, proofs])`. Checks numbers and lengths,
 * and the commitments against the versioned hashes, but not the KZG proofs. A sidecar without a
 * version, as before Osaka, is taken on every hardfork, because geth converts it.
 *
 * @throws {InvalidParamsError}
 * @throws {RefusedError} if a blob or commitment does not belong to the transaction
 */
export function withoutSidecar(raw: Uint8Array): Uint8Array {
  if (raw[0] !== 3) return raw
  let decoded: RlpInput
  try {
    decoded = decodeRlp(raw.subarray(1))
  } catch (cause) {
    const reason = reasonOf(cause)
    throw new InvalidParamsError(`transaction ${reason}`, { cause })
  }
  if (!isList(decoded)) return raw
  const [payload] = decoded
  if (!isList(payload)) return raw
  const version = decoded[1] instanceof Uint8Array ? bytesToBigInt(decoded[1]) : undefined
  if (version !== undefined && version !== 1n) {
    throw new InvalidParamsError(`unsupported blob tx version ${version}: want 1`)
  }
  const [blobs, commitments, proofs, ...rest] = decoded.slice(version === undefined ? 1 : 2)
  const hashes = payload[10]
  if (
    !isList(blobs) ||
    !isList(commitments) ||
    !isList(proofs) ||
    !isList(hashes) ||
    rest.length > 0
  ) {
    throw new InvalidParamsError('blob sidecar is malformed')
  }
  checkSizes('blob', blobs, BLOB_SIZE)
  checkSizes('commitment', commitments, POINT_SIZE)
  checkSizes('proof', proofs, POINT_SIZE)
  if (blobs.length !== hashes.length || commitments.length !== hashes.length) {
    throw new RefusedError(
      `blob sidecar has ${blobs.length} blobs and ${commitments.length} commitments for ${hashes.length} hashes`,
    )
  }
  const expected = blobs.length * (version === undefined ? 1 : CELLS)
  if (proofs.length !== expected) {
    const kind = version === undefined ? 'one a blob (version 0)' : `${CELLS} a blob (version 1)`
    throw new RefusedError(
      `invalid number of ${proofs.length} blob proofs expected ${expected}: ${kind}`,
    )
  }
  for (const [index, commitment] of commitments.entries()) {
    const hash = hashes[index]
    if (!(commitment instanceof Uint8Array) || !(hash instanceof Uint8Array)) {
      throw new InvalidParamsError('blob sidecar is malformed')
    }
    const digest = createHash('sha256').update(commitment).digest()
    digest[0] = 1
    if (!digest.equals(hash)) {
      throw new RefusedError(`blob ${index} does not belong to its versioned hash`)
    }
  }
  return encodeRlp(payload, 3)
}

function isList(item: RlpInput | undefined): item is readonly RlpInput[] {
  return item !== undefined && !(item instanceof Uint8Array)
}

function checkSizes(name: string, items: readonly RlpInput[], size: number): void {
  for (const [index, { length }] of items.entries()) {
    if (length === size) continue
    throw new InvalidParamsError(
      `${name} ${index} of the blob sidecar has ${length} bytes and not ${size}`,
    )
  }
}
