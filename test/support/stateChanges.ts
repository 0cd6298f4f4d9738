import { sameBytes } from '../../devnet/primitives/bytes.ts'
import { toHex } from '../../devnet/primitives/hex.ts'
import { sameRecord } from '../../devnet/state/accounts.ts'
import { addressHex, slotHex } from '../../devnet/state/keys.ts'
import type { Overlay } from '../../devnet/state/overlay/overlay.ts'
import type { AddressKey, StateReader } from '../../devnet/state/types.ts'

/**
 * What differs between `before` and the overlay, as text: what was only written again does not count.
 *
 * @param before - the overlay's base, or what it was before further changes
 */
export function stateChanges(overlay: Overlay, before: StateReader): string[] {
  const { accounts, storage } = overlay.shallowCopy().takeDiff()
  const lines: string[] = []
  for (const key of accounts.keys()) {
    const record = overlay.account(key)
    if (sameRecord(before.account(key), record)) continue
    const text =
      record === null
        ? 'gone'
        : `${record.nonce} ${record.balance} ${toHex(record.codeHash)} ${overlay.code(record.codeHash).length} bytes`
    lines.push(`${addressHex(key)} ${text}`)
  }
  for (const key of storage.keys()) lines.push(...slotChanges(key, overlay, before))
  return lines.sort()
}

function slotChanges(key: AddressKey, after: StateReader, before: StateReader): string[] {
  const lines: string[] = []
  for (const slot of new Map([...before.slots(key), ...after.slots(key)]).keys()) {
    const value = after.slot(key, slot)
    if (sameBytes(value, before.slot(key, slot))) continue
    lines.push(`${addressHex(key)} ${slotHex(slot)} ${toHex(value)}`)
  }
  return lines
}
