import type { Chain } from '../chain/chain.ts'
import { createLogMatcher, type LogCriteria } from '../rpc/logMatch.ts'
import { params } from '../rpc/params.ts'
import { logFilter } from '../rpc/schemas/logFilter.ts'
import { text } from '../rpc/schemas/plain.ts'
import type { Feed } from './feed.ts'
import type { LogBatch } from './logBatch.ts'
import { defineKind, type SubscriptionKind } from './subscriptionKind.ts'

const EVERY_LOG: LogCriteria = { addresses: [], topics: [] }

/** A kind that sends logs, one a message. Only addresses and topics of its filter count: what is new has no range. */
export function logsKind(feed: (chain: Chain) => Feed<LogBatch>): SubscriptionKind {
  return defineKind(params(text(), logFilter().optional()), ({ chain }, [, filter = EVERY_LOG]) => {
    const matcher = createLogMatcher(filter, chain.engine.crypto.keccak256)
    return (push) => feed(chain).subscribe((batch) => batch.sendTo(push, matcher))
  })
}
