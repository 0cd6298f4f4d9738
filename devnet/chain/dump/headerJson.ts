import type { Hex } from '../../types.ts'
import { fromHex, toHex } from '../bytes.ts'
import type { BlockHeader } from '../header.ts'
import type { JsonFields } from '../import/jsonFields.ts'

/** The fields of a header, with the names that they have in JSON and in {@link BlockHeader}. */
const BYTES = [
  ['parentHash', 'parentHash', 32],
  ['sha3Uncles', 'sha3Uncles', 32],
  ['miner', 'coinbase', 20],
  ['stateRoot', 'stateRoot', 32],
  ['transactionsRoot', 'transactionsRoot', 32],
  ['receiptsRoot', 'receiptsRoot', 32],
  ['logsBloom', 'logsBloom', 256],
  ['mixHash', 'mixHash', 32],
  ['nonce', 'nonce', 8],
] as const

const NUMBERS = ['difficulty', 'number', 'gasLimit', 'gasUsed', 'timestamp'] as const

/** Absent before the hardfork that brought them. */
const LATER_BYTES = ['withdrawalsRoot', 'parentBeaconBlockRoot', 'requestsHash'] as const
const LATER_NUMBERS = ['baseFeePerGas', 'blobGasUsed', 'excessBlobGas'] as const

/** 0x and the digits of a number without zeros in front. */
export function toQuantity(value: bigint | number): Hex {
  return `0x${value.toString(16)}`
}

/** A header as JSON-RPC and anvil's dumps write it. */
export function headerToJson(header: BlockHeader): Record<string, Hex> {
  const json: Record<string, Hex> = {}
  for (const [name, key] of BYTES) json[name] = toHex(header[key])
  json.extraData = toHex(header.extraData)
  for (const name of NUMBERS) json[name] = toQuantity(header[name])
  for (const name of LATER_BYTES) if (header[name] !== undefined) json[name] = toHex(header[name])
  for (const name of LATER_NUMBERS) {
    if (header[name] !== undefined) json[name] = toQuantity(header[name])
  }
  return json
}

/** @throws {ChainFileError} where a field is missing or malformed */
export function headerFromJson(json: JsonFields): BlockHeader {
  const bytes = (name: string, length: number) => fromHex(json.requiredBytes(name, length))
  const later: Partial<Record<(typeof LATER_BYTES)[number], Uint8Array>> = {}
  for (const name of LATER_BYTES) if (json.has(name)) later[name] = bytes(name, 32)
  const numbers: Partial<Record<(typeof LATER_NUMBERS)[number], bigint>> = {}
  for (const name of LATER_NUMBERS) {
    if (json.has(name)) numbers[name] = json.requiredNumber(name, 256)
  }
  return {
    parentHash: bytes('parentHash', 32),
    sha3Uncles: bytes('sha3Uncles', 32),
    coinbase: bytes('miner', 20),
    stateRoot: bytes('stateRoot', 32),
    transactionsRoot: bytes('transactionsRoot', 32),
    receiptsRoot: bytes('receiptsRoot', 32),
    logsBloom: bytes('logsBloom', 256),
    difficulty: json.requiredNumber('difficulty', 256),
    number: json.requiredNumber('number'),
    gasLimit: json.requiredNumber('gasLimit'),
    gasUsed: json.requiredNumber('gasUsed'),
    timestamp: json.requiredNumber('timestamp'),
    extraData: fromHex(json.bytes('extraData') ?? '0x'),
    mixHash: bytes('mixHash', 32),
    nonce: bytes('nonce', 8),
    ...later,
    ...numbers,
  }
}
