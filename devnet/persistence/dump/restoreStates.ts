import { ReservedRange } from '../../chain/reservedRange.ts'
import type { Engine } from '../../engine/engine.ts'
import type { Scheduler } from '../../engine/scheduler.ts'
import { EMPTY_BYTES } from '../../primitives/bytes.ts'
import { ChainFileError } from '../../primitives/errors.ts'
import { type Hex, toHex } from '../../primitives/hex.ts'
import { type Paced, runPaced } from '../../primitives/paced.ts'
import type { SealedBlock, StateStep } from '../../protocol/block.ts'
import type { Codes } from '../../state/codes.ts'
import { isEmptyDiff } from '../../state/diffs.ts'
import { LOST_VERSION, type VersionedStore } from '../../state/store/versionedStore.ts'
import { StateTrie } from '../../state/trie/stateTrie.ts'
import type { SlotKey, StateDiff, Version } from '../../state/types.ts'
import { readState } from '../accountsJson.ts'
import type { JsonFields } from '../jsonFields.ts'
import type { BlockEntry } from './blockJson.ts'
import { readCodes, readDiff, readSteps } from './diffsText.ts'
import type { RestoredBlock } from './restoreBlock.ts'

/** What is needed to restore states. */
export interface StateSource {
  /** Name of the dump in errors. */
  readonly label: string
  readonly engine: Engine
  /** Receives the codes of the dump. */
  readonly codes: Codes
  readonly store: VersionedStore
  readonly scheduler: Scheduler
}

/**
 * Restores the state after each block from the newest state and the `undo` fields, and compares
 * each with the root in the header. Yields regularly.
 *
 * @param own - `pending_node` of the dump
 * @param entries - the blocks of the dump
 * @param blocks - the same blocks, restored
 * @returns the blocks, oldest first, and the cheats after the newest one
 * @throws {ChainFileError} if a state is malformed or has another root
 */
export async function restoreStates(
  dump: JsonFields,
  own: JsonFields,
  entries: readonly BlockEntry[],
  blocks: readonly (RestoredBlock | ReservedRange)[],
  source: StateSource,
): Promise<{
  readonly blocks: readonly (SealedBlock | ReservedRange)[]
  readonly cheatDiffs: readonly StateDiff[]
}> {
  const { engine, store, scheduler, label } = source
  const first = indexOfFirst(own, blocks)
  const diffs = await runPaced(readBlockDiffs(dump, own, entries.slice(first), source), scheduler)
  const restored = blocks.slice(0, first).map(withoutStateOf)
  let trie = StateTrie.empty(engine.crypto.keccak256)
  for (const [index, block] of blocks.slice(first).entries()) {
    const { made, cheats, steps } = diffs[index] ?? NO_CHANGES
    const sealedVersion = await runPaced(store.commitPaced(made), scheduler)
    for (const diff of [diffs[index - 1]?.cheats ?? NO_DIFF, made]) {
      trie = await runPaced(trie.applyPaced(diff, store.view(sealedVersion)), scheduler)
    }
    // In blocks loaded from anvil, the root may differ from the header, see `restoreAnvilChain`.
    const named = entries[first + index]?.json.bytes('state_root', 32)
    const { header } = block instanceof ReservedRange ? block.newest : block
    checkRoot(
      `${label}: the state after block ${firstOf(block)}`,
      trie,
      named ?? toHex(header.stateRoot),
    )
    const version = isEmptyDiff(cheats)
      ? sealedVersion
      : await runPaced(store.commitPaced(cheats), scheduler)
    if (block instanceof ReservedRange) {
      const range = block.withState({ sealedVersion, trie })
      range.newest.version = version
      restored.push(range)
    } else restored.push({ ...block, steps, version, sealedVersion, trie })
    await scheduler.yieldIfDue()
  }
  const last = diffs.at(-1)?.cheats ?? NO_DIFF
  return { blocks: restored, cheatDiffs: isEmptyDiff(last) ? [] : [last] }
}

/**
 * Restores the states of a forked chain: the changes on top of the fork block, then those of each
 * block. Roots are stand-ins, from which the next ones follow, and are not compared. Yields
 * regularly.
 *
 * @param own - `pending_node` of the dump, and its field `fork`; the codes have been read
 * @param entries - the blocks of the dump; `undefined` for the fork block
 * @param blocks - the same blocks, restored
 * @throws {ChainFileError} if a state is malformed
 */
export async function restoreForkedStates(
  { own, fork }: Record<'own' | 'fork', JsonFields>,
  entries: readonly (JsonFields | undefined)[],
  blocks: readonly (RestoredBlock | ReservedRange)[],
  { engine, codes, store, scheduler }: StateSource,
): ReturnType<typeof restoreStates> {
  const first = indexOfFirst(own, blocks)
  const read = (json: JsonFields | undefined) => runPaced(readDiff(json, codes), scheduler)
  const commit = async (diff: StateDiff, before: Version) =>
    isEmptyDiff(diff) ? before : await runPaced(store.commitPaced(diff), scheduler)
  const restored: (SealedBlock | ReservedRange)[] = blocks.slice(0, first).map(withoutStateOf)
  let last = NO_DIFF
  let version = store.head
  for (const [index, block] of blocks.entries()) {
    if (index < first) continue
    const json = entries[index]
    const changes = await read((index === first ? fork : json)?.object('changes'))
    const sealedVersion = await commit(changes, version)
    last = await read((json ?? fork).object('cheats'))
    version = await commit(last, sealedVersion)
    const { header } = block instanceof ReservedRange ? block.newest : block
    const trie = StateTrie.empty(engine.crypto.keccak256, header.stateRoot)
    if (block instanceof ReservedRange) {
      const range = block.withState({ sealedVersion, trie })
      range.newest.version = version
      restored.push(range)
    } else {
      const steps = json === undefined ? [] : await runPaced(readSteps(json, codes), scheduler)
      restored.push({ ...block, steps, version, sealedVersion, trie })
    }
    await scheduler.yieldIfDue()
  }
  return { blocks: restored, cheatDiffs: isEmptyDiff(last) ? [] : [last] }
}

const NO_DIFF: StateDiff = { accounts: new Map(), storage: new Map() }

/** Changes by a block (`made`), its steps among them, and changes by the cheats after it. */
interface BlockDiffs {
  readonly made: StateDiff
  readonly steps: readonly StateStep[]
  readonly cheats: StateDiff
}

const NO_CHANGES: BlockDiffs = { made: NO_DIFF, steps: [], cheats: NO_DIFF }

/**
 * Undoes the blocks, newest first, back to the state after the first one.
 *
 * @returns the changes by each block; for the first one, the whole state after it
 */
function* readBlockDiffs(
  dump: JsonFields,
  own: JsonFields,
  entries: readonly BlockEntry[],
  { codes }: StateSource,
): Paced<BlockDiffs[]> {
  const state = yield* readState(dump.requiredObject('accounts'), codes)
  yield* readCodes(own.object('codes'), codes)
  const diffs: BlockDiffs[] = []
  for (const [index, { json }] of [...entries.entries()].reverse()) {
    const cheats = yield* goBack(state, yield* readDiff(json.object('undo_cheats'), codes))
    const made =
      index === 0 ? state : yield* goBack(state, yield* readDiff(json.object('undo'), codes))
    diffs.push({ made, steps: yield* readSteps(json, codes), cheats })
    yield
  }
  return diffs.reverse()
}

/** Restores the older values in `undo`; returns the diff that restores the newer ones. */
function* goBack({ accounts, storage }: StateDiff, undo: StateDiff): Paced<StateDiff> {
  const redo: StateDiff = { accounts: new Map(), storage: new Map() }
  for (const [key, record] of undo.accounts) {
    redo.accounts.set(key, accounts.get(key) ?? null)
    if (record === null) accounts.delete(key)
    else accounts.set(key, record)
    yield
  }
  for (const [key, { slots }] of undo.storage) {
    const now = storage.get(key)?.slots ?? new Map<SlotKey, Uint8Array>()
    const before = new Map<SlotKey, Uint8Array>()
    for (const [slot, value] of slots) {
      before.set(slot, now.get(slot) ?? EMPTY_BYTES)
      if (value.length === 0) now.delete(slot)
      else now.set(slot, value)
      yield
    }
    storage.set(key, { cleared: false, slots: now })
    redo.storage.set(key, { cleared: false, slots: before })
  }
  return redo
}

/** @param what - what `trie` is of, as the error begins */
function checkRoot(what: string, trie: StateTrie, expected: Hex): void {
  const root = toHex(trie.root())
  if (root === expected) return
  throw new ChainFileError(`${what} has the root ${root}, expected ${expected}.`)
}

function firstOf(block: RestoredBlock | ReservedRange): number {
  return block instanceof ReservedRange ? block.first : block.number
}

/** Index of the first block whose state is in the dump. */
function indexOfFirst(own: JsonFields, blocks: readonly (RestoredBlock | ReservedRange)[]): number {
  const from = own.requiredNumber('states_from')
  const first = blocks.findIndex((block) => BigInt(firstOf(block)) === from)
  if (first < 0) throw own.error('states_from', 'is the number of no block')
  return first
}

function withoutStateOf(block: RestoredBlock | ReservedRange): SealedBlock | ReservedRange {
  return block instanceof ReservedRange ? block : withoutState(block)
}

/** A block whose state is not in the dump. */
export function withoutState(block: RestoredBlock): SealedBlock {
  return { ...block, version: LOST_VERSION, sealedVersion: LOST_VERSION, trie: undefined }
}
