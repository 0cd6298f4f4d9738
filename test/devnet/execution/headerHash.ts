import { type Hex, keccak256, toRlp } from 'viem'
import type { SimulatedBlockJson } from './harness.ts'

/** The hash of a block by its own fields. */
export function hashOf(block: SimulatedBlockJson): Hex {
  const number = (name: string) => (block[name] === '0x0' ? '0x' : even(block[name] as Hex))
  const even = (hex: Hex): Hex => (hex.length % 2 === 0 ? hex : `0x0${hex.slice(2)}`)
  const bytes = (name: string) => block[name] as Hex
  return keccak256(
    toRlp([
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
      number('baseFeePerGas'),
      bytes('withdrawalsRoot'),
      number('blobGasUsed'),
      number('excessBlobGas'),
      bytes('parentBeaconBlockRoot'),
      bytes('requestsHash'),
    ]),
  )
}
