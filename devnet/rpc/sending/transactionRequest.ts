import type { OwnTransaction } from '../../chain/submissions.ts'
import { impersonateTransaction, signTransaction } from '../../engine/signing.ts'
import { callTransaction } from '../../execution/callTransaction.ts'
import type { CallRequest } from '../../json/schemas/callRequest.ts'
import { InvalidParamsError, RefusedError } from '../../primitives/errors.ts'
import { fromHex, type Hex } from '../../primitives/hex.ts'
import type { BlockContext } from '../../protocol/blockContext.ts'
import type { ForkRules } from '../../protocol/forks.ts'
import type { TransactionFields } from '../../protocol/transaction.ts'
import { addressKeyFromHex } from '../../state/keys.ts'
import type { RpcContext } from '../context.ts'
import { SUGGESTED_TIP } from '../queries/feeHistory.ts'
import { defaultAccount, privateKeyOf } from './unlockedAccounts.ts'

/** A request to send or sign whose gas was given or estimated. */
export interface GasRequest extends CallRequest {
  readonly gas: bigint
}

/** Facts of a chain from which the defaults of a transaction follow. */
export interface FillTerms extends Pick<BlockContext, 'baseFeePerGas' | 'blobBaseFee'> {
  readonly chainId: number
  /** The sender's next one. */
  readonly nonce: bigint
  readonly rules: Pick<ForkRules, 'baseFee' | 'replayProtection'>
  /** wei, on another chain without a base fee. */
  readonly gasPrice?: bigint | undefined
}

/**
 * Fills in the request's defaults and signs it with the key of its sender; see {@link fillRequest}.
 *
 * @throws {RefusedError} if the sender is not unlocked, or as {@link fillRequest}
 */
export function signRequest(
  context: RpcContext,
  request: GasRequest,
  terms?: FillTerms,
): OwnTransaction {
  const from = request.from ?? defaultAccount(context)
  const privateKey = privateKeyOf(context, from)
  const { engine, pending } = context.chain
  const transaction = fillRequest(context, { ...request, from }, terms)
  const { rules } = terms ?? pending.environment
  const chainId = rules.replayProtection ? BigInt((terms ?? engine).chainId) : undefined
  return {
    raw: signTransaction(transaction, chainId, privateKey, engine.crypto),
    sender: transaction.from,
  }
}

/**
 * Fills in the defaults of a request: the first account as its sender, the sender's next nonce, and
 * fees that suffice until the base fee has doubled.
 *
 * @param terms - those of another chain. Default: those of this one
 * @throws {RefusedError} if there is no sender, or for a contract creation without data
 * @throws {InvalidParamsError} if a field does not fit the transaction type, or the chain
 */
export function fillRequest(
  context: RpcContext,
  request: GasRequest,
  terms = ownTerms(context, request),
): TransactionFields {
  const from = request.from ?? defaultAccount(context)
  const { nonce, chainId, rules, gasPrice } = terms
  const transaction = {
    ...callTransaction({ ...request, from }, { gasLimit: request.gas, nonce, chainId }),
    ...fees(request, terms),
    type: typeOf(request, rules),
  }
  if (transaction.to === undefined && transaction.data.length === 0) {
    throw new RefusedError('contract creation without any data provided')
  }
  if (transaction.type >= 2 && gasPrice !== undefined) {
    throw new InvalidParamsError(
      `chain ${chainId} has no base fee (EIP-1559), so it takes no transaction of type ${transaction.type}: give it a gasPrice, and no fields of that type`,
    )
  }
  return transaction
}

function ownTerms(context: RpcContext, request: GasRequest): FillTerms {
  const { chain } = context
  const from = request.from ?? defaultAccount(context)
  if (chain.origin !== undefined) {
    const to = request.to && fromHex(request.to)
    chain.prefetch({ from: fromHex(from), to, accessList: [] })
  }
  const nonce = chain.mempool.nextNonce(addressKeyFromHex(from))
  return { ...chain.pending.environment, nonce, chainId: chain.engine.chainId }
}

/** Fields that only some transaction types have, with the first and last of these types. */
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
 * The transaction type: that of the request, or the lowest type with all given fields. Without a
 * gas price, this is at least 2 (EIP-1559) from London on.
 */
function typeOf(
  request: CallRequest,
  rules: Pick<ForkRules, 'baseFee'>,
): TransactionFields['type'] {
  const given = FIELD_TYPES.filter(({ field }) => isGiven(field, request))
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

/** An empty access list beside a type, as ethers 5 sends it, asks for nothing. */
function isGiven(field: (typeof FIELD_TYPES)[number]['field'], request: CallRequest): boolean {
  if (field === 'accessList' && request.type !== undefined) return !!request.accessList?.length
  return request[field] !== undefined
}

/** The fees of a request in wei, with defaults from the pending block. */
function fees(
  request: CallRequest,
  { baseFeePerGas, blobBaseFee, gasPrice }: FillTerms,
): Pick<TransactionFields, 'maxFeePerGas' | 'maxPriorityFeePerGas' | 'maxFeePerBlobGas'> {
  const cap = request.gasPrice ?? request.maxFeePerGas
  const suggested = cap !== undefined && cap < SUGGESTED_TIP ? cap : SUGGESTED_TIP
  const tip = request.maxPriorityFeePerGas ?? suggested
  return {
    maxFeePerGas: cap ?? gasPrice ?? capFor(tip, baseFeePerGas),
    maxPriorityFeePerGas: tip,
    maxFeePerBlobGas: request.maxFeePerBlobGas ?? capFor(0n, blobBaseFee),
  }
}

const MOST_FEE = 2n ** 256n - 1n

/** A fee cap that suffices until the base fee has doubled, as geth fills it in. */
function capFor(tip: bigint, baseFee: bigint): bigint {
  const cap = 2n * baseFee + tip
  return cap < MOST_FEE ? cap : MOST_FEE
}

/**
 * The request with a fee cap if it names only a tip, as the transaction will have: a call that
 * offers a tip above its cap is refused.
 */
export function withFeeCap(
  request: CallRequest,
  { baseFeePerGas }: Pick<BlockContext, 'baseFeePerGas'>,
): CallRequest {
  const { gasPrice, maxFeePerGas, maxPriorityFeePerGas: tip } = request
  if ((gasPrice ?? maxFeePerGas) !== undefined || tip === undefined) return request
  return { ...request, maxFeePerGas: capFor(tip, baseFeePerGas) }
}

/**
 * Fills in the request's defaults, and signs it unless its sender is impersonated.
 *
 * @throws as {@link signRequest}
 */
export function ownTransaction(context: RpcContext, request: GasRequest): OwnTransaction {
  const from = request.from ?? defaultAccount(context)
  return isImpersonated(context, from)
    ? impersonatedTransaction(context, { ...request, from })
    : signRequest(context, { ...request, from })
}

/** Fills in the request's defaults without signing it. @throws as {@link fillRequest} */
export function impersonatedTransaction(context: RpcContext, request: GasRequest): OwnTransaction {
  const { engine, pending } = context.chain
  const transaction = fillRequest(context, request)
  const chainId = pending.environment.rules.replayProtection ? BigInt(engine.chainId) : undefined
  return {
    raw: impersonateTransaction(transaction, chainId),
    sender: transaction.from,
    impersonated: true,
  }
}

/** `impersonateAll` leaves out unlocked accounts, because these can sign. */
function isImpersonated({ chain, accounts }: RpcContext, address: Hex): boolean {
  const { impersonated, impersonateAll } = chain.settings
  return impersonated.has(address) || (impersonateAll && !accounts.has(address))
}
