import { fromHex } from '../chain/bytes.ts'
import { signTransaction, type UnsignedTransaction } from '../engine/sign.ts'
import { InvalidParamsError, RefusedError } from '../errors.ts'
import type { CallRequest } from '../execution/types.ts'
import { addressKeyFromHex } from '../state/keys.ts'
import type { RpcContext } from './context.ts'
import { SUGGESTED_TIP } from './suggestedFees.ts'
import { defaultAccount, privateKeyOf } from './unlockedAccounts.ts'

/** No recipient and no code either: nothing would be created (geth's words). */
export class EmptyCreationError extends RefusedError {
  override name = 'EmptyCreationError'
  constructor() {
    super('contract creation without any data provided')
  }
}

/**
 * The request with its defaults, signed by the unlocked account it names: nonce after the mempool's, gas as much as one
 * transaction may have, fees that hold while the base fee doubles.
 *
 * @returns EIP-2718 bytes
 * @throws {UnknownAccountError} {@link NoAccountError} {@link EmptyCreationError} {@link InvalidParamsError}
 */
export function signRequest(context: RpcContext, request: CallRequest): Uint8Array {
  const from = request.from ?? defaultAccount(context)
  const privateKey = privateKeyOf(context, from)
  const { chain } = context
  const { engine, mempool } = chain
  const data = request.data === undefined ? NO_DATA : fromHex(request.data)
  if (request.to === undefined && data.length === 0) throw new EmptyCreationError()
  const type = typeOf(request)
  const transaction: UnsignedTransaction = {
    ...fees(request, type, context),
    type,
    chainId: request.chainId ?? BigInt(engine.chainId),
    nonce: request.nonce ?? mempool.nextNonce(addressKeyFromHex(from)),
    gasLimit: request.gas ?? defaultGas(context),
    to: request.to,
    value: request.value ?? 0n,
    data,
    accessList: request.accessList ?? [],
    blobVersionedHashes: request.blobVersionedHashes ?? [],
    authorizationList: request.authorizationList ?? [],
  }
  return signTransaction(transaction, privateKey, engine.crypto)
}

const NO_DATA = new Uint8Array(0)

/** Fields that only one type has, or types from one on. */
const FIELD_TYPES = [
  { field: 'gasPrice', first: 0, last: 1 },
  { field: 'accessList', first: 1, last: 4 },
  { field: 'maxFeePerGas', first: 2, last: 4 },
  { field: 'maxPriorityFeePerGas', first: 2, last: 4 },
  { field: 'maxFeePerBlobGas', first: 3, last: 3 },
  { field: 'blobVersionedHashes', first: 3, last: 3 },
  { field: 'authorizationList', first: 4, last: 4 },
] as const

/** The type that the request names, or the lowest that has all its fields; EIP-1559 where nothing speaks against it. */
function typeOf(request: CallRequest): number {
  const given = FIELD_TYPES.filter(({ field }) => request[field] !== undefined)
  const lowest = Math.max(...given.map(({ first }) => first), request.gasPrice === undefined ? 2 : 0)
  const type = request.type ?? lowest
  for (const { field, first, last } of given) {
    if (type < first || type > last) {
      throw new InvalidParamsError(`a transaction of type ${type} has no ${field}`)
    }
  }
  if (type > 4) throw new InvalidParamsError(`transaction type ${type} is not known`)
  return type
}

/** wei. */
function fees(
  request: CallRequest,
  type: number,
  { chain }: RpcContext,
): Pick<UnsignedTransaction, 'maxFeePerGas' | 'maxPriorityFeePerGas' | 'maxFeePerBlobGas'> {
  const { baseFeePerGas, blobBaseFee } = chain.pending.environment
  const cap = request.gasPrice ?? request.maxFeePerGas
  const suggested = cap !== undefined && cap < SUGGESTED_TIP ? cap : SUGGESTED_TIP
  const tip = request.maxPriorityFeePerGas ?? suggested
  return {
    maxFeePerGas: cap ?? 2n * baseFeePerGas + tip,
    maxPriorityFeePerGas: tip,
    maxFeePerBlobGas: request.maxFeePerBlobGas ?? (type === 3 ? 2n * blobBaseFee : 0n),
  }
}

/** As much gas as one transaction may have (EIP-7825). */
function defaultGas({ chain }: RpcContext): bigint {
  const { gasLimit } = chain.pending.environment
  const cap = chain.engine.rules.transactionGasCap
  return cap !== undefined && cap < gasLimit ? cap : gasLimit
}
