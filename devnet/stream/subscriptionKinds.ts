import { logs } from './logs.ts'
import { newFlashblocks } from './newFlashblocks.ts'
import { newFlashblockTransactions } from './newFlashblockTransactions.ts'
import { newHeads } from './newHeads.ts'
import { newPendingTransactions } from './newPendingTransactions.ts'
import { pendingLogs } from './pendingLogs.ts'
import type { SubscriptionKind } from './subscriptionKind.ts'
import { syncing } from './syncing.ts'

/** The kinds by the name that `eth_subscribe` takes: geth's, then Base's for what is pre-confirmed. */
export const subscriptionKinds: ReadonlyMap<string, SubscriptionKind> = new Map([
  ['newHeads', newHeads],
  ['logs', logs],
  ['newPendingTransactions', newPendingTransactions],
  ['syncing', syncing],
  ['newFlashblocks', newFlashblocks],
  ['newFlashblockTransactions', newFlashblockTransactions],
  ['pendingLogs', pendingLogs],
])
