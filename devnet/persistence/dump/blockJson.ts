import type { Crypto } from '../../engine/crypto.ts'
import type { RawLog } from '../../engine/types.ts'
import { ChainFileError } from '../../primitives/errors.ts'
import { fromHex, type Hex, quantity, toHex } from '../../primitives/hex.ts'
import { type BlockHeader, hashHeader } from '../../protocol/header.ts'
import type { ExecutedTransaction } from '../../protocol/receipt.ts'
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

/** A header as JSON-RPC and anvil's dumps write it. */
export function headerToJson(header: BlockHeader): Record<string, Hex> {
  const json: Record<string, Hex> = {}
  for (const [name, key] of BYTES) json[name] = toHex(header[key])
  json.extraData = toHex(header.extraData)
  for (const name of NUMBERS) json[name] = quantity(header[name])
  for (const name of LATER_BYTES) if (header[name] !== undefined) json[name] = toHex(header[name])
  for (const name of LATER_NUMBERS) {
    if (header[name] !== undefined) json[name] = quantity(header[name])
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

/** A sealed transaction as anvil's dumps write it: what it did, and where it stands. */
export function executedToJson(
  executed: ExecutedTransaction,
  block: { readonly number: number; readonly hash: string },
): object {
  const { transaction, success, stateRoot, contractAddress } = executed
  const { tx, type } = transaction
  return {
    info: {
      transaction_hash: transaction.hash,
      transaction_index: executed.index,
      from: transaction.sender,
      to: tx.to === undefined ? null : toHex(tx.to.bytes),
      contract_address: contractAddress === undefined ? null : toHex(contractAddress),
      // anvil needs a list, and looks into it for trace_ methods only.
      traces: [],
      exit: success ? 'Stop' : 'Revert',
      out: null,
      nonce: Number(transaction.nonce),
      gas_used: Number(executed.gasUsed),
    },
    receipt: {
      type: quantity(type),
      ...(stateRoot === undefined
        ? { status: success ? '0x1' : '0x0' }
        : { root: toHex(stateRoot) }),
      cumulativeGasUsed: quantity(executed.cumulativeGasUsed),
      logs: executed.logs.map(([address, topics, data]) => ({
        address: toHex(address),
        topics: topics.map(toHex),
        data: toHex(data),
      })),
      logsBloom: toHex(executed.bloom),
    },
    block_hash: block.hash,
    block_number: block.number,
  }
}

/** What a receipt says that does not follow from its transaction and its block. */
export interface Outcome {
  readonly success: boolean
  readonly stateRoot: Uint8Array | undefined
  readonly cumulativeGasUsed: bigint
  readonly logs: readonly RawLog[]
  readonly bloom: Uint8Array
}

/** @throws {ChainFileError} where a field is missing or malformed */
export function outcomeFromJson(json: JsonFields): Outcome {
  const receipt = json.requiredObject('receipt')
  const root = receipt.bytes('root', 32)
  return {
    success:
      root === undefined
        ? receipt.requiredNumber('status') === 1n
        : json.requiredObject('info').text('exit') !== 'Revert',
    stateRoot: root === undefined ? undefined : fromHex(root),
    cumulativeGasUsed: receipt.requiredNumber('cumulativeGasUsed'),
    logs: receipt
      .objects('logs')
      .map((log) => [
        fromHex(log.requiredBytes('address', 20)),
        log.bytesList('topics', 32).map(fromHex),
        fromHex(log.requiredBytes('data')),
      ]),
    bloom: fromHex(receipt.requiredBytes('logsBloom', 256)),
  }
}

/** An entry of `blocks` of which the header was read. */
export interface BlockEntry {
  readonly json: JsonFields
  readonly header: BlockHeader
  readonly hashBytes: Uint8Array
  readonly hash: Hex
}

/** The blocks of a dump, in its order. @throws {ChainFileError} where a header is malformed */
export function readBlockEntries(fields: JsonFields, { keccak256 }: Crypto): BlockEntry[] {
  return fields.objects('blocks').map((json) => {
    const header = headerFromJson(json.requiredObject('header'))
    const hashBytes = hashHeader(header, keccak256)
    return { json, header, hashBytes, hash: toHex(hashBytes) }
  })
}

/**
 * Holds headers against each other: each hashes the one before.
 *
 * @param head - hash of the newest, which nothing else hashes
 * @throws {ChainFileError} where there are none, or one was changed
 */
export function checkHeaders(label: string, entries: readonly BlockEntry[], head: Hex): void {
  for (const [index, { header, hash }] of entries.entries()) {
    const next = entries[index + 1]
    if (next !== undefined && next.header.number !== header.number + 1n) {
      throw new ChainFileError(
        `${label}: block ${next.header.number} follows on block ${header.number}.`,
      )
    }
    const expected = next === undefined ? head : toHex(next.header.parentHash)
    if (hash === expected) continue
    throw new ChainFileError(
      `${label}: block ${header.number} has the hash ${hash}, expected ${expected}: its header was changed.`,
    )
  }
  if (entries.length === 0) throw new ChainFileError(`${label} has no blocks.`)
}
