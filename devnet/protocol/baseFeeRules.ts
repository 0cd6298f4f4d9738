import { bytesToBigInt } from '../primitives/bytes.ts'

/** Rule by which the base fee of a block follows from its parent's (EIP-1559). */
export interface BaseFeeRules {
  /** The base fee changes by at most one part in so many. */
  readonly denominator: bigint
  /** The gas limit is so many times the gas target. */
  readonly elasticity: bigint
  /** Lowest base fee, in wei (OP stack, Jovian). */
  readonly minimum: bigint
  /**
   * True if the parent's `blobGasUsed` counts in the place of its gas if it is more: it is the
   * footprint of the calldata there (OP stack, Jovian).
   */
  readonly countsFootprint: boolean
}

export const ETHEREUM_BASE_FEE: BaseFeeRules = {
  denominator: 8n,
  elasticity: 2n,
  minimum: 0n,
  countsFootprint: false,
}

/** Lengths of the `extraData` that the OP stack's blocks have since Holocene, and since Jovian. */
const HOLOCENE_LENGTH = 9
const JOVIAN_LENGTH = 17

/**
 * The rules that a block of the OP stack has for its child in its `extraData`: version 0 holds
 * denominator and elasticity in 4 bytes each (Holocene), version 1 also a minimum in 8 (Jovian).
 *
 * @returns `undefined` if `extraData` holds none
 */
export function baseFeeRulesOf(extraData: Uint8Array): BaseFeeRules | undefined {
  const [version] = extraData
  const holocene = version === 0 && extraData.length === HOLOCENE_LENGTH
  const jovian = version === 1 && extraData.length === JOVIAN_LENGTH
  if (!holocene && !jovian) return undefined
  const denominator = bytesToBigInt(extraData.subarray(1, 5))
  const elasticity = bytesToBigInt(extraData.subarray(5, 9))
  if (denominator === 0n || elasticity === 0n) return undefined
  const minimum = bytesToBigInt(extraData.subarray(HOLOCENE_LENGTH))
  return { denominator, elasticity, minimum, countsFootprint: jovian }
}
