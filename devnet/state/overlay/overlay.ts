import type { Codes } from '../codes.ts'
import type { AddressKey, StateReader } from '../types.ts'
import { ScratchState, type Wait } from './scratchState.ts'

/** Scratch changes of an execution. */
export class Overlay extends ScratchState {
  #codes: Codes
  readonly #wait: Wait | undefined
  #presentedAsEoa: AddressKey | undefined

  constructor(base: StateReader, codes: Codes, wait?: Wait) {
    super(base, codes, wait)
    this.#codes = codes
    this.#wait = wait
  }

  /**
   * Lets this account send one transaction although it has code; {@link reset} cancels this.
   * Transactions of such a sender are refused (EIP-3607), but calls and simulations must allow it.
   */
  presentAsEoaOnce(key: AddressKey): void {
    this.#presentedAsEoa = key
  }

  /** As {@link presentAsEoaOnce} says of this account; the next call says no. */
  takePresentedAsEoa(key: AddressKey): boolean {
    const isPresented = this.#presentedAsEoa === key
    this.#presentedAsEoa = undefined
    return isPresented
  }

  /** The account of {@link presentAsEoaOnce}, until its transaction begins. */
  get presentedAsEoa(): AddressKey | undefined {
    return this.#presentedAsEoa
  }

  override reset(base: StateReader, codes = this.#codes): void {
    super.reset(base, codes)
    this.#codes = codes
    this.#presentedAsEoa = undefined
  }

  /** A copy with the same changes over the same state, without checkpoints. */
  shallowCopy(): Overlay {
    const copy = new Overlay(this, this.#codes, this.#wait)
    copy.copyFrom(this)
    return copy
  }
}
