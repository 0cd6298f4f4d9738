import type { Engine } from '../../engine/engine.ts'
import type { Scheduler } from '../../engine/scheduler.ts'
import { bytesToText, withoutLeadingZeros } from '../../primitives/bytes.ts'
import { ChainFileError } from '../../primitives/errors.ts'
import { fromHex, type Hex, toHex } from '../../primitives/hex.ts'
import type { SealedBlock } from '../../protocol/block.ts'
import { EMPTY_CODE_HASH } from '../../state/codes.ts'
import { isEmptyDiff, mergeDiffs } from '../../state/diffs.ts'
import { addressKeyFromHex, slotKeyFromHex } from '../../state/keys.ts'
import {
  LOST_VERSION,
  type VersionedStore,
  VersionGoneError,
} from '../../state/store/versionedStore.ts'
import { StateTrie } from '../../state/trie/stateTrie.ts'
import type { AccountRecord, AddressKey, SlotKey, StateDiff } from '../../state/types.ts'
import { allocDiff, readAccounts } from '../import/genesisFile.ts'
import { hexDigits, type JsonFields } from '../import/jsonFields.ts'
import type { BlockEntry } from './blockJson.ts'
import type { RestoredBlock } from './restoreBlock.ts'

/** A state that goes back in time, and remembers the way. */
export class Rewind {
  readonly #accounts: Map<AddressKey, AccountRecord>
  readonly #storage: Map<AddressKey, Map<SlotKey, Uint8Array>>

  constructor(state: StateDiff) {
    this.#accounts = new Map()
    for (const [key, record] of state.accounts) if (record !== null) this.#accounts.set(key, record)
    this.#storage = new Map([...state.storage].map(([key, { slots }]) => [key, new Map(slots)]))
  }

  /** Puts the values of `undo` in; answers what takes the state forward again. */
  undo(undo: StateDiff): StateDiff {
    const redo: StateDiff = { accounts: new Map(), storage: new Map() }
    for (const [key, record] of undo.accounts) {
      redo.accounts.set(key, this.#accounts.get(key) ?? null)
      if (record === null) this.#accounts.delete(key)
      else this.#accounts.set(key, record)
    }
    for (const [key, { slots }] of undo.storage) {
      const now = this.#storage.get(key) ?? new Map<SlotKey, Uint8Array>()
      const before = new Map<SlotKey, Uint8Array>()
      for (const [slot, value] of slots) {
        before.set(slot, now.get(slot) ?? NOTHING)
        if (value.length === 0) now.delete(slot)
        else now.set(slot, value)
      }
      this.#storage.set(key, now)
      redo.storage.set(key, { cleared: false, slots: before })
    }
    return redo
  }

  /** The state where it stands now, as a change of the empty one. */
  state(): StateDiff {
    const storage: StateDiff['storage'] = new Map()
    for (const [key, slots] of this.#storage) {
      if (slots.size > 0) storage.set(key, { cleared: false, slots })
    }
    return { accounts: this.#accounts, storage }
  }
}

const NOTHING = new Uint8Array(0)

/** Blocks with their states, and what was changed after the newest. */
export interface RestoredChain {
  /** Oldest first. */
  readonly blocks: readonly SealedBlock[]
  readonly cheatDiffs: readonly StateDiff[]
}

/** Where states are restored from. */
export interface StateSource {
  /** The dump's name in errors. */
  readonly label: string
  readonly engine: Engine
  readonly store: VersionedStore
  readonly scheduler: Scheduler
}

/** The state that the `accounts` of a dump make. @throws {ChainFileError} where one is malformed */
export function readState(dump: JsonFields, { codes }: Engine): StateDiff {
  return allocDiff(readAccounts(dump.requiredObject('accounts')), (code) => codes.add(code))
}

/**
 * Makes the states of the blocks out of the newest and of what each block changed, and holds each against the root in its
 * header.
 *
 * @param own - `pending_node` of the dump
 * @param entries - the blocks of the dump
 * @param blocks - the same, restored
 * @throws {ChainFileError}
 */
export async function restoreStates(
  dump: JsonFields,
  own: JsonFields,
  entries: readonly BlockEntry[],
  blocks: readonly RestoredBlock[],
  source: StateSource,
): Promise<RestoredChain> {
  const { engine, store, scheduler, label } = source
  const from = own.requiredNumber('states_from')
  const first = blocks.findIndex(({ header }) => header.number === from)
  if (first < 0) throw own.error('states_from', 'is the number of no block')
  const redos = await rewindBlocks(dump, own, entries.slice(first), source)
  const restored = blocks.slice(0, first).map(withoutState)
  let trie = StateTrie.empty(engine.crypto.keccak256)
  for (const [index, block] of blocks.slice(first).entries()) {
    const { made, cheats } = redos[index] ?? NO_REDO
    const sealedVersion = store.commit(made)
    const between = redos[index - 1]?.cheats ?? NO_DIFF
    trie = trie.apply(mergeDiffs([between, made]), store.view(sealedVersion))
    // That of a block of anvil may be another than its header says, see `restoreAnvilChain`.
    const named = entries[first + index]?.json.bytes('state_root', 32)
    checkRoot(label, block, trie, named ?? toHex(block.header.stateRoot))
    const version = isEmptyDiff(cheats) ? sealedVersion : store.commit(cheats)
    restored.push({ ...block, version, sealedVersion, trie })
    await scheduler.yieldIfDue()
  }
  const last = redos.at(-1)?.cheats ?? NO_DIFF
  return { blocks: restored, cheatDiffs: isEmptyDiff(last) ? [] : [last] }
}

/** What a block, and the cheats after it, did to the state. */
interface Redo {
  readonly made: StateDiff
  readonly cheats: StateDiff
}

const NO_DIFF: StateDiff = { accounts: new Map(), storage: new Map() }
const NO_REDO: Redo = { made: NO_DIFF, cheats: NO_DIFF }

/** Goes back from the newest state to that of the first of these blocks, which is made whole. */
async function rewindBlocks(
  dump: JsonFields,
  own: JsonFields,
  entries: readonly BlockEntry[],
  { engine, scheduler }: StateSource,
): Promise<Redo[]> {
  const rewind = new Rewind(readState(dump, engine))
  readCodes(own.object('codes'), engine)
  const redos: Redo[] = []
  for (let index = entries.length - 1; index >= 0; index--) {
    const cheats = rewind.undo(readUndo(entries[index]?.json.object('undo_cheats'), engine))
    const made =
      index === 0
        ? rewind.state()
        : rewind.undo(readUndo(entries[index]?.json.object('undo'), engine))
    redos[index] = { made, cheats }
    await scheduler.yieldIfDue()
  }
  return redos
}

function checkRoot(label: string, { number }: RestoredBlock, trie: StateTrie, expected: Hex): void {
  const root = toHex(trie.root())
  if (root === expected) return
  throw new ChainFileError(
    `${label}: the state after block ${number} has the root ${root}, expected ${expected}.`,
  )
}

/** A block whose state nobody wrote down. */
export function withoutState(block: RestoredBlock): SealedBlock {
  const bare = { ...block, version: LOST_VERSION, sealedVersion: LOST_VERSION }
  const trie = () => {
    throw new VersionGoneError(LOST_VERSION)
  }
  // Not seen by whoever copies a block's other fields; with it the block has all of them.
  return Object.defineProperty(bare, 'trie', { get: trie }) as SealedBlock
}

function readCodes(codes: JsonFields | undefined, engine: Engine): void {
  for (const name of codes?.names() ?? []) {
    const hash = toHex(engine.codes.add(fromHex(codes?.bytes(name) ?? '0x')))
    if (hash !== name) throw codes?.error(name, `is a code with the hash ${hash}`)
  }
}

function readUndo(json: JsonFields | undefined, engine: Engine): StateDiff {
  const diff: StateDiff = { accounts: new Map(), storage: new Map() }
  const accounts = json?.object('accounts')
  for (const name of accounts?.names() ?? []) {
    const key = addressKeyFromHex(addressOf(accounts, name))
    const record = accounts?.object(name)
    diff.accounts.set(key, record === undefined ? null : readRecord(record, engine))
  }
  const storage = json?.object('storage')
  for (const name of storage?.names() ?? []) {
    const slots = storage?.object(name)
    const values = new Map<SlotKey, Uint8Array>()
    for (const slot of slots?.names() ?? []) {
      if (hexDigits(slot)?.length !== 64) throw slots?.error(slot, 'is not a storage slot')
      values.set(slotKeyFromHex(slot), withoutLeadingZeros(fromHex(slots?.bytes(slot, 32) ?? '0x')))
    }
    const key = addressKeyFromHex(addressOf(storage, name))
    diff.storage.set(key, { cleared: false, slots: values })
  }
  return diff
}

function addressOf(json: JsonFields | undefined, name: string): string {
  if (hexDigits(name)?.length === 40) return name
  throw json?.error(name, 'is not an address of 40 hexadecimal digits')
}

function readRecord(json: JsonFields, { codes }: Engine): AccountRecord {
  const hash = json.bytes('code_hash', 32)
  const codeHash =
    hash === undefined ? EMPTY_CODE_HASH : codes.find(bytesToText(fromHex(hash)))?.hash
  if (codeHash === undefined) throw json.error('code_hash', 'names a code that is not there')
  return {
    nonce: json.requiredNumber('nonce'),
    balance: json.requiredNumber('balance', 256),
    codeHash,
  }
}
