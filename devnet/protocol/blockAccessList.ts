import { bigIntToBytes, textToBytes, WORD, withoutLeadingZeros } from '../primitives/bytes.ts'
import { getOrCreate } from '../primitives/memo.ts'
import { encodeRlp, type RlpInput } from '../primitives/rlp.ts'
import {
  RlpError,
  RlpFields,
  type RlpItem,
  readRlpItem,
  readRlpList,
} from '../primitives/rlpReader.ts'
import type { AddressKey, SlotKey } from '../state/types.ts'
import type { AccountAccesses, StepAccesses } from './stepAccesses.ts'

/** A value after a step of a block, by the index of the step: 0 opens the block. */
export type AccessChange<Value> = readonly [index: number, value: Value]

/** An account in a block's access list (EIP-7928). */
export interface AccessedAccount {
  /** 20 bytes. */
  readonly address: Uint8Array
  /** Slots and their values, without leading zeros. */
  readonly storageChanges: readonly (readonly [
    slot: Uint8Array,
    changes: readonly AccessChange<Uint8Array>[],
  ])[]
  /** Slots, without leading zeros. */
  readonly storageReads: readonly Uint8Array[]
  /** wei. */
  readonly balanceChanges: readonly AccessChange<bigint>[]
  readonly nonceChanges: readonly AccessChange<bigint>[]
  readonly codeChanges: readonly AccessChange<Uint8Array>[]
}

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
 * @param first - index of the first of the steps. Default: 0
 */
export function encodeBlockAccessList(steps: readonly StepAccesses[], first = 0): Uint8Array {
  const accounts = new Map<AddressKey, Account>()
  for (const [index, step] of steps.entries()) {
    const position = bigIntToBytes(BigInt(first + index))
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
  // A slot that was written is not listed as read.
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

/**
 * Reads the RLP of a block's access list.
 *
 * @throws {RlpError} if it is none
 */
export function decodeBlockAccessList(rlp: Uint8Array): AccessedAccount[] {
  const list = readRlpItem(rlp, 0, rlp.length)
  if (list.end < rlp.length) throw new RlpError('is not valid RLP: bytes follow its end')
  const fieldsOf = (item: RlpItem, what: string, count: number) => {
    const items = readRlpList(rlp, item, what)
    if (items.length !== count) throw new RlpError(`has ${items.length} fields in ${what}`)
    return new RlpFields(rlp, items)
  }
  const changesOf = <Value>(items: readonly RlpItem[], read: (fields: RlpFields) => Value) =>
    items.map((item): AccessChange<Value> => {
      const fields = fieldsOf(item, 'a change', 2)
      return [Number(fields.number('index', 4)), read(fields)]
    })
  const word = (fields: RlpFields) => fields.integer('value', WORD)
  return readRlpList(rlp, list, 'the access list').map((item) => {
    const fields = fieldsOf(item, 'an account', 6)
    return {
      address: fields.bytes('address', 20),
      storageChanges: fields.list('storage changes').map((changed) => {
        const slot = fieldsOf(changed, 'a changed slot', 2)
        return [slot.integer('slot', WORD), changesOf(slot.list('changes'), word)] as const
      }),
      storageReads: fields
        .list('storage reads')
        .map((read) => new RlpFields(rlp, [read]).integer('slot', WORD)),
      balanceChanges: changesOf(fields.list('balances'), (one) => one.number('balance', WORD)),
      nonceChanges: changesOf(fields.list('nonces'), (one) => one.number('nonce')),
      codeChanges: changesOf(fields.list('codes'), (one) => one.bytes('code')),
    }
  })
}
