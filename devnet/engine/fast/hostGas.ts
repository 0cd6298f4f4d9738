import type { ForkRules } from '../../protocol/forks.ts'

/** Deepest frame; the outermost one has depth 0. */
export const MAX_DEPTH = 1024

/** Of each access after the first to an account or a slot (EIP-2929). */
export const WARM_GAS = 100

/** Gas of the host's opcodes under some rules. */
export interface HostGas {
  /** Of the first access to an account, and of the first access to a slot (EIP-2929). */
  readonly coldAccount: number
  readonly coldSlot: number
  /** Of code, besides the access to its account (EIP-8038). */
  readonly code: number
  /** Of a call that moves ether, and the extra gas if that creates an account. */
  readonly value: number
  readonly newCallee: number
  /** Of a SELFDESTRUCT that creates an account. */
  readonly newHeir: number
  /** Of a write to a slot that was zero, and to one that was not, if it is its first change. */
  readonly setSlot: number
  readonly resetSlot: number
  /** Parts of these that come back if the slot is as it was at the start of the transaction. */
  readonly unsetRefund: number
  readonly unresetRefund: number
  /** Refund for a slot that becomes zero (EIP-3529). */
  readonly clearRefund: number
  /** Per byte of deployed code, and per word of it. */
  readonly depositByte: number
  readonly depositWord: number
}

/** From Berlin on (EIP-2929, EIP-2200). */
const BERLIN: HostGas = {
  coldAccount: 2600,
  coldSlot: 2100,
  code: 0,
  value: 9000,
  newCallee: 25_000,
  newHeir: 25_000,
  setSlot: 20_000,
  resetSlot: 2900,
  unsetRefund: 19_900,
  unresetRefund: 2800,
  clearRefund: 15_000,
  depositByte: 200,
  depositWord: 0,
}

/** EIP-3529. */
const LONDON: HostGas = { ...BERLIN, clearRefund: 4800 }

/** EIP-8038; what creates state costs state gas besides (EIP-8037). */
const AMSTERDAM: HostGas = {
  coldAccount: 3000,
  coldSlot: 2100,
  code: 100,
  value: 11_300,
  newCallee: 0,
  newHeir: 9000,
  setSlot: 10_100,
  resetSlot: 10_100,
  unsetRefund: 10_000,
  unresetRefund: 10_000,
  clearRefund: 11_616,
  depositByte: 0,
  depositWord: 6,
}

export function hostGas({ baseFee, stateGas }: ForkRules): HostGas {
  if (stateGas) return AMSTERDAM
  return baseFee ? LONDON : BERLIN
}

/** The gas that a creation, and at most a call, gets of what there is (EIP-150). */
export function allButOne64th(gas: number): number {
  return gas - Math.floor(gas / 64)
}
