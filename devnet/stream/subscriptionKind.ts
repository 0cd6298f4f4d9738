import type { Chain } from '../chain/chain.ts'
import type { PositionalParams } from '../json/params.ts'
import type { StartSubscription } from './subscriptions.ts'

/**
 * A kind of subscription. `args` are the parameters of `eth_subscribe`, beginning with the name of
 * the kind; they are checked before anything starts. @throws {InvalidParamsError}
 */
export type SubscriptionKind = (chain: Chain, args: readonly unknown[]) => StartSubscription

/** Makes a kind whose `start` gets the parameters as the schema reads them. */
export function defineKind<Params extends readonly unknown[]>(
  params: PositionalParams<Params>,
  start: (chain: Chain, params: Params) => StartSubscription,
): SubscriptionKind {
  return (chain, args) => start(chain, params.read(args))
}
