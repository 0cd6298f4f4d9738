import type { AccessListEntry, Authorization, CallRequest } from '../../execution/types.ts'
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

/** EIP-2930. */
const ACCESS_LIST: Reader<AccessListEntry[]> = listOf(
  // Go's `null` would be an empty list, but geth and Hardhat's own network want one that is there.
  objectOf({
    what: 'an access list entry',
    fields: { address: address(), storageKeys: listOf(hash32(), 'a list') },
  }),
  'an access list',
)

const AUTHORIZATION: Reader<Authorization> = objectOf({
  what: 'an authorization',
  fields: {
    chainId: quantity(),
    address: address(),
    nonce: quantity64(),
    yParity: quantity64(),
    r: quantity(),
    s: quantity(),
  },
})

const FIELDS = objectOf({
  optional: {
    from: address(),
    to: address(),
    gas: quantity64(),
    gasPrice: quantity(),
    maxFeePerGas: quantity(),
    maxPriorityFeePerGas: quantity(),
    maxFeePerBlobGas: quantity(),
    value: quantity(),
    nonce: quantity64(),
    data: data(),
    input: data(),
    accessList: ACCESS_LIST,
    blobVersionedHashes: listOf(hash32(), 'a list of hashes'),
    authorizationList: listOf(AUTHORIZATION, 'a list of authorizations'),
    chainId: quantity(),
    type: quantity64(),
  },
})

const CALL_REQUEST: Reader<CallRequest> = mapped(FIELDS, readCall)

function readCall(fields: Output<typeof FIELDS>, context: ReadContext): CallRequest {
  const problem = findConflict(fields)
  if (problem !== undefined) return fail(context, problem)
  const { data, input, type, gasPrice, ...rest } = fields
  // The gas price of a transaction with fee caps is what it has paid.
  const isPaid = context.takesSent === true && rest.maxFeePerGas !== undefined
  return {
    ...rest,
    gasPrice: isPaid ? undefined : gasPrice,
    data: input ?? data,
    type: type === undefined ? undefined : Number(type),
  }
}

/**
 * The message for fields that contradict each other, in geth's words. `gasPrice` together
 * with EIP-1559 fees is checked elsewhere, because it has an error code of its own.
 */
function findConflict(fields: Output<typeof FIELDS>): string | undefined {
  const { data, input, type } = fields
  if (data !== undefined && input !== undefined && data !== input) {
    if (data.toLowerCase() !== input.toLowerCase()) {
      return 'both "data" and "input" are set and not equal. Please use "input" to pass transaction call data'
    }
  }
  if (type !== undefined && type > LAST_TYPE) return `type: unknown transaction type ${type}`
  return undefined
}
