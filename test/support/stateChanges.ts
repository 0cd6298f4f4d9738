import { sameBytes } from '../../devnet/primitives/bytes.ts'
import { toHex } from '../../devnet/primitives/hex.ts'
import { sameRecord } from '../../devnet/state/accounts.ts'
import { addressHex, slotHex } from '../../devnet/state/keys.ts'
import type { StateDiff, StateReader } from '../../devnet/state/types.ts'

/** What the diff changes, as text: records that stay as they are do not count. */
export function stateChanges(diff: StateDiff, base: StateReader): string[] {
  const lines: string[] = []
  for (const [key, record] of diff.accounts) {
    if (sameRecord(base.account(key), record)) continue
    const text =
      record === null ? 'gone' : `${record.nonce} ${record.balance} ${toHex(record.codeHash)}`
    lines.push(`${addressHex(key)} ${text}`)
  }
  for (const [key, { cleared, slots }] of diff.storage) {
    if (cleared && base.hasStorage(key)) lines.push(`${addressHex(key)} cleared`)
    for (const [slot, value] of slots) {
      const before = cleared ? new Uint8Array() : base.slot(key, slot)
      if (!sameBytes(value, before))
        lines.push(`${addressHex(key)} ${slotHex(slot)} ${toHex(value)}`)
    }
  }
  return lines.sort()
}
