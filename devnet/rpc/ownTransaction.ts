import type { OwnTransaction } from '../chain/submissions.ts'
import { impersonateTransaction } from '../engine/sign.ts'
import type { CallRequest } from '../execution/types.ts'
import type { Hex } from '../types.ts'
import type { RpcContext } from './context.ts'
import { fillRequest, signRequest } from './transactionRequest.ts'
import { defaultAccount } from './unlockedAccounts.ts'

/**
 * The request with its defaults, from the account that it names: signed where that is unlocked, unsigned where it is
 * impersonated.
 *
 * @throws {UnknownAccountError} {@link NoAccountError}, {@link EmptyCreationError}, {@link InvalidParamsError}
 */
export function ownTransaction(context: RpcContext, request: CallRequest): OwnTransaction {
  const from = request.from ?? defaultAccount(context)
  return isImpersonated(context, from)
    ? impersonatedTransaction(context, { ...request, from })
    : signRequest(context, { ...request, from })
}

/** The request with its defaults, unsigned. @throws {NoAccountError} {@link EmptyCreationError}, {@link InvalidParamsError} */
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

/** An unlocked account is impersonated only by name: otherwise it can sign. */
function isImpersonated({ chain, accounts }: RpcContext, address: Hex): boolean {
  const { impersonated, impersonateAll } = chain.standing
  return impersonated.has(address) || (impersonateAll && !accounts.has(address))
}
