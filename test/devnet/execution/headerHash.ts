import { bytesToHex, type Hex, hexToBytes, keccak256, toRlp } from 'viem'
import type { SimulatedBlockJson } from './harness.ts'

/** The hash of a block by its own fields. */
export function hashOf(block: SimulatedBlockJson): Hex {
  return keccak256(toRlp(headerFields(block)))
}

/**
 * The fields of a block's header, as they are encoded; those that the hardfork lacks are left out.
 */
export function headerFields(block: SimulatedBlockJson): Hex[] {
  // The names are those of texts.
  const bytes = (name: string) => block[name] as Hex
  const number = (name: string) => rlpNumber(BigInt(bytes(name)))
  const later = (name: string, read: (name: string) => Hex) =>
    block[name] === undefined ? [] : [read(name)]
  return [
    bytes('parentHash'),
    bytes('sha3Uncles'),
    bytes('miner'),
    bytes('stateRoot'),
    bytes('transactionsRoot'),
    bytes('receiptsRoot'),
    bytes('logsBloom'),
    number('difficulty'),
    number('number'),
    number('gasLimit'),
    number('gasUsed'),
    number('timestamp'),
    bytes('extraData'),
    bytes('mixHash'),
    bytes('nonce'),
    ...later('baseFeePerGas', number),
    ...later('withdrawalsRoot', bytes),
    ...later('blobGasUsed', number),
    ...later('excessBlobGas', number),
    ...later('parentBeaconBlockRoot', bytes),
    ...later('requestsHash', bytes),
  ]
}

/** A number without leading zeros, as RLP has it. */
export function rlpNumber(value: bigint): Hex {
  if (value === 0n) return '0x'
  const digits = value.toString(16)
  return `0x${digits.length % 2 === 0 ? '' : '0'}${digits}`
}

/** The bloom filter of emitters and topics (yellow paper 4.3.1). */
export function bloomOf(items: readonly Hex[]): Hex {
  const bloom = new Uint8Array(256)
  for (const item of items) {
    const hash = hexToBytes(keccak256(item))
    for (const at of [0, 2, 4]) {
      const bit = (((hash[at] ?? 0) << 8) | (hash[at + 1] ?? 0)) & 2047
      const byte = 255 - (bit >> 3)
      bloom[byte] = (bloom[byte] ?? 0) | (1 << (bit & 7))
    }
  }
  return bytesToHex(bloom)
}
