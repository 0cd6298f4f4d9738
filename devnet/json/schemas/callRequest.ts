import * as z from 'zod'
import type { AccessListEntry, Authorization, CallRequest } from '../../execution/types.ts'
import {
  address,
  type Context,
  data,
  fail,
  hash32,
  quantity,
  quantity64,
  wanted,
} from '../params.ts'

// Largest transaction type of EIP-2718.
const LAST_TYPE = 0x7fn

/** A call, or a transaction to be signed; unknown fields are ignored, and `null` means absent. */
export const callRequest = (): z.ZodType<CallRequest> => CALL_REQUEST

/** An access list (EIP-2930). */
export const accessList = (): z.ZodType<AccessListEntry[]> => ACCESS_LIST

const ACCESS_LIST = z.array(
  z
    .object(
      { address: address(), storageKeys: z.array(hash32(), wanted('a list')).nullish() },
      wanted('an access list entry'),
    )
    .transform(({ address, storageKeys }) => ({ address, storageKeys: storageKeys ?? [] })),
  wanted('an access list'),
)

const AUTHORIZATION: z.ZodType<Authorization> = z.object(
  {
    chainId: quantity(),
    address: address(),
    nonce: quantity64(),
    yParity: quantity64(),
    r: quantity(),
    s: quantity(),
  },
  wanted('an authorization'),
)

const FIELDS = z.object(
  {
    from: address().nullish(),
    to: address().nullish(),
    gas: quantity64().nullish(),
    gasPrice: quantity().nullish(),
    maxFeePerGas: quantity().nullish(),
    maxPriorityFeePerGas: quantity().nullish(),
    maxFeePerBlobGas: quantity().nullish(),
    value: quantity().nullish(),
    nonce: quantity64().nullish(),
    data: data().nullish(),
    input: data().nullish(),
    accessList: ACCESS_LIST.nullish(),
    blobVersionedHashes: z.array(hash32(), wanted('a list of hashes')).nullish(),
    authorizationList: z.array(AUTHORIZATION, wanted('a list of authorizations')).nullish(),
    chainId: quantity().nullish(),
    type: quantity64().nullish(),
  },
  wanted('an object'),
)

const CALL_REQUEST: z.ZodType<CallRequest> = FIELDS.transform(readCall)

function readCall(fields: z.output<typeof FIELDS>, context: Context): CallRequest {
  const problem = findConflict(fields)
  if (problem !== undefined) return fail(context, problem)
  // Written out, because a generic loop takes twice the time, and most requests contain a call.
  return {
    from: fields.from ?? undefined,
    to: fields.to ?? undefined,
    gas: fields.gas ?? undefined,
    gasPrice: fields.gasPrice ?? undefined,
    maxFeePerGas: fields.maxFeePerGas ?? undefined,
    maxPriorityFeePerGas: fields.maxPriorityFeePerGas ?? undefined,
    maxFeePerBlobGas: fields.maxFeePerBlobGas ?? undefined,
    value: fields.value ?? undefined,
    nonce: fields.nonce ?? undefined,
    data: fields.input ?? fields.data ?? undefined,
    accessList: fields.accessList ?? undefined,
    blobVersionedHashes: fields.blobVersionedHashes ?? undefined,
    authorizationList: fields.authorizationList ?? undefined,
    chainId: fields.chainId ?? undefined,
    type: typeof fields.type === 'bigint' ? Number(fields.type) : undefined,
  }
}

/**
 * The message for fields that contradict each other, in geth's words. `gasPrice` together
 * with EIP-1559 fees is checked elsewhere, because it has an error code of its own.
 */
function findConflict(fields: z.output<typeof FIELDS>): string | undefined {
  const { data, input, type } = fields
  if (isGiven(data) && isGiven(input) && data !== input) {
    if (data.toLowerCase() !== input.toLowerCase()) {
      return 'both "data" and "input" are set and not equal. Please use "input" to pass transaction call data'
    }
  }
  if (isGiven(type) && type > LAST_TYPE) return `type: unknown transaction type ${type}`
  return undefined
}

function isGiven<T>(value: T): value is NonNullable<T> {
  return value !== undefined && value !== null
}
