import { addressKeyFromHex } from '../state/keys.ts'
import type { AddressKey } from '../state/types.ts'
import { type ForkRules, type HardforkName, isAtLeast } from './forks.ts'

/** For each precompile, the name that its EIP gives it, its address, and its first hardfork. */
export const PRECOMPILES: readonly (readonly [
  name: string,
  address: number,
  since: HardforkName,
])[] = [
  ['ECREC', 0x01, 'chainstart'],
  ['SHA256', 0x02, 'chainstart'],
  ['RIPEMD160', 0x03, 'chainstart'],
  ['ID', 0x04, 'chainstart'],
  ['MODEXP', 0x05, 'byzantium'],
  ['BN254_ADD', 0x06, 'byzantium'],
  ['BN254_MUL', 0x07, 'byzantium'],
  ['BN254_PAIRING', 0x08, 'byzantium'],
  ['BLAKE2F', 0x09, 'istanbul'],
  ['KZG_POINT_EVALUATION', 0x0a, 'cancun'],
  ['BLS12_G1ADD', 0x0b, 'prague'],
  ['BLS12_G1MSM', 0x0c, 'prague'],
  ['BLS12_G2ADD', 0x0d, 'prague'],
  ['BLS12_G2MSM', 0x0e, 'prague'],
  ['BLS12_PAIRING_CHECK', 0x0f, 'prague'],
  ['BLS12_MAP_FP_TO_G1', 0x10, 'prague'],
  ['BLS12_MAP_FP2_TO_G2', 0x11, 'prague'],
  ['P256VERIFY', 0x100, 'osaka'],
]

const numbers = new Map<HardforkName, ReadonlyMap<AddressKey, number>>()

export function precompileNumbers({ hardfork }: ForkRules): ReadonlyMap<AddressKey, number> {
  let known = numbers.get(hardfork)
  if (known === undefined) {
    const present = PRECOMPILES.filter(([, , since]) => isAtLeast(hardfork, since))
    known = new Map(present.map(([, number]) => [precompileKey(number), number]))
    numbers.set(hardfork, known)
  }
  return known
}

function precompileKey(number: number): AddressKey {
  return addressKeyFromHex(`0x${number.toString(16).padStart(40, '0')}`)
}
