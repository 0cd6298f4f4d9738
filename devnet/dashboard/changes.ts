import type { Hex } from '../primitives/hex.ts'

/** Accounts by address, as the `prestateTracer` answers them. */
export type Prestate = Readonly<Record<Hex, PrestateAccount>>

interface PrestateAccount {
  readonly balance?: Hex
  readonly nonce?: number
  readonly code?: Hex
  readonly storage?: Readonly<Record<Hex, Hex>>
}

const MOST_ACCOUNTS = 200
const MOST_SLOTS = 200

const ZERO: Hex = `0x${'0'.repeat(64)}`

export type AccountChange = ReturnType<typeof changeOf>

/** Words of 32 bytes. */
export interface SlotChange {
  readonly slot: Hex
  readonly before: Hex
  readonly after: Hex
}

/**
 * Changes from `pre` to `post`.
 *
 * @param pre - the accounts that changed, as they were
 * @param post - of the same, the fields that changed; without those that do not exist any more
 */
export function changesOf(pre: Prestate, post: Prestate) {
  // The tracer's keys are addresses.
  const addresses = [...new Set([...Object.keys(pre), ...Object.keys(post)])] as Hex[]
  const changes = addresses
    .slice(0, MOST_ACCOUNTS)
    .map((address) => changeOf(address, pre[address] ?? {}, post[address]))
  return { changes, omitted: addresses.length - changes.length }
}

/** @param after - `undefined` if the account does not exist any more */
function changeOf(address: Hex, before: PrestateAccount, after: PrestateAccount | undefined) {
  const gone: PrestateAccount = { balance: '0x0', nonce: 0, code: '0x' }
  const { balance, nonce, code } = after ?? gone
  const [had, counted] = [before.balance ?? '0x0', before.nonce ?? 0]
  const [old, fresh] = [sizeOf(before.code), sizeOf(code)]
  const slots = slotsOf(before.storage ?? {}, after?.storage ?? {})
  return {
    address,
    /** `null` if it did not change, as the nonce and the code. */
    balance:
      balance === undefined || BigInt(balance) === BigInt(had)
        ? null
        : { before: String(BigInt(had)), after: String(BigInt(balance)) },
    /** Account that it delegates to from now on (EIP-7702); `null` if that did not change. */
    delegate: code === before.code ? null : delegateIn(code),
    nonce: nonce === undefined || nonce === counted ? null : { before: counted, after: nonce },
    /** Sizes in bytes. */
    code:
      code === undefined || code === (before.code ?? '0x') ? null : { before: old, after: fresh },
    storage: slots.slice(0, MOST_SLOTS),
    omittedSlots: Math.max(0, slots.length - MOST_SLOTS),
  }
}

/** A slot that is missing is zero. */
function slotsOf(
  before: Readonly<Record<Hex, Hex>>,
  after: Readonly<Record<Hex, Hex>>,
): SlotChange[] {
  // The tracer's keys are slots.
  const slots = [...new Set([...Object.keys(before), ...Object.keys(after)])] as Hex[]
  return slots.map((slot) => ({ slot, before: before[slot] ?? ZERO, after: after[slot] ?? ZERO }))
}

/** The account that code delegates to (EIP-7702). */
function delegateIn(code: Hex = '0x'): Hex | null {
  const delegate = /^0xef0100([0-9a-f]{40})$/.exec(code)?.[1]
  return delegate === undefined ? null : `0x${delegate}`
}

function sizeOf(code: Hex = '0x'): number {
  return code.length / 2 - 1
}
