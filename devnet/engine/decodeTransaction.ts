import { bytesToBigInt } from '../primitives/bytes.ts'
import { InvalidParamsError, RefusedError, RejectedError } from '../primitives/errors.ts'
import { toHex } from '../primitives/hex.ts'
import {
  RlpError,
  RlpFields,
  type RlpItem,
  readRlpItem,
  readRlpList,
} from '../primitives/rlpReader.ts'
import type { ForkRules } from '../protocol/forks.ts'
import { DEPOSIT_FIELD_COUNT, DEPOSIT_TYPE } from '../protocol/rollup/depositTransaction.ts'
import { fastLzLength } from '../protocol/rollup/fastLz.ts'
import type {
  AccessList,
  AuthorizationFields,
  DecodedTransaction,
  TransactionFields,
} from '../protocol/transaction.ts'
import { type Crypto, recoverAddress } from './crypto.ts'
import { type SignedMessage, signedMessage } from './signedMessage.ts'
import { checkFields, hasType } from './transactionRules.ts'

/** A transaction of a block, whose sender has not been recovered yet. */
export type UnidentifiedTransaction = SignedTransaction | SentByL1

/** A signed transaction whose sender has not been recovered yet. */
export interface SignedTransaction extends Unidentified {
  readonly message: SignedMessage
  readonly sender?: undefined
}

/** A deposit, which is not signed and names its sender. */
interface SentByL1 extends Unidentified {
  /** 20 bytes. */
  readonly sender: Uint8Array
}

interface Unidentified extends Omit<DecodedTransaction, 'fields' | 'impersonated'> {
  readonly fields: Omit<TransactionFields, 'from'>
}

/**
 * Decodes a transaction of a block, but does not recover its sender.
 *
 * @param bytes - EIP-2718 bytes, as in a block: without a blob sidecar; the result refers to them
 * @throws {InvalidParamsError}
 * @throws {InvalidSenderError} if the signature breaks a rule of the hardfork
 * @throws {RefusedError} if the transaction breaks a rule of the chain; with geth's message
 */
export function decodeTransaction(
  bytes: Uint8Array,
  chainId: bigint,
  rules: ForkRules,
  crypto: Pick<Crypto, 'keccak256'>,
): UnidentifiedTransaction {
  const type = typeOf(bytes, rules)
  let items: readonly RlpItem[]
  let read: ReadTransaction
  try {
    if (type === DEPOSIT_TYPE) return decodeDeposit(bytes, rules, crypto)
    items = itemsOf(bytes, type)
    read = readFields(bytes, type, items)
  } catch (error) {
    if (!(error instanceof RlpError)) throw error
    throw new InvalidParamsError(`transaction ${error.message}`, { cause: error })
  }
  const { fields, v, r, s } = read
  const boundTo = type === 0 ? eip155ChainId(v, rules) : read.chainId
  if (boundTo !== undefined && boundTo !== chainId) {
    throw new RefusedError(`invalid chain id for signer: have ${boundTo} want ${chainId}`)
  }
  checkFields(fields, rules)
  if (bytesToBigInt(s) > HALF_CURVE_ORDER && rules.lowSignatures) throw new InvalidSenderError()
  return {
    fields: rules.opStack ? { ...fields, compressedLength: fastLzLength(bytes) } : fields,
    raw: bytes,
    hash: crypto.keccak256(bytes),
    // The same bigint for all transactions of the chain, which saves memory.
    chainId: boundTo === undefined ? undefined : chainId,
    rules,
    message: signedMessage({ raw: bytes, type, items, chainId: boundTo, v, r, s }, crypto),
  }
}

/** The signature does not belong to any key, or breaks a rule of the hardfork (EIP-2, EIP-155). */
class InvalidSenderError extends RefusedError {
  override name = 'InvalidSenderError'
  constructor(problem = 'the signature is not valid', cause?: unknown) {
    super(`invalid sender: ${problem}`, { cause })
  }
}

/** The 20-byte address of the sender. @throws {InvalidSenderError} */
export function recoverSender(decoded: UnidentifiedTransaction, crypto: Crypto): Uint8Array {
  if (decoded.sender !== undefined) return decoded.sender
  const { message } = decoded
  try {
    return recoverAddress(crypto, message.hash, message.signature, message.recoveryId)
  } catch (error) {
    throw new InvalidSenderError(undefined, error)
  }
}

export function withSender(
  { fields, raw, hash, chainId, rules }: UnidentifiedTransaction,
  sender: Uint8Array,
): DecodedTransaction {
  return { raw, hash, chainId, rules, fields: { ...fields, from: sender } }
}

/** The highest s of a valid signature (EIP-2). */
export const HALF_CURVE_ORDER = 0x7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0n

/** Number of fields of a signed transaction, by type. */
const FIELD_COUNTS = [9, 11, 12, 14, 13] as const

/** As many as the type with the most fields has, and one that is too many. */
const MOST_ITEMS = 15

/** Number of fields of the signature: v, or the y parity, then r and s. */
const SIGNATURE_FIELDS = 3

type SignedType = Exclude<TransactionFields['type'], typeof DEPOSIT_TYPE>

/** The type of a transaction: a legacy one begins as a list. @throws {RefusedError} (EIP-2718) */
function typeOf(bytes: Uint8Array, rules: ForkRules): TransactionFields['type'] {
  const [first = 0xff] = bytes
  if (first >= 0x80) return 0
  switch (first) {
    case 1:
    case 2:
    case 3:
    case 4:
    case DEPOSIT_TYPE:
      if (hasType(first, rules)) return first
  }
  throw new RejectedError(
    `transaction type not supported: type ${first} under hardfork ${rules.hardfork}`,
  )
}

/** The items of a signed transaction. @throws {RlpError} @throws {InvalidParamsError} */
function itemsOf(bytes: Uint8Array, type: SignedType): readonly RlpItem[] {
  const items = allItems(bytes)
  if (type === 3 && items[0]?.isList === true) {
    throw new InvalidParamsError('a blob transaction in a block must not have its sidecar')
  }
  const count = FIELD_COUNTS[type]
  if (items.length === count - SIGNATURE_FIELDS) throw new RlpError('is not signed')
  if (items.length !== count) {
    throw new RlpError(`has ${items.length} fields, but one of type ${type} has ${count}`)
  }
  return items
}

function allItems(bytes: Uint8Array): RlpItem[] {
  const isTyped = (bytes[0] ?? 0xff) < 0x80
  const list = readRlpItem(bytes, isTyped ? 1 : 0, bytes.length)
  if (list.end < bytes.length) throw new RlpError('is not valid RLP: it has bytes after its end')
  // Bounded: a list of too many items would take long to read.
  return readRlpList(bytes, list, 'its fields', MOST_ITEMS)
}

/** Shared, as most transactions list nothing. */
const NONE: readonly never[] = []

/** A transaction's fields, and those of its signature as integers without leading zeros. */
interface ReadTransaction {
  readonly fields: Omit<TransactionFields, 'from'>
  /** 0n for a legacy transaction. */
  readonly chainId: bigint
  readonly v: bigint
  readonly r: Uint8Array
  readonly s: Uint8Array
}

/** Reads the fields in their order, which the EIPs of their types give. @throws {RlpError} */
function readFields(
  bytes: Uint8Array,
  type: SignedType,
  items: readonly RlpItem[],
): ReadTransaction {
  const source = new RlpFields(bytes, items)
  const chainId = type === 0 ? 0n : source.number('chainId', 32)
  const nonce = source.number('nonce')
  const price = source.number(type < 2 ? 'gasPrice' : 'maxPriorityFeePerGas', 32)
  const maxFeePerGas = type < 2 ? price : source.number('maxFeePerGas', 32)
  const fields = {
    type,
    nonce,
    maxPriorityFeePerGas: price,
    maxFeePerGas,
    gasLimit: source.number('gasLimit'),
    to: readRecipient(source),
    value: source.number('value', 32),
    data: source.bytes('data'),
    accessList: type === 0 ? NONE : readAccessList(bytes, source),
    maxFeePerBlobGas: type === 3 ? source.number('maxFeePerBlobGas', 32) : 0n,
    blobVersionedHashes:
      type === 3 ? readWords(bytes, source.list('blobVersionedHashes'), 'hash').map(toHex) : NONE,
    authorizationList: type === 4 ? readAuthorizations(bytes, source) : NONE,
  }
  const v = source.integer(type === 0 ? 'v' : 'yParity', 32)
  const r = source.integer('r', 32)
  const s = source.integer('s', 32)
  if ((type === 0 && v.length === 0) || r.length === 0 || s.length === 0) {
    throw new RlpError('is not signed')
  }
  const parity = bytesToBigInt(v)
  if (type !== 0 && parity > 1n) throw new RlpError(`has the y parity ${parity}, expected 0 or 1`)
  return { fields, chainId, v: parity, r, s }
}

/** @throws {RlpError} */
function decodeDeposit(
  bytes: Uint8Array,
  rules: ForkRules,
  crypto: Pick<Crypto, 'keccak256'>,
): SentByL1 {
  const items = allItems(bytes)
  if (items.length !== DEPOSIT_FIELD_COUNT) {
    throw new RlpError(`has ${items.length} fields, but a deposit has ${DEPOSIT_FIELD_COUNT}`)
  }
  const source = new RlpFields(bytes, items)
  const sourceHash = source.bytes('sourceHash', 32)
  const sender = source.bytes('from', 20)
  const to = readRecipient(source)
  const [mint, value] = [source.number('mint', 32), source.number('value', 32)]
  const gasLimit = source.number('gas')
  if (source.number('isSystemTx', 1) !== 0n) {
    throw new RlpError('is a system transaction, which no block has since Regolith')
  }
  const fields = {
    ...UNPAID,
    gasLimit,
    to,
    value,
    data: source.bytes('data'),
    deposit: { sourceHash, mint, isSystemTx: false },
  }
  const hash = crypto.keccak256(bytes)
  return { fields, raw: bytes, hash, chainId: undefined, rules, sender }
}

/** The fields of a deposit that are the same for all. */
const UNPAID = {
  type: DEPOSIT_TYPE,
  nonce: 0n,
  maxPriorityFeePerGas: 0n,
  maxFeePerGas: 0n,
  accessList: NONE,
  maxFeePerBlobGas: 0n,
  blobVersionedHashes: NONE,
  authorizationList: NONE,
} as const

function readRecipient(source: RlpFields): Uint8Array | undefined {
  const to = source.bytes('to')
  if (to.length === 0) return undefined
  if (to.length !== 20) throw new RlpError(`has ${to.length} bytes of to, expected 20 or none`)
  return to
}

function readAccessList(bytes: Uint8Array, source: RlpFields): AccessList {
  const items = source.list('accessList')
  if (items.length === 0) return NONE
  return items.map((item) => {
    const entry = new RlpFields(bytes, readRlpList(bytes, item, 'an entry of accessList'))
    if (entry.count !== 2) throw new RlpError('has an entry of accessList without two parts')
    const address = entry.bytes('address in accessList', 20)
    return [address, readWords(bytes, entry.list('slots in accessList'), 'slot')] as const
  })
}

function readAuthorizations(bytes: Uint8Array, source: RlpFields): AuthorizationFields[] {
  return source.list('authorizationList').map((item) => {
    const entry = new RlpFields(bytes, readRlpList(bytes, item, 'an authorization'))
    if (entry.count !== 6) throw new RlpError(`has an authorization of ${entry.count} fields`)
    return [
      entry.integer('chainId in an authorization', 32),
      entry.bytes('address in an authorization', 20),
      entry.integer('nonce in an authorization', 8),
      entry.integer('yParity in an authorization', 1),
      entry.integer('r in an authorization', 32),
      entry.integer('s in an authorization', 32),
    ]
  })
}

/** The items, 32 bytes each. */
function readWords(bytes: Uint8Array, items: readonly RlpItem[], name: string): Uint8Array[] {
  if (items.length === 0) return []
  const source = new RlpFields(bytes, items)
  return items.map(() => source.bytes(name, 32))
}

/**
 * The chain id in the v of a legacy transaction; `undefined` if it has none.
 *
 * @throws {InvalidParamsError} if v is none that a signature can have
 * @throws {InvalidSenderError} before EIP-155
 */
function eip155ChainId(v: bigint, rules: ForkRules): bigint | undefined {
  if (v === 27n || v === 28n) return undefined
  if (v < 35n) {
    throw new InvalidParamsError(
      `transaction has the signature value v ${v}, expected 27, 28, or 35 and more`,
    )
  }
  if (!rules.replayProtection) {
    throw new InvalidSenderError(
      'a signature that names its chain (EIP-155) is not valid before Spurious Dragon; ' +
        'sign without a chain id',
    )
  }
  return (v - 35n) / 2n
}

/** The signature of a transaction, all 0 if it is unsigned. @param raw - its EIP-2718 bytes */
export function signatureOf(raw: Uint8Array): { v: bigint; r: bigint; s: bigint } {
  const source = new RlpFields(raw, allItems(raw).slice(-SIGNATURE_FIELDS))
  return { v: source.number('v', 32), r: source.number('r', 32), s: source.number('s', 32) }
}
