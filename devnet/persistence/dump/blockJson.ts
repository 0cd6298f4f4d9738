import type { ListedRange } from '../../chain/replica.ts'
import { ReservedHeaders, type ReservedOrigin, ReservedRange } from '../../chain/reservedRange.ts'
import type { Crypto } from '../../engine/crypto.ts'
import { bytesToText, textToBytes } from '../../primitives/bytes.ts'
import { ChainFileError } from '../../primitives/errors.ts'
import { fromHex, type Hex, quantity, toHex } from '../../primitives/hex.ts'
import type { Paced } from '../../primitives/paced.ts'
import { bitsOfBloom, bloomHex } from '../../protocol/bloom.ts'
import { type BlockHeader, hashHeader } from '../../protocol/header.ts'
import { HEADER_FIELD_COUNTS, HEADER_FIELDS, headerOf } from '../../protocol/headerFields.ts'
import {
  type ExecutedTransaction,
  type InnerFrames,
  UNRECORDED_FRAMES,
} from '../../protocol/receipt.ts'
import type { L1Charge } from '../../protocol/rollup/l1Fee.ts'
import { LOST_VERSION } from '../../state/store/versionedStore.ts'
import type { JsonFields } from '../jsonFields.ts'

/** A header as JSON-RPC and anvil's dumps write it. */
export function headerToJson(header: BlockHeader): Record<string, Hex> {
  const json: Record<string, Hex> = {}
  for (const { key, name } of HEADER_FIELDS) {
    const value = header[key]
    if (value !== undefined) json[name] = typeof value === 'bigint' ? quantity(value) : toHex(value)
  }
  return json
}

/** @throws {ChainFileError} if a field is missing or malformed */
export function headerFromJson(json: JsonFields): BlockHeader {
  return headerOf(({ name, type, size }, index) => {
    // Fields from this index on came with later hardforks, so they may be missing.
    if (index >= HEADER_FIELD_COUNTS[0] && !json.has(name)) return undefined
    if (type === 'number') return json.requiredNumber(name, size === 32 ? 256 : 64)
    return fromHex(size === undefined ? (json.bytes(name) ?? '0x') : json.requiredBytes(name, size))
  })
}

/** Fields of a range of reserved blocks besides the header from which its blocks follow. */
export function reservedToJson({ headers, first, last }: ReservedRange): object {
  return { first, last, step: headers.origin.step }
}

/** Reads what {@link reservedToJson} has written. @throws {ChainFileError} if it is malformed */
export function reservedFromJson(json: JsonFields): ListedRange {
  const [first, last, step] = ['first', 'last', 'step'].map((name) => {
    const value = json.integer(name)
    if (value < 0) throw json.error(name, 'is negative')
    return value
  }) as [number, number, number] // one for each name
  return { first, last, step }
}

/**
 * Reads a range of reserved blocks, without their state; `undefined` if the entry is a block.
 *
 * @throws {ChainFileError} if it is malformed
 */
export function rangeFromJson(
  { json, header }: BlockEntry,
  source: Pick<ReservedOrigin, 'rules' | 'randaoSeed' | 'keccak256'>,
): ReservedRange | undefined {
  const reserved = json.object('reserved')
  if (reserved === undefined) return undefined
  const { first, last, step } = reservedFromJson(reserved)
  if (BigInt(first) < header.number)
    throw reserved.error('first', `is before block ${header.number}`)
  if (last < first) throw reserved.error('last', `is before block ${first}`)
  const headers = new ReservedHeaders({ ...source, header, step })
  const state = { sealedVersion: LOST_VERSION, trie: undefined }
  return new ReservedRange(headers, { first, last }, state)
}

/** A sealed transaction, its position and its outcome, as in `transactions` of anvil's dumps. */
export function executedToJson(
  executed: ExecutedTransaction,
  block: { readonly number: number; readonly hash: string },
): object {
  const { transaction, success, contractAddress, innerFrames, l1Charge } = executed
  const { to } = transaction
  return {
    info: {
      transaction_hash: transaction.hash,
      transaction_index: executed.index,
      from: transaction.sender,
      to: to === undefined ? null : toHex(to),
      contract_address: contractAddress ? toHex(contractAddress) : null,
      // anvil needs a list, but reads it only for trace_ methods.
      traces: [],
      exit: success ? 'Stop' : 'Revert',
      out: null,
      nonce: Number(transaction.nonce),
      gas_used: Number(executed.gasUsed),
    },
    receipt: { ...receiptToJson(executed), logsBloom: bloomHex(executed.bloomBits) },
    block_hash: block.hash,
    block_number: block.number,
    inner_frames: innerFrames && {
      touched: toHex(textToBytes(innerFrames.touched)),
      created: toHex(textToBytes(innerFrames.created)),
    },
    l1_charge: l1Charge && {
      fee: quantity(l1Charge.fee),
      gas_used: quantity(l1Charge.gasUsed),
      base_fee: quantity(l1Charge.terms.baseFee),
      blob_base_fee: quantity(l1Charge.terms.blobBaseFee),
      base_fee_scalar: quantity(l1Charge.terms.baseFeeScalar),
      blob_base_fee_scalar: quantity(l1Charge.terms.blobBaseFeeScalar),
      operator_fee_scalar: quantity(l1Charge.terms.operatorFeeScalar),
      operator_fee_constant: quantity(l1Charge.terms.operatorFeeConstant),
    },
  }
}

/** A receipt: what its transaction and its block do not say. */
export function receiptToJson({
  transaction,
  stateRoot,
  success,
  cumulativeGasUsed,
  logs,
}: ExecutedTransaction) {
  return {
    type: quantity(transaction.type),
    ...(stateRoot === undefined
      ? { status: quantity(Number(success)) }
      : { root: toHex(stateRoot) }),
    cumulativeGasUsed: quantity(cumulativeGasUsed),
    logs: logs.map(([address, topics, data]) => ({
      address: toHex(address),
      topics: topics.map(toHex),
      data: toHex(data),
    })),
  }
}

/** The part of a receipt that does not follow from its transaction and its block. */
type Outcome = Pick<
  ExecutedTransaction,
  'success' | 'stateRoot' | 'cumulativeGasUsed' | 'logs' | 'bloomBits' | 'innerFrames' | 'l1Charge'
>

/**
 * @param tellsFrames - whether the dump names the inner frames of its transactions
 * @throws {ChainFileError} if a field is missing or malformed
 */
export function outcomeFromJson(json: JsonFields, tellsFrames: boolean): Outcome {
  const receipt = json.requiredObject('receipt')
  const root = receipt.bytes('root', 32)
  return {
    success:
      root === undefined
        ? receipt.requiredNumber('status') === 1n
        : json.requiredObject('info').text('exit') !== 'Revert',
    stateRoot: root === undefined ? undefined : fromHex(root),
    cumulativeGasUsed: receipt.requiredNumber('cumulativeGasUsed'),
    logs: [...receipt.objects('logs')].map((log) => [
      fromHex(log.requiredBytes('address', 20)),
      log.bytesList('topics', 32).map(fromHex),
      fromHex(log.requiredBytes('data')),
    ]),
    bloomBits: bitsOfBloom(fromHex(receipt.requiredBytes('logsBloom', 256))),
    innerFrames: tellsFrames ? framesFromJson(json.object('inner_frames')) : UNRECORDED_FRAMES,
    l1Charge: l1ChargeFromJson(json.object('l1_charge')),
  }
}

function l1ChargeFromJson(json: JsonFields | undefined): L1Charge | undefined {
  if (json === undefined) return undefined
  return {
    fee: json.requiredNumber('fee', 256),
    gasUsed: json.requiredNumber('gas_used', 256),
    terms: {
      baseFee: json.requiredNumber('base_fee', 256),
      blobBaseFee: json.requiredNumber('blob_base_fee', 256),
      baseFeeScalar: json.requiredNumber('base_fee_scalar'),
      blobBaseFeeScalar: json.requiredNumber('blob_base_fee_scalar'),
      operatorFeeScalar: json.requiredNumber('operator_fee_scalar'),
      operatorFeeConstant: json.requiredNumber('operator_fee_constant'),
    },
  }
}

function framesFromJson(json: JsonFields | undefined): InnerFrames | undefined {
  if (json === undefined) return undefined
  const [touched, created] = ['touched', 'created'].map((name) => {
    const bytes = fromHex(json.requiredBytes(name))
    const size = name === 'touched' ? ADDRESS_SIZE : 2 * ADDRESS_SIZE
    if (bytes.length % size !== 0) throw json.error(name, `is no list of ${size} bytes each`)
    return bytesToText(bytes)
  }) as [string, string] // one for each name
  return touched === '' ? UNRECORDED_FRAMES : { touched, created }
}

const ADDRESS_SIZE = 20

/** An entry of `blocks` in a dump, with its parsed header and its hash. */
export interface BlockEntry {
  readonly json: JsonFields
  readonly header: BlockHeader
  readonly hashBytes: Uint8Array
  readonly hash: Hex
}

/** The blocks of a dump, in their order there. @throws {ChainFileError} if a header is malformed */
export function* readBlockEntries(fields: JsonFields, { keccak256 }: Crypto): Paced<BlockEntry[]> {
  const entries: BlockEntry[] = []
  for (const json of fields.objects('blocks')) {
    const header = headerFromJson(json.requiredObject('header'))
    const hashBytes = hashHeader(header, keccak256)
    entries.push({ json, header, hashBytes, hash: toHex(hashBytes) })
    yield
  }
  return entries
}

/** A block or a range of a dump, as the blocks before and after it know it. */
interface Link {
  readonly first: number
  readonly last: number
  readonly parentHash: Uint8Array
  /** The hash of its last block. */
  readonly hash: Hex
}

/** @param range - the range of reserved blocks, if the entry is one */
export function linkOf(
  { header, hash }: Pick<BlockEntry, 'header' | 'hash'>,
  range?: ReservedRange,
): Link {
  if (range !== undefined) {
    const { headers, first, last, newest } = range
    return { first, last, parentHash: headers.header(first).parentHash, hash: newest.hash }
  }
  const number = Number(header.number)
  return { first: number, last: number, parentHash: header.parentHash, hash }
}

/**
 * Checks that block numbers are consecutive, and that each hash is the `parentHash` of the next.
 *
 * @param head - expected hash of the newest block
 * @throws {ChainFileError} if there are no blocks, one is missing, or a header was changed
 */
export function checkHeaders(label: string, links: readonly Link[], head: Hex): void {
  for (const [index, { last, hash }] of links.entries()) {
    const next = links[index + 1]
    if (next !== undefined && next.first !== last + 1) {
      throw new ChainFileError(`${label}: block ${next.first} follows on block ${last}.`)
    }
    const expected = next === undefined ? head : toHex(next.parentHash)
    if (hash === expected) continue
    throw new ChainFileError(
      `${label}: block ${last} has the hash ${hash}, expected ${expected}: its header was changed.`,
    )
  }
  if (links.length === 0) throw new ChainFileError(`${label} has no blocks.`)
}
