import type { Engine } from '../engine/engine.ts'
import { daoRefund } from '../protocol/daoFork.ts'
import { type BlockEnvironment, openEnvironment } from '../protocol/environment.ts'
import { openingWrites } from '../protocol/systemContracts.ts'
import type { VersionedStore } from '../state/store/versionedStore.ts'
import { IndexTrie } from '../state/trie/indexTrie.ts'
import type { StateDiff } from '../state/types.ts'
import type { ChainState } from './chainState.ts'
import type { PendingView } from './pendingView.ts'

/** Of a block without logs; one for all, as it is never written to. */
const EMPTY_BLOOM = new Uint8Array(256)

/**
 * A fresh pending block over the newest sealed one; commits the writes of its system calls.
 *
 * @param timestamp - s; of the block when it opened first. Default: when it is due to be sealed
 */
export function openPendingView(
  state: Pick<
    ChainState,
    'engine' | 'store' | 'history' | 'schedule' | 'settings' | 'next' | 'blockDiffs'
  >,
  ticks: number,
  timestamp?: bigint,
): PendingView {
  const { engine, next } = state
  const parent = state.history.head
  const time = next.timestamp ?? timestamp ?? scheduledTimestamp(state)
  const environment = openEnvironment(
    parent,
    {
      ...state.settings,
      timestamp: time,
      baseFeePerGas: next.baseFeePerGas,
      prevRandao: next.prevRandao,
    },
    engine.schedule.at(parent.header.number + 1n, time),
    engine.crypto.keccak256,
  )
  const { view, diffs } = openView(environment, ticks, state)
  state.blockDiffs = diffs
  return view
}

/** A block before its first transaction; commits what it writes on its own, over its parent's state. */
export function openView(
  environment: BlockEnvironment,
  ticks: number,
  { engine, store }: { readonly engine: Engine; readonly store: VersionedStore },
): { readonly view: PendingView; readonly diffs: StateDiff[] } {
  const { number, parent, rules } = environment
  const diffs = [
    daoRefund(number, engine.schedule.dao, store.view(parent.version)),
    openingWrites(
      { ...environment, parentHash: parent.hashBytes },
      store.view(parent.version),
      rules,
    ),
  ].filter((diff) => diff !== undefined)
  let { version } = parent
  for (const diff of diffs) version = store.commit(diff)
  const empty = IndexTrie.empty(engine.crypto.keccak256)
  const view: PendingView = {
    environment,
    executed: [],
    gasUsed: 0n,
    blobGasUsed: 0n,
    logCount: 0,
    bloom: EMPTY_BLOOM,
    transactions: empty,
    receipts: empty,
    state: store.view(version),
    ticks,
  }
  return { view, diffs }
}

/** The timestamp, in s, of a block that opens now and has none by command. */
export function scheduledTimestamp({
  history,
  schedule,
  settings,
}: Pick<ChainState, 'history' | 'schedule' | 'settings'>): bigint {
  const { timestamp } = history.head.header
  const scheduled =
    settings.timestampInterval === undefined
      ? BigInt(Math.floor(schedule.sealTime() / 1000))
      : timestamp + settings.timestampInterval
  const earliest = timestamp + (schedule.equalTimestamps ? 0n : 1n)
  return scheduled > earliest ? scheduled : earliest
}
