import type { Engine } from '../../engine/engine.ts'
import { EMPTY_BYTES, EMPTY_CODE_HASH } from '../../state/codes.ts'
import { addressKeyFromHex } from '../../state/keys.ts'
import { bytesToText } from '../../state/latin1.ts'
import { sameBytes, sameRecord } from '../../state/sameValue.ts'
import type { SlotKey, StateDiff } from '../../state/types.ts'
import type { Hex } from '../../types.ts'
import { fromHex } from '../bytes.ts'
import { readStorage } from '../import/genesisFile.ts'
import type { JsonFields } from '../import/jsonFields.ts'

/**
 * The states of old blocks by block hash, which anvil writes with `--preserve-historical-states`, in revm's form. Those
 * with code that cannot be told are left out.
 *
 * @throws {ChainFileError} where they are malformed
 */
export function readHistoricalStates(fields: JsonFields, engine: Engine): Map<Hex, StateDiff> {
  const states = new Map<Hex, StateDiff>()
  for (const [hash, state] of fields.pairs('historical_states')) {
    const read = readSnapshot(state, engine)
    if (read !== undefined) states.set(hash, read)
  }
  return states
}

function readSnapshot(json: JsonFields, engine: Engine): StateDiff | undefined {
  const state: StateDiff = { accounts: new Map(), storage: new Map() }
  const accounts = json.requiredObject('accounts')
  for (const address of accounts.names()) {
    const account = accounts.requiredObject(address)
    const codeHash = codeHashOf(account, engine)
    if (codeHash === undefined) return undefined
    const [nonce, balance] = [
      account.requiredNumber('nonce'),
      account.requiredNumber('balance', 256),
    ]
    state.accounts.set(addressKeyFromHex(address), { nonce, balance, codeHash })
  }
  const storage = json.object('storage')
  for (const address of storage?.names() ?? []) {
    const slots = readStorage(storage?.object(address))
    if (slots.size > 0) {
      state.storage.set(addressKeyFromHex(address), { cleared: false, slots })
    }
  }
  return state
}

/** The account's code is in the newest state too, or stands here with zeros behind it. */
function codeHashOf(account: JsonFields, { codes }: Engine): Uint8Array | undefined {
  const hash = bytesToText(fromHex(account.requiredBytes('code_hash', 32)))
  if (hash === bytesToText(EMPTY_CODE_HASH)) return EMPTY_CODE_HASH
  const known = codes.find(hash)
  if (known !== undefined) return known.hash
  const legacy = account.object('code')?.object('LegacyAnalyzed')
  const length = Number(legacy?.number('original_len') ?? 0n)
  const added = codes.add(fromHex(legacy?.bytes('bytecode') ?? '0x').subarray(0, length))
  return bytesToText(added) === hash ? added : undefined
}

/** What makes the state `after` out of `before`. */
export function differenceOf(before: StateDiff, after: StateDiff): StateDiff {
  const difference: StateDiff = { accounts: new Map(), storage: new Map() }
  for (const [key, record] of after.accounts) {
    if (!sameRecord(before.accounts.get(key) ?? null, record)) difference.accounts.set(key, record)
  }
  for (const key of before.accounts.keys()) {
    if (!after.accounts.has(key)) difference.accounts.set(key, null)
  }
  for (const key of new Set([...before.storage.keys(), ...after.storage.keys()])) {
    const [old, now] = [before.storage.get(key)?.slots, after.storage.get(key)?.slots]
    const slots = new Map<SlotKey, Uint8Array>()
    for (const slot of new Set([...(old?.keys() ?? []), ...(now?.keys() ?? [])])) {
      const value = now?.get(slot) ?? EMPTY_BYTES
      if (!sameBytes(old?.get(slot) ?? EMPTY_BYTES, value)) slots.set(slot, value)
    }
    if (slots.size > 0) difference.storage.set(key, { cleared: false, slots })
  }
  return difference
}
