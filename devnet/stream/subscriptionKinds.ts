import type { RpcContext } from '../rpc/context.ts'
import { newHeads } from './newHeads.ts'
import type { StartSubscription } from './subscriptions.ts'

/**
 * What can be subscribed to. `extra` is the second parameter of `eth_subscribe`, `undefined` where there is none; a
 * kind checks it before it starts. @throws {InvalidParamsError}
 */
export type SubscriptionKind = (context: RpcContext, extra: unknown) => StartSubscription

/** The kinds by the name that `eth_subscribe` takes. */
export const subscriptionKinds: ReadonlyMap<string, SubscriptionKind> = new Map([
  ['newHeads', newHeads],
])
