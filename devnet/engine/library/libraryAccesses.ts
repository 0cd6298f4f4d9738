import { type BlockLevelAccessList, createBlockLevelAccessList } from '@ethereumjs/util'
import type { VM } from '@ethereumjs/vm'
import { sameBytes, withoutLeadingZeros } from '../../primitives/bytes.ts'
import type { ForkRules } from '../../protocol/forks.ts'
import type { AccountAccesses, StepAccesses } from '../../protocol/stepAccesses.ts'
import { EMPTY_ACCOUNT } from '../../state/accounts.ts'
import { addressKeyFromHex, slotKeyFromBigInt } from '../../state/keys.ts'
import type { SlotKey, StateReader } from '../../state/types.ts'

/** Lets the library begin a new access list. */
export function beginAccesses(evm: VM['evm'], rules: ForkRules): void {
  if (!rules.blockAccessLists) return
  // The field is read-only, but each block of the library's own replaces it too.
  const open: { blockLevelAccessList?: BlockLevelAccessList } = evm
  open.blockLevelAccessList = createBlockLevelAccessList()
}

/**
 * The accesses since {@link beginAccesses}; `undefined` before Amsterdam.
 *
 * @param after - the state now: the library also lists delegations that were taken back
 */
export function takeAccesses(
  { blockLevelAccessList: list }: VM['evm'],
  after: StateReader,
): StepAccesses | undefined {
  if (list === undefined) return undefined
  return Object.entries(list.accesses).map(([address, access]): AccountAccesses => {
    const writes = Object.entries(access.storageChanges).flatMap(
      ([slot, [change]]): [SlotKey, Uint8Array][] =>
        change === undefined ? [] : [[slotOf(slot), withoutLeadingZeros(change[1])]],
    )
    const written = new Set(writes.map(([slot]) => slot))
    const key = addressKeyFromHex(address)
    const nonce = numberOf(access.nonceChanges.get(0))
    const code = access.codeChanges[0]?.[1]
    // An account that is listed only need not be known (on a forked chain).
    const isChanged = nonce !== undefined || code !== undefined
    const is = (isChanged ? after.account(key) : null) ?? EMPTY_ACCOUNT
    return {
      key,
      balance: numberOf(access.balanceChanges.get(0)),
      nonce: nonce === is.nonce ? nonce : undefined,
      code: code !== undefined && sameBytes(code, after.code(is.codeHash)) ? code : undefined,
      writes,
      // The library keeps what was read before it was written.
      reads: [...access.storageReads].map(slotOf).filter((slot) => !written.has(slot)),
    }
  })
}

function slotOf(hex: string): SlotKey {
  return slotKeyFromBigInt(numberOf(hex) ?? 0n)
}

/** A number in the library's hexadecimal form, which has no digits for zero. */
function numberOf(hex: string | undefined): bigint | undefined {
  if (hex === undefined) return undefined
  return hex === '0x' ? 0n : BigInt(hex)
}
