import type { Hex } from '../../types.ts'

/** A number as hexadecimal without leading zeros. */
export function quantity(value: bigint | number): Hex {
  return `0x${value.toString(16)}`
}
