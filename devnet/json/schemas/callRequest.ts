import type { Hex } from '../../primitives/hex.ts'
import {
  fail,
  listOf,
  mapped,
  type Output,
  objectOf,
  type ReadContext,
  type Reader,
} from '../../primitives/reader.ts'
import { address, data, hash32, quantity, quantity64 } from '../params.ts'

// Largest transaction type of EIP-2718.
const LAST_TYPE = 0x7fn

/** A call, or a transaction to be signed; unknown fields are ignored, and `null` means absent. */
export const callRequest = (): Reader<CallRequest> => CALL_REQUEST

/**
 * A call or an unsigned transaction. Prices are in wei, and hexadecimal text is lower case, except
 * `data`, which is passed on as given.
 */
export type CallRequest = Omit<Fields, 'input'>

/** An account and its slots that a transaction declares to access (EIP-2930). */
export type AccessListEntry = Output<typeof ACCESS_LIST_ENTRY>

/** A signed delegation of an account to code (EIP-7702). */
export type Authorization = Output<typeof AUTHORIZATION>

type Fields = Output<typeof FIELDS>

// Go's `null` would be an empty list, but geth and Hardhat's own network want one that is there.
const STORAGE_KEYS: Reader<readonly Hex[]> = listOf(hash32(), 'a list')

const ACCESS_LIST_ENTRY = objectOf({
  what: 'an access list entry',
  fields: { address: address(), storageKeys: STORAGE_KEYS },
})

const AUTHORIZATION = objectOf({
  what: 'an authorization',
  fields: {
    /** 0 for any chain. */
    chainId: quantity(),
    address: address(),
    nonce: quantity64(),
    yParity: quantity64(),
    r: quantity(),
    s: quantity(),
  },
})

/** A transaction's type (EIP-2718). */
const TYPE = mapped(quantity64(), (type, context) =>
  type > LAST_TYPE ? fail(context, `unknown transaction type ${type}`) : Number(type),
)

const FIELDS = objectOf({
  optional: {
    from: address(),
    /** None creates a contract. */
    to: address(),
    gas: quantity64(),
    /** Refused together with the two fees below. */
    gasPrice: quantity(),
    maxFeePerGas: quantity(),
    maxPriorityFeePerGas: quantity(),
    maxFeePerBlobGas: quantity(),
    value: quantity(),
    nonce: quantity64(),
    /** Of a {@link CallRequest}: this or `input`. */
    data: data(),
    input: data(),
    accessList: listOf(ACCESS_LIST_ENTRY, 'an access list'),
    blobVersionedHashes: listOf(hash32(), 'a list of hashes'),
    authorizationList: listOf(AUTHORIZATION, 'a list of authorizations'),
    chainId: quantity(),
    type: TYPE,
  },
})

const CALL_REQUEST: Reader<CallRequest> = mapped(FIELDS, readCall)

// `gasPrice` together with EIP-1559 fees is refused elsewhere: its error has a code of its own.
function readCall(fields: Fields, context: ReadContext): CallRequest {
  const { data, input, gasPrice, ...rest } = fields
  const isTwice = data !== undefined && input !== undefined && data !== input
  if (isTwice && data.toLowerCase() !== input.toLowerCase()) {
    return fail(
      context,
      'both "data" and "input" are set and not equal. Please use "input" to pass transaction call data',
    )
  }
  // The gas price of a transaction with fee caps is what it has paid.
  const isPaid = context.takesSent === true && rest.maxFeePerGas !== undefined
  return {
    ...rest,
    gasPrice: isPaid ? undefined : gasPrice,
    data: input ?? data,
  }
}
