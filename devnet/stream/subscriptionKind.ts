import type { RpcContext } from '../rpc/context.ts'
import type { PositionalParams } from '../rpc/params.ts'
import type { StartSubscription } from './subscriptions.ts'

/**
 * What can be subscribed to. `args` are the parameters of `eth_subscribe`, the name of the kind first; they are
 * checked before anything starts. @throws {InvalidParamsError}
 */
export type SubscriptionKind = (context: RpcContext, args: readonly unknown[]) => StartSubscription

/** Defines a kind; exists so that the types of the parameters follow from their schema. */
export function defineKind<Params extends readonly unknown[]>(
  params: PositionalParams<Params>,
  start: (context: RpcContext, params: Params) => StartSubscription,
): SubscriptionKind {
  return (context, args) => start(context, params.read(args))
}
