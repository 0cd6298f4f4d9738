import type { Engine } from '../../engine/engine.ts'
import type { SealedBlock } from '../../protocol/block.ts'
import { NO_GAS } from '../../protocol/blockGas.ts'
import {
  type BlockEnvironment,
  derivedRandao,
  openEnvironment,
} from '../../protocol/environment.ts'
import type { ForkRules } from '../../protocol/forks.ts'
import { nextTimeMs } from '../../protocol/rollup/baseTime.ts'
import { openingWrites } from '../../protocol/systemContracts.ts'
import type { StateView, VersionedStore } from '../../state/store/versionedStore.ts'
import type { Keccak256 } from '../../state/types.ts'
import type { ChainWork, Schedule } from '../chainWork.ts'
import type { ForkOrigin } from '../forkedBase.ts'
import type { History } from '../history.ts'
import { emptyContents, type PendingView } from './pendingView.ts'

/** The part of the chain's state that determines the next block's timestamp. */
interface Openable {
  readonly history: Pick<History, 'head' | 'randaoSeed'>
  readonly schedule: Schedule
  readonly work: ChainWork
}

/**
 * Opens an empty block on the newest sealed one; commits the writes of its opening system calls.
 *
 * @param options.ticks - number of ticks the block has already had. Default: 0
 * @param options.timestamp - the timestamp, in s, that the block had before it was opened again.
 *   Default: the time at which it is due to be sealed
 * @param options.rules - those of a block that was saved. Default: the scheduled ones
 */
export function openPendingBlock(
  state: Openable & {
    readonly engine: Engine
    readonly store: VersionedStore
    readonly origin?: ForkOrigin | undefined
  },
  options: {
    readonly ticks?: number
    readonly timestamp?: bigint | undefined
    readonly rules?: ForkRules | undefined
  } = {},
): PendingView {
  const { engine, history, origin } = state
  const { cheatDiffs, settings, next } = state.work
  const parent = history.head
  const number = parent.header.number + 1n
  const timestamp = next.timestamp ?? options.timestamp ?? scheduledTimestamp(state)
  const prevRandao = derivedRandao(history.randaoSeed, number, engine.crypto.keccak256)
  const baseFeePerGas = parent.number === origin?.number ? origin.firstBaseFee : undefined
  const first = baseFeePerGas === undefined ? {} : { baseFeePerGas }
  const opened = openEnvironment(
    parent,
    { ...settings, prevRandao, ...first, ...next, timestamp },
    options.rules ?? engine.schedule.at(number, timestamp),
  )
  // The gas limit of a block that is replaced has been doubled already, if it was the first London
  // block.
  const environment = { ...opened, gasLimit: next.gasLimit ?? opened.gasLimit }
  return { ...openBlock(environment, state), cheatDiffs, ticks: options.ticks ?? 0 }
}

/** Opens an empty block; commits the writes of its opening on top of its parent's state. */
export function openBlock(
  environment: BlockEnvironment,
  { engine, store }: { readonly engine: Engine; readonly store: VersionedStore },
): PendingView {
  const { parent, rules } = environment
  const before = store.view(parent.version)
  const opening = openingWrites({ ...environment, parentHash: parent.hashBytes }, before, rules)
  const state = opening === undefined ? before : store.view(store.commit(opening))
  const empty = emptyView(environment, state, engine.crypto.keccak256)
  return { ...empty, blockDiffs: opening ? [opening] : [], opening }
}

/** A block before anything happens in it, whose state is `state`. */
export function emptyView(
  environment: BlockEnvironment,
  state: StateView,
  keccak256: Keccak256,
): PendingView {
  return {
    ...emptyContents(keccak256),
    environment,
    gas: NO_GAS,
    blobGasUsed: 0n,
    logCount: 0,
    state,
    cheatDiffs: [],
    steps: [],
    blockDiffs: [],
    opening: undefined,
    accesses: [],
    ticks: 0,
  }
}

/** True if the empty pending block would get another timestamp if it was opened now. */
export function isOutdated(state: Openable & { readonly pending: PendingView }): boolean {
  const { timestamp } = state.pending.environment
  return state.work.next.timestamp === undefined && scheduledTimestamp(state) !== timestamp
}

/** The timestamp, in s, that a block opened now would get if no command chose one. */
function scheduledTimestamp({ history, schedule, work: { settings } }: Openable): bigint {
  const { head } = history
  const { timestamp } = head.header
  const { timestampInterval } = settings
  if (timestampInterval === undefined && head.rules.baseTime) return slotTime(head, schedule)
  const scheduled =
    timestampInterval === undefined
      ? BigInt(Math.floor(schedule.sealTime() / 1000))
      : timestamp + timestampInterval
  const earliest = timestamp + (schedule.equalTimestamps ? 0n : 1n)
  return scheduled > earliest ? scheduled : earliest
}

/**
 * A block of Base is 200 ms after its parent. A clock that is 2 s ahead is followed: less may be
 * the rest of the second in which the chain began, and a late seal.
 */
function slotTime(head: SealedBlock, schedule: Schedule): bigint {
  const next = nextTimeMs(head)
  const due = BigInt(Math.floor(schedule.sealTime()))
  return (due - next >= 2000n ? due : next) / 1000n
}
