import type { Engine } from '../../engine/engine.ts'
import { bigIntToBytes, bytesToBigInt, EMPTY_BYTES } from '../../primitives/bytes.ts'
import { ChainFileError, DevnetError } from '../../primitives/errors.ts'
import { fromHex, type Hex, quantity, toHex } from '../../primitives/hex.ts'
import { encodeRlp, RLP_LIST, type RlpInput } from '../../primitives/rlp.ts'
import { decodeRlp } from '../../primitives/rlpReader.ts'
import { type ForkRules, sharedRules } from '../../protocol/forks.ts'
import { DEPOSIT_TYPE } from '../../protocol/rollup/depositTransaction.ts'
import { type ChainTransaction, toChainTransaction } from '../../protocol/transaction.ts'
import type { JsonFields } from '../jsonFields.ts'

const FEE_MARKET = [
  ...['chainId', 'nonce', 'maxPriorityFeePerGas', 'maxFeePerGas', 'gas', 'to', 'value', 'input'],
  'accessList',
]
const SIGNATURE = ['yParity', 'r', 's']

/** As op-geth names them, which has no signature. */
const DEPOSIT = ['sourceHash', 'from', 'to', 'mint', 'value', 'gas', 'isSystemTx', 'input']

/** JSON names of the fields of each signed type, in RLP order; the type is the index. */
const SIGNED_FIELDS: readonly (readonly string[])[] = [
  ['nonce', 'gasPrice', 'gas', 'to', 'value', 'input', 'v', 'r', 's'],
  ['chainId', 'nonce', 'gasPrice', 'gas', 'to', 'value', 'input', 'accessList', ...SIGNATURE],
  [...FEE_MARKET, ...SIGNATURE],
  [...FEE_MARKET, 'maxFeePerBlobGas', 'blobVersionedHashes', ...SIGNATURE],
  [...FEE_MARKET, 'authorizationList', ...SIGNATURE],
]

function fieldsOf(type: number): readonly string[] | undefined {
  return type === DEPOSIT_TYPE ? DEPOSIT : SIGNED_FIELDS[type]
}

const AUTHORIZATION = ['chainId', 'address', 'nonce', ...SIGNATURE]

/** EIP-155: `v` is twice the chain id plus 35 or 36. */
const FIRST_PROTECTED_V = 35n

/** A transaction as anvil's dumps write it. */
export function transactionToJson({ raw, type, hash }: ChainTransaction): Record<string, unknown> {
  const names = fieldsOf(type) ?? []
  const items = list(decodeRlp(type === 0 ? raw : raw.subarray(1)))
  const json: Record<string, unknown> = { type: quantity(type) }
  names.forEach((name, index) => {
    json[name] = fieldToJson(name, items[index] ?? [])
  })
  if (type !== 0 && type !== DEPOSIT_TYPE) json.v = json.yParity
  if (type === 0) {
    const chainId = chainIdOf(raw)
    if (chainId !== undefined) json.chainId = quantity(chainId)
  }
  json.hash = hash
  return json
}

/**
 * The chain id that a raw transaction is signed for; `undefined` if it is valid on any chain
 * (signed without EIP-155) or malformed. Exported for its test.
 */
export function chainIdOf(raw: Uint8Array): number | undefined {
  const typed = raw[0] !== undefined && raw[0] < RLP_LIST
  let items: readonly RlpInput[]
  try {
    items = list(decodeRlp(typed ? raw.subarray(1) : raw))
  } catch {
    // `transactionReader` decodes the transaction next, and reports what is wrong.
    return undefined
  }
  const chainId = typed
    ? bytesToBigInt(bytes(items[0]))
    : (bytesToBigInt(bytes(items[6])) - FIRST_PROTECTED_V) / 2n
  return chainId > 0n && chainId <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(chainId) : undefined
}

function fieldToJson(name: string, item: RlpInput): unknown {
  switch (name) {
    case 'to':
      return bytes(item).length === 0 ? null : toHex(bytes(item))
    case 'address':
    case 'from':
    case 'input':
    case 'sourceHash':
      return toHex(bytes(item))
    case 'isSystemTx':
      return bytes(item).length > 0
    case 'accessList':
      return list(item).map((entry) => {
        const [address, keys] = list(entry)
        const storageKeys = list(keys).map((key) => toHex(bytes(key)))
        return { address: toHex(bytes(address)), storageKeys }
      })
    case 'blobVersionedHashes':
      return list(item).map((hash) => toHex(bytes(hash)))
    case 'authorizationList':
      return list(item).map((entry) => {
        const fields = list(entry)
        const toJson = (name: string, at: number) => [name, fieldToJson(name, fields[at] ?? [])]
        return Object.fromEntries(AUTHORIZATION.map(toJson))
      })
    default:
      return quantity(bytesToBigInt(bytes(item)))
  }
}

/**
 * EIP-2718 bytes of a transaction.
 *
 * @param signature - replaces both `r` and `s`; default: those of the transaction
 * @throws {ChainFileError} if a field is missing or malformed, or the type is unknown
 */
export function transactionFromJson(json: JsonFields, signature?: bigint): Uint8Array {
  const type = Number(json.number('type') ?? 0n)
  const names = fieldsOf(type)
  if (names === undefined) {
    throw json.error('type', `is ${quantity(type)}, which is not a transaction type of Ethereum`)
  }
  const fields = names.map((name) => {
    if (signature === undefined) return fieldFromJson(json, name)
    if (name === 'yParity') return Uint8Array.of(1)
    return name === 'r' || name === 's' ? bigIntToBytes(signature) : fieldFromJson(json, name)
  })
  return encodeRlp(fields, type === 0 ? undefined : type)
}

function fieldFromJson(json: JsonFields, name: string): RlpInput {
  switch (name) {
    case 'to':
      return json.has('to') ? fromHex(json.requiredBytes('to', 20)) : EMPTY_BYTES
    case 'address':
    case 'from':
      return fromHex(json.requiredBytes(name, 20))
    case 'sourceHash':
      return fromHex(json.requiredBytes(name, 32))
    case 'mint':
      return bigIntToBytes(json.number(name, 256) ?? 0n)
    case 'isSystemTx':
      return json.flag(name) ? Uint8Array.of(1) : EMPTY_BYTES
    case 'input':
      return fromHex(json.requiredBytes('input'))
    case 'accessList':
      return [...json.objects('accessList')].map((entry) => [
        fromHex(entry.requiredBytes('address', 20)),
        entry.bytesList('storageKeys', 32).map(fromHex),
      ])
    case 'blobVersionedHashes':
      return json.bytesList(name, 32).map(fromHex)
    case 'authorizationList':
      return [...json.objects(name)].map((entry) =>
        AUTHORIZATION.map((field) => fieldFromJson(entry, field)),
      )
    case 'yParity':
      return bigIntToBytes(json.number(json.has('yParity') ? 'yParity' : 'v') ?? 0n)
    default:
      return bigIntToBytes(json.requiredNumber(name, 256))
  }
}

function list(item: RlpInput | undefined): readonly RlpInput[] {
  return item === undefined || item instanceof Uint8Array ? [] : item
}

function bytes(item: RlpInput | undefined): Uint8Array {
  return item instanceof Uint8Array ? item : EMPTY_BYTES
}

/**
 * Decodes a transaction of a dump into the form that the mempool holds.
 *
 * @param impersonated - sender of a transaction without a valid signature; default: the signer
 * @throws {ChainFileError} if the transaction is refused
 */
export type ReadTransaction = (
  raw: Uint8Array,
  impersonated: Hex | undefined,
  rules: ForkRules,
) => Promise<ChainTransaction>

/** Reads each transaction with the chain id that it was signed for. @param label - the dump's */
export function transactionReader(engine: Engine, label: string): ReadTransaction {
  return async (raw, impersonated, rules) => {
    try {
      const chainId = chainIdOf(raw) ?? rules.chainId
      const isOwn = chainId === rules.chainId
      const executor = await engine.executor(isOwn ? rules : sharedRules({ ...rules, chainId }))
      const sender = impersonated === undefined ? undefined : fromHex(impersonated)
      const decoded = executor.identify(executor.decode(raw), sender)
      return toChainTransaction({ ...decoded, impersonated: impersonated !== undefined })
    } catch (error) {
      if (!(error instanceof DevnetError)) throw error
      const hash = toHex(engine.crypto.keccak256(raw))
      const problem = `transaction ${hash} is refused: ${error.message}`
      throw new ChainFileError(`${label}: ${problem}.`, { cause: error })
    }
  }
}
