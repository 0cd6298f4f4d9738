import type { OwnTransaction } from '../../chain/submissions.ts'
import { impersonateTransaction, signTransaction } from '../../engine/signing.ts'
import type { UnsignedTransaction } from '../../engine/unsignedTransaction.ts'
import { callTransaction } from '../../execution/callTransaction.ts'
import type { CallRequest } from '../../execution/types.ts'
import { InvalidParamsError, RefusedError } from '../../primitives/errors.ts'
import type { Hex } from '../../primitives/hex.ts'
import type { ForkRules } from '../../protocol/forks.ts'
import { addressKeyFromHex } from '../../state/keys.ts'
import type { RpcContext } from '../context.ts'
import { SUGGESTED_TIP } from '../queries/feeHistory.ts'
import { defaultAccount, privateKeyOf } from './unlockedAccounts.ts'

/**
 * The request with its defaults, signed by the unlocked account it names; see {@link fillRequest}.
 *
 * @throws {RefusedError} {@link InvalidParamsError}
 */
export function signRequest(context: RpcContext, request: CallRequest): OwnTransaction {
  const from = request.from ?? defaultAccount(context)
  const privateKey = privateKeyOf(context, from)
  const { chainId, crypto } = context.chain.engine
  const { rules } = context.chain.pending.environment
  const transaction = fillRequest(context, { ...request, from })
  const signedChainId = rules.replayProtection ? BigInt(chainId) : undefined
  return {
    raw: signTransaction(transaction, signedChainId, privateKey, crypto),
    sender: transaction.from,
  }
}

/**
 * The request with its defaults: the first account, the next nonce, the most gas that a transaction
 * may have, fees that suffice until the base fee has doubled.
 *
 * @throws {RefusedError} {@link InvalidParamsError}
 */
export function fillRequest(context: RpcContext, request: CallRequest): UnsignedTransaction {
  const { chain } = context
  const from = request.from ?? defaultAccount(context)
  const transaction = {
    ...callTransaction(
      { ...request, from },
      {
        gasLimit: defaultGas(context),
        nonce: chain.mempool.nextNonce(addressKeyFromHex(from)),
        chainId: chain.engine.chainId,
      },
    ),
    ...fees(request, context),
    type: typeOf(request, chain.pending.environment.rules),
  }
  if (transaction.to === undefined && transaction.data.length === 0) {
    throw new RefusedError('contract creation without any data provided')
  }
  return transaction
}

/** Fields that only some types have, with the first and last of these types. */
const FIELD_TYPES = [
  { field: 'gasPrice', first: 0, last: 1 },
  { field: 'accessList', first: 1, last: 4 },
  { field: 'maxFeePerGas', first: 2, last: 4 },
  { field: 'maxPriorityFeePerGas', first: 2, last: 4 },
  { field: 'maxFeePerBlobGas', first: 3, last: 3 },
  { field: 'blobVersionedHashes', first: 3, last: 3 },
  { field: 'authorizationList', first: 4, last: 4 },
] as const

/**
 * The type that the request names, or the lowest with all its fields; at least EIP-1559 without a
 * gas price.
 */
function typeOf(request: CallRequest, rules: ForkRules): UnsignedTransaction['type'] {
  const given = FIELD_TYPES.filter(({ field }) => request[field] !== undefined)
  const lowest = Math.max(
    request.gasPrice === undefined && rules.baseFee ? 2 : 0,
    ...given.map(({ first }) => first),
  )
  const type = request.type ?? lowest
  for (const { field, first, last } of given) {
    if (type < first || type > last) {
      throw new InvalidParamsError(`a transaction of type ${type} has no ${field}`)
    }
  }
  switch (type) {
    case 0:
    case 1:
    case 2:
    case 3:
    case 4:
      return type
    default:
      throw new InvalidParamsError(`transaction type ${type} is not known`)
  }
}

/** wei. */
function fees(
  request: CallRequest,
  { chain }: RpcContext,
): Pick<UnsignedTransaction, 'maxFeePerGas' | 'maxPriorityFeePerGas' | 'maxFeePerBlobGas'> {
  const { baseFeePerGas, blobBaseFee } = chain.pending.environment
  const cap = request.gasPrice ?? request.maxFeePerGas
  const suggested = cap !== undefined && cap < SUGGESTED_TIP ? cap : SUGGESTED_TIP
  const tip = request.maxPriorityFeePerGas ?? suggested
  return {
    maxFeePerGas: cap ?? 2n * baseFeePerGas + tip,
    maxPriorityFeePerGas: tip,
    maxFeePerBlobGas: request.maxFeePerBlobGas ?? 2n * blobBaseFee,
  }
}

/**
 * Default gas of a sent transaction: the block gas limit, from Osaka on at most 2^24 (EIP-7825).
 */
function defaultGas({ chain }: RpcContext): bigint {
  const { gasLimit } = chain.pending.environment
  const cap = chain.pending.environment.rules.transactionGasCap
  return cap !== undefined && cap < gasLimit ? cap : gasLimit
}

/**
 * The request with its defaults: signed if its account is unlocked, unsigned if it is impersonated.
 *
 * @throws {RefusedError} {@link InvalidParamsError}
 */
export function ownTransaction(context: RpcContext, request: CallRequest): OwnTransaction {
  const from = request.from ?? defaultAccount(context)
  return isImpersonated(context, from)
    ? impersonatedTransaction(context, { ...request, from })
    : signRequest(context, { ...request, from })
}

/** The request with its defaults, unsigned. @throws {RefusedError} {@link InvalidParamsError} */
export function impersonatedTransaction(context: RpcContext, request: CallRequest): OwnTransaction {
  const { engine, pending } = context.chain
  const transaction = fillRequest(context, request)
  const chainId = pending.environment.rules.replayProtection ? BigInt(engine.chainId) : undefined
  return {
    raw: impersonateTransaction(transaction, chainId),
    sender: transaction.from,
    impersonated: true,
  }
}

/** An unlocked account can sign, so it is impersonated only by name. */
function isImpersonated({ chain, accounts }: RpcContext, address: Hex): boolean {
  const { impersonated, impersonateAll } = chain.settings
  return impersonated.has(address) || (impersonateAll && !accounts.has(address))
}
