import { EMPTY_BYTES, sameBytes } from '../../primitives/bytes.ts'
import { CALL_STIPEND, SLOT_STATE_GAS } from '../../protocol/gas.ts'
import { EXIT_OUT_OF_GAS } from '../core/layout.ts'
import { DONE, STATIC_CHANGE } from './exits.ts'
import type { Frame, Frames } from './frames.ts'
import { type HostGas, WARM_GAS } from './hostGas.ts'
import type { SlotEntry } from './journal.ts'
import { setStackTop, stackTop } from './stack.ts'

const STIPEND = Number(CALL_STIPEND)

export function load({ core, journal, gas }: Frames, f: number, { self }: Frame): number {
  const at = stackTop(core, f) - 32
  const key = core.slotKey(at)
  const slot = journal.slot(self, key)
  const cold = journal.warmSlot(slot)
  if (!core.charge(f, cold ? gas.coldSlot : WARM_GAS)) return EXIT_OUT_OF_GAS
  slot.accessed = true
  core.setBytes(at, slot.value)
  return DONE
}

export function store(frames: Frames, f: number, { isStatic, self }: Frame): number {
  const { core, journal, gas, rules } = frames
  if (isStatic) return STATIC_CHANGE
  const top = stackTop(core, f)
  const key = core.slotKey(top - 32)
  const slot = journal.slot(self, key)
  // What a call with value gives must not be enough for a write (EIP-2200).
  if (core.gasLeft(f) <= STIPEND) return EXIT_OUT_OF_GAS
  // More gas than the stipend also pays for the access (EIP-7928).
  slot.accessed = true
  const value = core.trimmedBytes(top - 64)
  const cold = journal.warmSlot(slot)
  const isSame = sameBytes(value, slot.value)
  const isClean = sameBytes(slot.original, slot.value)
  const isNew = slot.original.length === 0
  const first = isNew ? gas.setSlot : gas.resetSlot
  let cost = (cold ? gas.coldSlot : 0) + (isSame || !isClean ? WARM_GAS : first)
  // Since Amsterdam, the first access costs no second one besides (EIP-8038).
  if (cold && rules.stateGas) cost -= WARM_GAS
  if (!core.charge(f, cost)) return EXIT_OUT_OF_GAS
  if (isNew && rules.stateGas && !isSame && !payState(frames, f, isClean, value)) {
    return EXIT_OUT_OF_GAS
  }
  setStackTop(core, f, top - 64)
  if (isSame) return DONE
  frames.refund += storeRefund(slot, value, isClean, gas)
  const isRestored = !isClean && sameBytes(slot.original, value)
  journal.setSlot(self, key, slot, isRestored ? slot.original : value)
  return DONE
}

/**
 * Pays the state gas of a slot that was zero at the start of the transaction, or gives it back.
 *
 * @param isClean - true if it is zero now
 */
function payState({ core, state }: Frames, f: number, isClean: boolean, value: Uint8Array) {
  if (isClean) return state.charge(core, f, SLOT_STATE_GAS)
  if (value.length === 0) core.refund(f, state.refill(SLOT_STATE_GAS))
  return true
}

/** The change of the refund for a write of another value; negative if a refund is taken back. */
function storeRefund(
  { original, value: before }: SlotEntry,
  after: Uint8Array,
  isClean: boolean,
  { clearRefund: clearing, unsetRefund, unresetRefund }: HostGas,
): number {
  if (original.length > 0 && isClean) return after.length === 0 ? clearing : 0
  if (isClean) return 0
  let refund = 0
  if (original.length > 0) {
    if (before.length === 0) refund -= clearing
    else if (after.length === 0) refund += clearing
  }
  if (sameBytes(original, after)) {
    refund += original.length === 0 ? unsetRefund : unresetRefund
  }
  return refund
}

/** TLOAD (EIP-1153). */
export function loadTransient({ core }: Frames, f: number, { self }: Frame): number {
  const at = stackTop(core, f) - 32
  core.setBytes(at, self.transient?.get(core.slotKey(at)) ?? EMPTY_BYTES)
  return DONE
}

/** TSTORE (EIP-1153). */
export function storeTransient(frames: Frames, f: number, { isStatic, self }: Frame): number {
  const { core, journal } = frames
  if (isStatic) return STATIC_CHANGE
  const top = stackTop(core, f)
  journal.setTransient(self, core.slotKey(top - 32), core.trimmedBytes(top - 64))
  setStackTop(core, f, top - 64)
  return DONE
}
