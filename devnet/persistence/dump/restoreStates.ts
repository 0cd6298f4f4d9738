import { ReservedRange } from '../../chain/reservedRange.ts'
import type { Engine } from '../../engine/engine.ts'
import type { Scheduler } from '../../engine/scheduler.ts'
import { EMPTY_BYTES } from '../../primitives/bytes.ts'
import { ChainFileError } from '../../primitives/errors.ts'
import { toHex } from '../../primitives/hex.ts'
import { type Paced, runPaced } from '../../primitives/paced.ts'
import type { SealedBlock, StateStep } from '../../protocol/block.ts'
import type { BlockHeader } from '../../protocol/header.ts'
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
  const { engine, scheduler, label } = source
  const first = indexOfFirst(own, blocks)
  const diffs = await runPaced(readBlockDiffs(dump, own, entries.slice(first), source), scheduler)
  const restored = blocks.slice(0, first).map(withoutState)
  let trie = StateTrie.empty(engine.crypto.keccak256)
  let last = NO_DIFF
  for (const [index, { made, cheats, steps }] of diffs.entries()) {
    const block = blocks[first + index]
    if (block === undefined) break
    const sealedVersion = await commit(made, source)
    if (firstOf(block) === 0) source.store.noteGenesis(sealedVersion)
    for (const diff of [last, made]) {
      trie = await runPaced(trie.applyPaced(diff, source.store.view(sealedVersion)), scheduler)
    }
    // In blocks loaded from anvil, the root may differ from the header, see `restoreAnvilChain`.
    const named = entries[first + index]?.json.bytes('state_root', 32)
    const expected = named ?? toHex(headerOf(block).stateRoot)
    const root = toHex(trie.root())
    if (root !== expected) {
      throw new ChainFileError(
        `${label}: the state after block ${firstOf(block)} has the root ${root}, expected ${expected}.`,
      )
    }
    const version = isEmptyDiff(cheats) ? sealedVersion : await commit(cheats, source)
    restored.push(withState(block, { steps, version, sealedVersion, trie }))
    last = cheats
    await scheduler.yieldIfDue()
  }
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
  source: StateSource,
): ReturnType<typeof restoreStates> {
  const { engine, codes, store, scheduler } = source
  const first = indexOfFirst(own, blocks)
  const read = (json: JsonFields, name: string) =>
    runPaced(readDiff(json.objectOrEmpty(name), codes), scheduler)
  const restored = blocks.slice(0, first).map(withoutState)
  let last = NO_DIFF
  let version = store.head
  for (const [index, block] of blocks.entries()) {
    if (index < first) continue
    const json = entries[index]
    const changes = await read(index === first ? fork : (json ?? fork), 'changes')
    const sealedVersion = isEmptyDiff(changes) ? version : await commit(changes, source)
    last = await read(json ?? fork, 'cheats')
    version = isEmptyDiff(last) ? sealedVersion : await commit(last, source)
    const trie = StateTrie.empty(engine.crypto.keccak256, headerOf(block).stateRoot)
    const steps = json === undefined ? [] : await runPaced(readSteps(json, codes), scheduler)
    restored.push(withState(block, { steps, version, sealedVersion, trie }))
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
  yield* readCodes(own.objectOrEmpty('codes'), codes)
  const diffs: BlockDiffs[] = []
  for (const [index, { json }] of [...entries.entries()].reverse()) {
    const undone = (name: string) => readDiff(json.objectOrEmpty(name), codes)
    const cheats = yield* goBack(state, yield* undone('undo_cheats'))
    const made = index === 0 ? state : yield* goBack(state, yield* undone('undo'))
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

function commit(diff: StateDiff, { store, scheduler }: StateSource): Promise<Version> {
  return runPaced(store.commitPaced(diff), scheduler)
}

function headerOf(block: RestoredBlock | ReservedRange): BlockHeader {
  return block instanceof ReservedRange ? block.newest.header : block.header
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

/** A block whose state is not in the dump. */
export function withoutState(block: RestoredBlock | ReservedRange): SealedBlock | ReservedRange {
  if (block instanceof ReservedRange) return block
  return { ...block, version: LOST_VERSION, sealedVersion: LOST_VERSION, trie: undefined }
}

function withState(
  block: RestoredBlock | ReservedRange,
  { steps, version, ...state }: Pick<SealedBlock, 'steps' | 'version' | 'sealedVersion' | 'trie'>,
): SealedBlock | ReservedRange {
  if (!(block instanceof ReservedRange)) return { ...block, ...state, steps, version }
  const range = block.withState(state)
  range.newest.version = version
  return range
}
