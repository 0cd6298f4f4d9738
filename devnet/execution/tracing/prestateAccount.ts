import { toHex } from '../../chain/bytes.ts'
import { EMPTY_CODE_HASH } from '../../state/codes.ts'
import { slotHex } from '../../state/keys.ts'
import type { AddressKey, SlotKey, StateReader } from '../../state/types.ts'

/** An account as it was when a transaction first came to it. */
export interface PrestateAccount {
  readonly balance: bigint
  readonly nonce: bigint
  readonly code: Uint8Array
  readonly codeHash: Uint8Array
  /** 32 bytes each. */
  readonly storage: Map<SlotKey, bigint>
}

/** The account as it is now; one that does not exist has nothing. */
export function readAccount(state: StateReader, key: AddressKey): PrestateAccount {
  const record = state.account(key)
  const codeHash = record?.codeHash ?? EMPTY_CODE_HASH
  return {
    balance: record?.balance ?? 0n,
    nonce: record?.nonce ?? 0n,
    code: state.code(codeHash),
    codeHash,
    storage: new Map(),
  }
}

/** Whether there is nothing in the account, as far as it was looked at. */
export function isEmpty({ balance, nonce, code }: PrestateAccount): boolean {
  return balance === 0n && nonce === 0n && code.length === 0
}

/** What of an account is shown: all of it, or what is different now. */
export type ShownAccount = Partial<PrestateAccount>

/** In geth's form: what is zero or empty is left out, but for a balance, and for code that is gone. */
export function formatAccount({ balance, code, codeHash, nonce, storage }: ShownAccount): object {
  return {
    balance: balance === undefined ? undefined : `0x${balance.toString(16)}`,
    code: code === undefined ? undefined : toHex(code),
    codeHash: codeHash === undefined ? undefined : toHex(codeHash),
    nonce: nonce === undefined || nonce === 0n ? undefined : Number(nonce),
    storage: storage === undefined || storage.size === 0 ? undefined : formatStorage(storage),
  }
}

function formatStorage(storage: ReadonlyMap<SlotKey, bigint>): object {
  return Object.fromEntries(
    [...storage].map(([slot, value]) => [
      slotHex(slot),
      `0x${value.toString(16).padStart(64, '0')}`,
    ]),
  )
}
