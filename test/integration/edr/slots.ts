import { encodeAbiParameters, type Hex, keccak256, numberToHex } from 'viem'

/** A number as 32 bytes, such as the key of a slot. */
export const slot = (index: number | bigint): Hex => numberToHex(index, { size: 32 })

/** Slot of `mapping(uint256 => …)` or `mapping(address => …)` at `base`. */
function mappingSlot(key: Hex, base: number): Hex {
  return keccak256(
    encodeAbiParameters([{ type: 'uint256' }, { type: 'uint256' }], [BigInt(key), BigInt(base)]),
  )
}

/** Of the balance that a token keeps for an account. */
export const balanceSlot = (address: Hex): Hex => mappingSlot(address, 1)

/** Of what a playground has stored under a number. */
export const storedSlot = (index: number): Hex => mappingSlot(numberToHex(index), 0)

/** Where a playground keeps prevRandao and the hash of a block: each node has its own. */
export const OWN_SLOTS = [storedSlot(1002), storedSlot(1003)]

/** All else that a playground stores. */
export const PLAYGROUND_SLOTS = [
  ...Array.from({ length: 14 }, (_, index) => storedSlot(index)),
  storedSlot(1000),
  storedSlot(1001),
  storedSlot(1004),
  slot(1),
  slot(2),
]
