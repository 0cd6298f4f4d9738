import { EMPTY_BYTES, sameBytes } from '../../primitives/bytes.ts'
import type { ForkRules } from '../../protocol/forks.ts'
import { CALL_STIPEND } from '../../protocol/gas.ts'
import { EXIT_OUT_OF_GAS } from '../core/layout.ts'
import { DONE, STATIC_CHANGE } from './exits.ts'
import type { Frame, Frames } from './frames.ts'
import { COLD_SLOT_GAS, WARM_GAS } from './hostGas.ts'
import type { SlotEntry } from './journal.ts'
import { setStackTop, stackTop } from './stack.ts'

// Gas since Berlin (EIP-2929, EIP-2200); refunds since London (EIP-3529), and before.
const SET_GAS = 20_000
const RESET_GAS = 2900
const CLEAR_REFUND = 4800
const BERLIN_CLEAR_REFUND = 15_000
const STIPEND = Number(CALL_STIPEND)

export function load({ core, journal }: Frames, f: number, { self }: Frame): number {
  const at = stackTop(core, f) - 32
  const key = core.slotKey(at)
  const slot = journal.slot(self, key)
  const cold = journal.warmSlot(slot)
  if (!core.charge(f, cold ? COLD_SLOT_GAS : WARM_GAS)) return EXIT_OUT_OF_GAS
  core.setBytes(at, slot.value)
  return DONE
}

export function store(frames: Frames, f: number, { isStatic, self }: Frame): number {
  const { core, journal } = frames
  if (isStatic) return STATIC_CHANGE
  const top = stackTop(core, f)
  const key = core.slotKey(top - 32)
  const slot = journal.slot(self, key)
  // What a call with value gives must not be enough for a write (EIP-2200).
  if (core.gasLeft(f) <= STIPEND) return EXIT_OUT_OF_GAS
  const value = core.trimmedBytes(top - 64)
  const cold = journal.warmSlot(slot)
  const isSame = sameBytes(value, slot.value)
  const isClean = sameBytes(slot.original, slot.value)
  const first = slot.original.length === 0 ? SET_GAS : RESET_GAS
  const cost = (cold ? COLD_SLOT_GAS : 0) + (isSame || !isClean ? WARM_GAS : first)
  if (!core.charge(f, cost)) return EXIT_OUT_OF_GAS
  setStackTop(core, f, top - 64)
  if (isSame) return DONE
  frames.refund += storeRefund(slot, value, isClean, frames.rules)
  const isRestored = !isClean && sameBytes(slot.original, value)
  journal.setSlot(self, key, slot, isRestored ? slot.original : value)
  return DONE
}

/** The change of the refund for a write of another value; negative if a refund is taken back. */
function storeRefund(
  { original, value: before }: SlotEntry,
  after: Uint8Array,
  isClean: boolean,
  rules: ForkRules,
): number {
  const clearing = rules.baseFee ? CLEAR_REFUND : BERLIN_CLEAR_REFUND
  if (original.length > 0 && isClean) return after.length === 0 ? clearing : 0
  if (isClean) return 0
  let refund = 0
  if (original.length > 0) {
    if (before.length === 0) refund -= clearing
    else if (after.length === 0) refund += clearing
  }
  if (sameBytes(original, after)) {
    refund += (original.length === 0 ? SET_GAS : RESET_GAS) - WARM_GAS
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
