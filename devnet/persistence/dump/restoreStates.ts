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
import { emptyDiff, isEmptyDiff } from '../../state/diffs.ts'
import { LOST_VERSION, type VersionedStore } from '../../state/store/versionedStore.ts'
import { StateTrie } from '../../state/trie/stateTrie.ts'
import type { SlotKey, StateDiff } from '../../state/types.ts'
import { readState } from '../accountsJson.ts'
import type { JsonFields } from '../jsonFields.ts'
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
 * Restores the states after each block from the changes that the dump names, and compares each with
 * the root in the header. On a forked chain, roots are stand-ins, from which the next ones follow,
 * and are not compared. Yields regularly.
 *
 * @param own - `pending_node` of the dump
 * @param entries - the blocks of the dump; in the place of the fork block, its field `fork`
 * @param blocks - the same blocks, restored
 * @returns the blocks, oldest first, and the cheats after the newest one
 * @throws {ChainFileError} if a state is malformed or has another root
 */
export async function restoreStates(
  { fields, own }: Record<'fields' | 'own', JsonFields>,
  entries: readonly JsonFields[],
  blocks: readonly (RestoredBlock | ReservedRange)[],
  source: StateSource,
): Promise<{
  readonly blocks: readonly (SealedBlock | ReservedRange)[]
  readonly cheatDiffs: readonly StateDiff[]
}> {
  const { engine, codes, store, scheduler, label } = source
  const commit = (diff: StateDiff) => runPaced(store.commitPaced(diff), scheduler)
  const first = indexOfFirst(own, blocks)
  const fork = own.object('fork')
  const known = entries.slice(first)
  const read = fork ? forkedDiffs(fork, known, codes) : undoneDiffs({ fields, own }, known, codes)
  const restored = blocks.slice(0, first).map(withoutState)
  let trie = StateTrie.empty(engine.crypto.keccak256)
  let last = emptyDiff()
  let version = store.head
  for (const [index, { made, cheats, steps }] of (await runPaced(read, scheduler)).entries()) {
    const block = blocks[first + index]
    if (block === undefined) break
    const sealedVersion = isEmptyDiff(made) ? version : await commit(made)
    const root = headerOf(block).stateRoot
    if (fork !== undefined) trie = StateTrie.empty(engine.crypto.keccak256, root)
    else {
      if (firstOf(block) === 0) store.noteGenesis(sealedVersion)
      for (const diff of [last, made]) {
        trie = await runPaced(trie.applyPaced(diff, store.view(sealedVersion)), scheduler)
      }
      // In blocks loaded from anvil, the root may differ from the header, see `restoreAnvilChain`.
      const expected = entries[first + index]?.bytes('state_root', 32) ?? toHex(root)
      const found = toHex(trie.root())
      if (found !== expected) {
        throw new ChainFileError(
          `${label}: the state after block ${firstOf(block)} has the root ${found}, expected ${expected}.`,
        )
      }
    }
    version = isEmptyDiff(cheats) ? sealedVersion : await commit(cheats)
    restored.push(withState(block, { steps, version, sealedVersion, trie }))
    last = cheats
    await scheduler.yieldIfDue()
  }
  return { blocks: restored, cheatDiffs: isEmptyDiff(last) ? [] : [last] }
}

/** Changes by a block (`made`), its steps among them, and changes by the cheats after it. */
interface BlockDiffs {
  readonly made: StateDiff
  readonly steps: readonly StateStep[]
  readonly cheats: StateDiff
}

/**
 * Reads the changes by the blocks of a forked chain, whose codes have been read.
 *
 * @param fork - field of the dump; has the changes from the fork block up to the first block
 */
function* forkedDiffs(
  fork: JsonFields,
  entries: readonly JsonFields[],
  codes: Codes,
): Paced<BlockDiffs[]> {
  const diffs: BlockDiffs[] = []
  for (const [index, json] of entries.entries()) {
    const changes = (index === 0 ? fork : json).objectOrEmpty('changes')
    const made = yield* readDiff(changes, codes)
    const cheats = yield* readDiff(json.objectOrEmpty('cheats'), codes)
    diffs.push({ made, steps: yield* readSteps(json, codes), cheats })
    yield
  }
  return diffs
}

/**
 * Undoes the blocks, newest first, back to the state after the first one.
 *
 * @returns the changes by each block; for the first one, the whole state after it
 */
function* undoneDiffs(
  { fields, own }: Record<'fields' | 'own', JsonFields>,
  entries: readonly JsonFields[],
  codes: Codes,
): Paced<BlockDiffs[]> {
  const state = yield* readState(fields.requiredObject('accounts'), codes)
  yield* readCodes(own.objectOrEmpty('codes'), codes)
  const diffs: BlockDiffs[] = []
  for (const [index, json] of [...entries.entries()].reverse()) {
    const undone = (name: string) => readDiff(json.objectOrEmpty(name), codes)
    const cheats = yield* restoreOlder(state, yield* undone('undo_cheats'))
    const made = index === 0 ? state : yield* restoreOlder(state, yield* undone('undo'))
    diffs.push({ made, steps: yield* readSteps(json, codes), cheats })
    yield
  }
  return diffs.reverse()
}

/** Restores the older values in `undo`; returns the diff that restores the newer ones. */
function* restoreOlder({ accounts, storage }: StateDiff, undo: StateDiff): Paced<StateDiff> {
  const redo = emptyDiff()
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
