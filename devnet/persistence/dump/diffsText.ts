import type { PendingStep } from '../../chain/building/pendingView.ts'
import type { Cheat } from '../../chain/cheats.ts'
import { bytesToText, EMPTY_BYTES } from '../../primitives/bytes.ts'
import { fromHex, type Hex, quantity, toHex } from '../../primitives/hex.ts'
import type { Paced } from '../../primitives/paced.ts'
import type { StateStep } from '../../protocol/block.ts'
import { type Codes, EMPTY_CODE_HASH } from '../../state/codes.ts'
import { addressHex, addressKeyFromHex, slotHex } from '../../state/keys.ts'
import type { AccountRecord, StateDiff } from '../../state/types.ts'
import { readAddress, readSlots } from '../accountsJson.ts'
import type { JsonFields } from '../jsonFields.ts'
import { type Chunks, recordText, sorted } from './statesText.ts'

/** A step of a sealed block as JSON text. @param codes - receives the hashes that name codes */
export function stepText({ after, diff }: StateStep, codes: Set<Hex>): string {
  return `{"after":${after},${diffText(diff, codes)}}`
}

/**
 * The fields of a change by command, as JSON text without braces. Code is named by its hash.
 *
 * @param codes - receives the hashes of these codes
 */
export function diffText(diff: StateDiff, codes: Set<Hex>): string {
  const accounts = [...diff.accounts].map(
    ([key, record]) => `"${addressHex(key)}":${recordText(record, codes)}`,
  )
  const storage = [...diff.storage].map(([key, { slots }]) => {
    const values = [...slots].map(([slot, value]) => `"${slotHex(slot)}":"${toHex(value)}"`)
    return `"${addressHex(key)}":{${values}}`
  })
  return `"accounts":{${accounts}},"storage":{${storage}}`
}

/** Reads the field `steps` of a sealed block. @throws {ChainFileError} */
export function* readSteps(block: JsonFields, codes: Codes): Paced<StateStep[]> {
  const steps: StateStep[] = []
  for (const { step, after } of stepsOf(block)) {
    steps.push({ after, diff: yield* readDiff(step, codes) })
  }
  return steps
}

/**
 * A change as JSON text, with the storage that it clears. Equal changes give equal text. Code is
 * named by its hash.
 *
 * @param codes - receives the hashes of these codes
 */
export function* changeText({ accounts, storage }: StateDiff, codes: Set<Hex>): Chunks {
  let separator = '{"accounts":{'
  for (const key of yield* sorted(accounts.keys())) {
    yield `${separator}"${addressHex(key)}":${recordText(accounts.get(key) ?? null, codes)}`
    separator = ','
  }
  separator = separator === ',' ? '},"storage":{' : `${separator}},"storage":{`
  const cleared: Hex[] = []
  for (const key of yield* sorted(storage.keys())) {
    const change = storage.get(key)
    if (change?.cleared) cleared.push(addressHex(key))
    yield `${separator}"${addressHex(key)}":{`
    separator = ''
    for (const slot of yield* sorted(change?.slots.keys() ?? [])) {
      yield `${separator}"${slotHex(slot)}":"${toHex(change?.slots.get(slot) ?? EMPTY_BYTES)}"`
      separator = ','
    }
    yield '}'
    separator = ','
  }
  yield `${separator === ',' ? '' : separator}},"cleared":${JSON.stringify(cleared)}}`
}

/** A step of the pending block as JSON text: its command, because it is executed again. */
export function pendingStepText({ after, cheat }: Pick<PendingStep, 'after' | 'cheat'>): string {
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
  const diff: StateDiff = { accounts: new Map(), storage: new Map() }
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
  const codeHash =
    hash === undefined ? EMPTY_CODE_HASH : codes.find(bytesToText(fromHex(hash)))?.hash
  if (codeHash === undefined) throw json.error('code_hash', 'names a code that is not there')
  const nonce = json.requiredNumber('nonce')
  return { nonce, balance: json.requiredNumber('balance', 256), codeHash }
}
