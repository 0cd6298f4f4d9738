import type { PendingStep } from '../../chain/building/pendingView.ts'
import type { Cheat } from '../../chain/cheats.ts'
import { bytesToText, EMPTY_BYTES, sameBytes } from '../../primitives/bytes.ts'
import { fromHex, type Hex, quantity, toHex } from '../../primitives/hex.ts'
import type { Paced } from '../../primitives/paced.ts'
import type { StateStep } from '../../protocol/block.ts'
import { sameRecord } from '../../state/accounts.ts'
import { type Codes, EMPTY_CODE_HASH } from '../../state/codes.ts'
import { emptyDiff, isEmptyDiff } from '../../state/diffs.ts'
import { addressHex, addressKeyFromHex, slotHex } from '../../state/keys.ts'
import type { StateView, VersionedStore } from '../../state/store/versionedStore.ts'
import type { AccountRecord, AddressKey, SlotKey, StateDiff } from '../../state/types.ts'
import { readAddress, readSlots } from '../accountsJson.ts'
import type { JsonFields } from '../jsonFields.ts'
import { type Chunks, objectText } from './statesText.ts'

/**
 * The fields of a difference as JSON text without braces. Equal differences give equal text. Code
 * is named by its hash.
 *
 * @param codes - receives the hashes of these codes
 */
function* diffText({ accounts, storage }: StateDiff, codes: Set<Hex>): Chunks {
  yield '"accounts":'
  yield* objectText(accounts.keys(), addressHex, (key) =>
    recordText(accounts.get(key) ?? null, codes),
  )
  yield ',"storage":'
  yield* objectText(storage.keys(), addressHex, (key) => {
    const slots = storage.get(key)?.slots
    const valueText = (slot: SlotKey) => `"${toHex(slots?.get(slot) ?? EMPTY_BYTES)}"`
    return objectText(slots?.keys() ?? [], slotHex, valueText)
  })
}

/** As {@link diffText}, an object that also says which storage it clears. */
export function* clearingDiffText(diff: StateDiff, codes: Set<Hex>): Chunks {
  const cleared = [...diff.storage].filter(([, change]) => change.cleared).map(([key]) => key)
  yield '{'
  yield* diffText(diff, codes)
  yield `,"cleared":${JSON.stringify(cleared.sort().map(addressHex))}}`
}

/** An account as JSON text. @param codes - receives the hash of its code */
function recordText(record: AccountRecord | null, codes: Set<Hex>): string {
  if (record === null) return 'null'
  const { nonce, balance, codeHash } = record
  const fields = `"nonce":"${quantity(nonce)}","balance":"${quantity(balance)}"`
  if (codeHash === EMPTY_CODE_HASH) return `{${fields}}`
  const hash = toHex(codeHash)
  codes.add(hash)
  return `{${fields},"code_hash":"${hash}"}`
}

/**
 * The difference between two states as a JSON field with a comma in front; nothing if they are
 * equal. On a forked chain it is that from `before` to the later state `now`. On others it leads
 * back, from `now` to `before`, which needs no list of what is cleared; on a fork, not all of the
 * values of `before` are known.
 *
 * @param codes - receives the hashes of the codes that it names
 */
export function* changeText(
  name: string,
  store: VersionedStore,
  before: StateView,
  now: StateView,
  codes: Set<Hex>,
): Chunks {
  if (before.version === now.version) return
  if (store.remote !== undefined) {
    yield `,"${name}":`
    yield* clearingDiffText(store.diffBetween(before.version, now.version), codes)
    return
  }
  const undo = yield* undoOf(store, before, now)
  if (isEmptyDiff(undo)) return
  yield `,"${name}":{`
  yield* diffText(undo, codes)
  yield '}'
}

/** The values in `before` of all that has changed in `now`. */
function* undoOf(store: VersionedStore, before: StateView, now: StateView): Paced<StateDiff> {
  const undo = emptyDiff()
  const noteSlot = (key: AddressKey, slot: SlotKey) => {
    const value = before.slot(key, slot)
    if (sameBytes(value, now.slot(key, slot))) return
    const change = undo.storage.get(key) ?? { cleared: false, slots: new Map() }
    undo.storage.set(key, change)
    change.slots.set(slot, value)
  }
  for (const written of store.writtenBetween(before.version, now.version)) {
    for (const key of written.accounts) {
      const record = before.account(key)
      if (!sameRecord(record, now.account(key))) undo.accounts.set(key, record)
      yield
    }
    // `written` does not list the slots of a cleared account: include all that it had before.
    for (const key of written.cleared) {
      for (const [slot] of before.slots(key)) {
        noteSlot(key, slot)
        yield
      }
    }
    for (const [index, slot] of written.slots.entries()) {
      const owner = written.owners[index]
      if (owner !== undefined) noteSlot(owner, slot)
      yield
    }
  }
  return undo
}

/**
 * A step of a block as JSON text: what it changed.
 *
 * @param codes - receives the hashes of the codes that it names
 * @param cheat - its command. Default: it is left out
 */
export function stepText({ after, diff }: StateStep, codes: Set<Hex>, cheat?: Cheat): string {
  const fields = pendingStepText({ after, cheat }).slice(0, -1)
  return `${fields},${[...diffText(diff, codes)].join('')}}`
}

/** Reads the field `steps` of a sealed block. @throws {ChainFileError} */
export function* readSteps(block: JsonFields, codes: Codes): Paced<StateStep[]> {
  const steps: StateStep[] = []
  for (const { step, after } of stepsOf(block)) {
    steps.push({ after, diff: yield* readDiff(step, codes) })
  }
  return steps
}

/** A step of the pending block as JSON text: its command, because it is executed again. */
export function pendingStepText({
  after,
  cheat,
}: Pick<StateStep, 'after'> & {
  readonly cheat: Cheat | undefined
}): string {
  return JSON.stringify({ after, ...cheat }, (_, value: unknown) =>
    typeof value === 'bigint' ? quantity(value) : value,
  )
}

/** Reads the field `steps` of the pending block. @throws {ChainFileError} */
export function readPendingSteps(pending: JsonFields): Pick<PendingStep, 'after' | 'cheat'>[] {
  return stepsOf(pending).map(({ step, after }) => ({ after, cheat: readCheat(step) }))
}

/** The steps of a block, each with the number of transactions before it. */
function stepsOf(block: JsonFields): { step: JsonFields; after: number }[] {
  const steps = [...block.objects('steps')]
  const count = steps.length === 0 ? 0 : [...block.objects('transactions')].length
  return steps.map((step) => {
    const after = Number(step.requiredNumber('after'))
    // At any other place, a replay would leave it out.
    if (after >= 1 && after <= count) return { step, after }
    throw step.error('after', `is ${after}, but the block has ${count} transactions`)
  })
}

/** Reads the command of a step of the pending block. @throws {ChainFileError} */
export function readCheat(step: JsonFields): Cheat {
  const address = step.requiredBytes('address', 20)
  const kind = step.text('kind')
  switch (kind) {
    case 'setBalance':
      return { kind, address, balance: step.requiredNumber('balance', 256) }
    case 'addBalance':
      return { kind, address, amount: step.requiredNumber('amount', 256) }
    case 'setNonce':
      return { kind, address, nonce: step.requiredNumber('nonce') }
    case 'setCode':
      return { kind, address, code: step.requiredBytes('code') }
    case 'setStorage': {
      const slot = step.requiredBytes('slot', 32)
      return { kind, address, slot, value: step.requiredBytes('value', 32) }
    }
    default:
      throw step.error('kind', `is "${kind}", which names no command that changes the state`)
  }
}

/** Reads `undo` or `undo_cheats`, the values before a change, or another diff, those after it. */
export function* readDiff(json: JsonFields, codes: Codes): Paced<StateDiff> {
  const diff = emptyDiff()
  const accounts = json.objectOrEmpty('accounts')
  for (const name of accounts.names()) {
    const record = accounts.object(name)
    const key = readAddress(accounts, name)
    diff.accounts.set(key, record === undefined ? null : readRecord(record, codes))
    yield
  }
  const storage = json.objectOrEmpty('storage')
  for (const name of storage.names()) {
    const slots = yield* readSlots(storage.objectOrEmpty(name), true)
    diff.storage.set(readAddress(storage, name), { cleared: false, slots })
  }
  for (const address of json.bytesList('cleared', 20)) {
    const key = addressKeyFromHex(address)
    diff.storage.set(key, { cleared: true, slots: diff.storage.get(key)?.slots ?? new Map() })
  }
  return diff
}

/** Adds the codes in an object that names each by its hash. @throws {ChainFileError} */
export function* readCodes(json: JsonFields, codes: Codes): Paced<void> {
  for (const name of json.names()) {
    const hash = toHex(codes.add(fromHex(json.bytes(name) ?? '0x')))
    if (hash !== name) throw json.error(name, `is a code with the hash ${hash}`)
    yield
  }
}

function readRecord(json: JsonFields, codes: Codes): AccountRecord {
  const hash = json.bytes('code_hash', 32)
  const isEmpty = hash === undefined || hash === toHex(EMPTY_CODE_HASH)
  const codeHash = isEmpty ? EMPTY_CODE_HASH : codes.find(bytesToText(fromHex(hash)))?.hash
  if (codeHash === undefined) throw json.error('code_hash', 'names a code that is not there')
  const nonce = json.requiredNumber('nonce')
  return { nonce, balance: json.requiredNumber('balance', 256), codeHash }
}
