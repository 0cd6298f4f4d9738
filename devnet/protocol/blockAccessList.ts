import { bigIntToBytes, textToBytes, withoutLeadingZeros } from '../primitives/bytes.ts'
import { getOrCreate } from '../primitives/memo.ts'
import { encodeRlp, type RlpInput } from '../primitives/rlp.ts'
import type { AddressKey, SlotKey } from '../state/types.ts'
import type { AccountAccesses, StepAccesses } from './stepAccesses.ts'

/** The accesses of a whole block to one account, in the order of the steps. */
interface Account {
  readonly writes: Map<SlotKey, RlpInput[]>
  readonly reads: Set<SlotKey>
  readonly balances: RlpInput[]
  readonly nonces: RlpInput[]
  readonly codes: RlpInput[]
}

/**
 * The RLP of a block's access list (EIP-7928).
 *
 * @param steps - at index 0 the opening system calls, then the transactions, and what follows them
 */
export function encodeBlockAccessList(steps: readonly StepAccesses[]): Uint8Array {
  const accounts = new Map<AddressKey, Account>()
  for (const [index, step] of steps.entries()) {
    const position = bigIntToBytes(BigInt(index))
    for (const accesses of step) {
      addAccesses(getOrCreate(accounts, accesses.key, newAccount), accesses, position)
    }
  }
  // A character of a key is a byte.
  const ordered = [...accounts].sort(([a], [b]) => (a < b ? -1 : 1))
  return encodeRlp(ordered.map(([key, account]) => [textToBytes(key), ...accountFields(account)]))
}

function newAccount(): Account {
  return { writes: new Map(), reads: new Set(), balances: [], nonces: [], codes: [] }
}

function addAccesses(account: Account, accesses: AccountAccesses, position: Uint8Array): void {
  const { balance, nonce, code } = accesses
  if (balance !== undefined) account.balances.push([position, bigIntToBytes(balance)])
  if (nonce !== undefined) account.nonces.push([position, bigIntToBytes(nonce)])
  if (code !== undefined) account.codes.push([position, code])
  for (const [slot, value] of accesses.writes) {
    getOrCreate(account.writes, slot, () => []).push([position, value])
  }
  for (const slot of accesses.reads) account.reads.add(slot)
}

function accountFields({ writes, reads, balances, nonces, codes }: Account): RlpInput[] {
  // A slot that was changed is no read.
  const onlyRead = reads.size === 0 ? [] : [...reads].filter((slot) => !writes.has(slot)).sort()
  const changed = [...writes].sort(([a], [b]) => (a < b ? -1 : 1))
  return [
    changed.map(([slot, changes]) => [slotNumber(slot), changes]),
    onlyRead.map(slotNumber),
    balances,
    nonces,
    codes,
  ]
}

function slotNumber(slot: SlotKey): Uint8Array {
  return withoutLeadingZeros(textToBytes(slot))
}
