import type { Crypto } from '../../engine/crypto.ts'
import type { Hex } from '../../types.ts'

/** An address with the letter case of EIP-55. */
export function checksumAddress(address: Hex, keccak256: Crypto['keccak256']): Hex {
  const digits = address.slice(2)
  const hash = keccak256(Buffer.from(digits, 'latin1'))
  let text = ''
  for (const [index, digit] of [...digits].entries()) {
    const byte = hash[index >> 1] ?? 0
    const nibble = index % 2 === 0 ? byte >> 4 : byte & 15
    text += nibble >= 8 ? digit.toUpperCase() : digit
  }
  return `0x${text}`
}
