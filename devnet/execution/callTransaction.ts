import type { Authorization, CallRequest } from '../json/schemas/callRequest.ts'
import { bigIntToBytes, EMPTY_BYTES, ZERO_ADDRESS } from '../primitives/bytes.ts'
import { ErrorCode } from '../primitives/errors.ts'
import { fromHex } from '../primitives/hex.ts'
import type { AuthorizationFields, TransactionFields } from '../protocol/transaction.ts'
import { CallRefusedError } from './callErrors.ts'

/**
 * The transaction that a request describes. Its type follows from the given fields, as in geth;
 * fees that are not given are 0.
 *
 * @param defaults - values for fields that the request omits
 * @throws {CallRefusedError} if `gasPrice` is combined with EIP-1559 fees, or the chain id is wrong
 */
export function callTransaction(
  request: CallRequest,
  defaults: { readonly gasLimit: bigint; readonly nonce: bigint; readonly chainId: number },
): TransactionFields {
  const { gasPrice, maxFeePerGas, maxPriorityFeePerGas, chainId } = request
  const hasFeeCaps = maxFeePerGas !== undefined || maxPriorityFeePerGas !== undefined
  if (gasPrice !== undefined && hasFeeCaps) {
    throw new CallRefusedError(
      'both gasPrice and (maxFeePerGas or maxPriorityFeePerGas) specified',
      ErrorCode.server,
    )
  }
  if (chainId !== undefined && chainId !== BigInt(defaults.chainId)) {
    throw new CallRefusedError(
      `chainId does not match node's (have=${chainId}, want=${defaults.chainId})`,
      ErrorCode.server,
    )
  }
  return {
    type: typeOf(request),
    from: request.from === undefined ? ZERO_ADDRESS : fromHex(request.from),
    to: request.to === undefined ? undefined : fromHex(request.to),
    nonce: request.nonce ?? defaults.nonce,
    gasLimit: request.gas ?? defaults.gasLimit,
    value: request.value ?? 0n,
    data: request.data === undefined ? EMPTY_BYTES : fromHex(request.data),
    maxFeePerGas: gasPrice ?? maxFeePerGas ?? 0n,
    maxPriorityFeePerGas: gasPrice ?? maxPriorityFeePerGas ?? 0n,
    accessList: (request.accessList ?? []).map(({ address, storageKeys }) => [
      fromHex(address),
      storageKeys.map(fromHex),
    ]),
    maxFeePerBlobGas: request.maxFeePerBlobGas ?? 0n,
    blobVersionedHashes: request.blobVersionedHashes ?? [],
    authorizationList: (request.authorizationList ?? []).map(authorizationFields),
  }
}

function typeOf(request: CallRequest): TransactionFields['type'] {
  if (request.authorizationList !== undefined) return 4
  if (request.blobVersionedHashes !== undefined) return 3
  if (request.gasPrice === undefined) return 2
  return request.accessList === undefined ? 0 : 1
}

function authorizationFields(authorization: Authorization): AuthorizationFields {
  const { chainId, address, nonce, yParity, r, s } = authorization
  return [
    bigIntToBytes(chainId),
    fromHex(address),
    bigIntToBytes(nonce),
    bigIntToBytes(yParity),
    bigIntToBytes(r),
    bigIntToBytes(s),
  ]
}
