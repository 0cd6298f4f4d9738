import type { Account, Address } from '@ethereumjs/util'
import { isEmptyAccount } from '../../state/accounts.ts'
import {
  addressHex,
  addressKey,
  addressKeyFromHex,
  slotHex,
  slotKey,
  slotKeyFromHex,
} from '../../state/keys.ts'
import type { Overlay } from '../../state/overlay/overlay.ts'
import type { AddressKey, SlotKey } from '../../state/types.ts'
import type { Journal } from '../evmInternals.ts'

/** One undo step: an address or slot that became warm, or an account that was touched. */
type Step =
  | { readonly kind: 'warm' | 'touched'; readonly address: AddressKey }
  | { readonly kind: 'slot'; readonly slots: Set<SlotKey>; readonly slot: SlotKey }

/** Stays touched even if a call to it fails, as on mainnet (EIP-161, block 2,675,119). */
const RIPEMD160 = addressKeyFromHex('0x0000000000000000000000000000000000000003')

/** @param text - 40 hexadecimal digits, with or without 0x: the library uses both */
function keyOf(text: string): AddressKey {
  return addressKeyFromHex(text.startsWith('0x') ? text : `0x${text}`)
}

/**
 * Addresses and slots that a transaction warmed (EIP-2929) and touched (EIP-161). Replaces the
 * library's journal, which keeps all keys as hexadecimal text and makes new Sets at each
 * checkpoint; this one uses the keys of the state and an undo log.
 */
export class WarmJournal implements Journal {
  /** Accessed addresses and slots as hexadecimal without 0x; present only while reporting is on. */
  accessList?: Map<string, Set<string>>
  readonly #overlay: Overlay
  readonly #warm = new Map<AddressKey, Set<SlotKey>>()
  /** Addresses that stay warm after a revert: sender, recipient, precompiles, access list. */
  readonly #alwaysWarm = new Set<AddressKey>()
  readonly #alwaysWarmSlots = new Map<AddressKey, Set<SlotKey>>()
  /**
   * Addresses to add to {@link #alwaysWarm} when it is read: `runTx` passes all precompiles, but
   * few transactions need them.
   */
  readonly #alwaysWarmTexts: string[] = []
  readonly #touched = new Set<AddressKey>()
  readonly #steps: Step[] = []
  /** Number of steps at each open checkpoint. */
  readonly #checkpoints: number[] = []

  constructor(overlay: Overlay) {
    this.#overlay = overlay
  }

  async putAccount(address: Address, account: Account | undefined): Promise<void> {
    this.#touch(this.#overlay.keyOf(address))
    return this.#overlay.putAccount(address, account)
  }

  async deleteAccount(address: Address): Promise<void> {
    this.#touch(this.#overlay.keyOf(address))
    return this.#overlay.deleteAccount(address)
  }

  async checkpoint(): Promise<void> {
    this.#checkpoints.push(this.#steps.length)
    this.#overlay.openCheckpoint()
  }

  async commit(): Promise<void> {
    this.#checkpoints.pop()
    this.#overlay.keepCheckpoint()
  }

  async revert(): Promise<void> {
    const start = this.#checkpoints.pop() ?? 0
    while (this.#steps.length > start) this.#undo(this.#steps.pop())
    this.#overlay.revertCheckpoint()
  }

  /** Ends a transaction: removes touched accounts that are empty (EIP-161). */
  async cleanup(): Promise<void> {
    if (this.#overlay.common.gteHardfork('spuriousDragon')) {
      for (const key of this.#touched) {
        const account = this.#overlay.account(key)
        if (account !== null && isEmptyAccount(account)) this.#overlay.removeAccount(key)
      }
    }
    this.cleanJournal()
    delete this.accessList
  }

  cleanJournal(): void {
    // Clearing an empty Map would allocate a new table.
    for (const one of [this.#warm, this.#alwaysWarm, this.#alwaysWarmSlots, this.#touched]) {
      if (one.size > 0) one.clear()
    }
    this.#alwaysWarmTexts.length = 0
    this.#steps.length = 0
    this.#checkpoints.length = 0
  }

  startReportingAccessList(): void {
    this.accessList = new Map()
  }

  addAlwaysWarmAddress(text: string, report = false): void {
    this.#alwaysWarmTexts.push(text)
    if (report) this.#report(keyOf(text))
  }

  addAlwaysWarmSlot(text: string, slotText: string, report = false): void {
    const key = keyOf(text)
    const slot = slotKeyFromHex(slotText.startsWith('0x') ? slotText : `0x${slotText}`)
    const slots = this.#alwaysWarmSlots.get(key) ?? new Set()
    slots.add(slot)
    this.#alwaysWarmSlots.set(key, slots)
    this.#alwaysWarm.add(key)
    if (report) this.#report(key, slot)
  }

  isWarmedAddress(address: Uint8Array): boolean {
    const key = addressKey(address)
    if (this.#warm.has(key)) return true
    for (const text of this.#alwaysWarmTexts) this.#alwaysWarm.add(keyOf(text))
    this.#alwaysWarmTexts.length = 0
    return this.#alwaysWarm.has(key)
  }

  addWarmedAddress(address: Uint8Array): void {
    this.#warmSlots(addressKey(address))
  }

  isWarmedStorage(address: Uint8Array, slot: Uint8Array): boolean {
    return this.isWarm(addressKey(address), slotKey(slot))
  }

  addWarmedStorage(address: Uint8Array, slot: Uint8Array): void {
    this.warm(addressKey(address), slotKey(slot))
  }

  isWarm(address: AddressKey, slot: SlotKey): boolean {
    return (
      this.#warm.get(address)?.has(slot) === true ||
      this.#alwaysWarmSlots.get(address)?.has(slot) === true
    )
  }

  /** Warms the slot and its account. */
  warm(address: AddressKey, slot: SlotKey): void {
    const slots = this.#warmSlots(address)
    if (!slots.has(slot)) {
      slots.add(slot)
      this.#steps.push({ kind: 'slot', slots, slot })
    }
    this.#report(address, slot)
  }

  #warmSlots(address: AddressKey): Set<SlotKey> {
    let slots = this.#warm.get(address)
    if (slots === undefined) {
      slots = new Set()
      this.#warm.set(address, slots)
      this.#steps.push({ kind: 'warm', address })
    }
    this.#report(address)
    return slots
  }

  #touch(address: AddressKey): void {
    if (this.#touched.has(address)) return
    this.#touched.add(address)
    this.#steps.push({ kind: 'touched', address })
  }

  #undo(step: Step | undefined): void {
    if (step === undefined) return
    if (step.kind === 'slot') step.slots.delete(step.slot)
    else if (step.kind === 'warm') this.#warm.delete(step.address)
    else if (step.address !== RIPEMD160) this.#touched.delete(step.address)
  }

  #report(address: AddressKey, slot?: SlotKey): void {
    if (this.accessList === undefined) return
    const text = addressHex(address).slice(2)
    let slots = this.accessList.get(text)
    if (slots === undefined) {
      slots = new Set()
      this.accessList.set(text, slots)
    }
    if (slot !== undefined) slots.add(slotHex(slot).slice(2))
  }
}
