import { isEmptyDiff } from '../state/diffs.ts'
import type { StateDiff } from '../state/types.ts'
import { openBlock } from './building/openPendingBlock.ts'
import { isEmptyBlock, type PendingStep, type PendingView } from './building/pendingView.ts'
import type { ChainState } from './chainState.ts'
import { type Cheat, cheatDiff } from './cheats.ts'

/**
 * Applies a cheat on top of `view`, which it may abandon. On an empty block it changes the newest
 * sealed state; otherwise it becomes a step behind the transactions.
 *
 * @returns the view that shows it
 */
export function applyCheat(cheat: Cheat, view: PendingView, state: ChainState): PendingView {
  const { engine, history, store } = state
  const isStep = !isEmptyBlock(view)
  const before = isStep ? view.state : store.view(history.head.version)
  const diff = cheatDiff(cheat, before, engine.codes)
  if (isStep) return addStep(view, { diff, cheat }, state)
  if (isEmptyDiff(diff)) return view
  changeSealed(diff, state)
  return openAgain(view, state)
}

/** Adds a step behind the transactions of a pending block; commits its change. */
export function addStep(
  view: PendingView,
  { diff, cheat }: Pick<PendingStep, 'diff' | 'cheat'>,
  { store }: Pick<ChainState, 'store'>,
): PendingView {
  return {
    ...view,
    steps: [...view.steps, { after: view.executed.length, cheat, diff }],
    blockDiffs: [...view.blockDiffs, diff],
    state: isEmptyDiff(diff) ? view.state : store.view(store.commit(diff)),
  }
}

/**
 * Changes the newest sealed state by command. Abandons what was committed since, such as the
 * opening of the pending block.
 */
export function changeSealed(diff: StateDiff, state: ChainState): void {
  const { store, history } = state
  store.abandon(history.head.version)
  history.head.version = store.commit(diff)
  state.update({ cheatDiffs: [...state.work.cheatDiffs, diff] })
}

/** Opens an empty block in the environment of `view`, on the newest sealed state. */
export function openAgain(
  { environment, ticks }: Pick<PendingView, 'environment' | 'ticks'>,
  state: ChainState,
): PendingView {
  return { ...openBlock(environment, state), cheatDiffs: state.work.cheatDiffs, ticks }
}
