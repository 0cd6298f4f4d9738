import { EMPTY_BYTES } from './codes.ts'
import { bytesToText, textToBytes } from './latin1.ts'
import type { AccountRecord, SlotKey, Version } from './types.ts'
import { VersionedCell } from './versionedCell.ts'

/** The records of one account. */
export class AccountCell extends VersionedCell<AccountRecord | null, AccountRecord | null> {
  protected keep(record: AccountRecord | null): AccountRecord | null {
    return record
  }

  protected restore(record: AccountRecord | null): AccountRecord | null {
    return record
  }

  protected isBlank(record: AccountRecord | null): boolean {
    return record === null
  }
}

/** The values of one slot; superseded ones as text, which takes a fifth of the memory. */
export class SlotCell extends VersionedCell<Uint8Array, string> {
  protected keep(value: Uint8Array): string {
    return bytesToText(value)
  }

  protected restore(text: string): Uint8Array {
    return text.length === 0 ? EMPTY_BYTES : textToBytes(text)
  }

  protected isBlank(value: Uint8Array): boolean {
    return value.length === 0
  }
}

/**
 * The storage of one account since it was last cleared. A clear costs nothing and loses nothing: it lays an empty table
 * over the one before, so an account created anew cannot see older slots.
 */
export class SlotTable {
  /** The version that cleared the storage; 0 where none did. */
  readonly since: Version
  readonly cells = new Map<SlotKey, SlotCell>()
  /** The table before the clear. */
  older: SlotTable | undefined

  constructor(since: Version, older: SlotTable | undefined) {
    this.since = since
    this.older = older
  }
}
