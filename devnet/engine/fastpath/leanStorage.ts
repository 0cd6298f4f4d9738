import { bigIntToBytes, bytesToBigInt } from '../../primitives/bytes.ts'
import { CALL_STIPEND } from '../../protocol/gas.ts'
import { slotKeyFromBigInt } from '../../state/keys.ts'
import { Overlay } from '../../state/overlay/overlay.ts'
import type { RunState } from '../evmInternals.ts'
import type { LeanOpcode } from './leanOpcodes.ts'
import { WarmJournal } from './warmJournal.ts'

// Gas of storage opcodes since Berlin (EIP-2929, EIP-2200); refunds since London (EIP-3529).
const COLD_GAS = 2100
const WARM_GAS = 100
const SET_GAS = 20_000
const RESET_GAS = 2900
const CLEAR_REFUND = 4800n
const SET_REFUND = BigInt(SET_GAS - WARM_GAS)
const RESET_REFUND = BigInt(RESET_GAS - WARM_GAS)

function sload(state: RunState, fee: number): boolean {
  const { stack, stateManager: overlay, env } = state
  const { journal } = state.interpreter
  const { _store: items, _len: height } = stack
  const slot = items[height - 1]
  if (height < 1 || slot === undefined) return false
  if (!(overlay instanceof Overlay) || !(journal instanceof WarmJournal)) return false
  const address = overlay.keyOf(env.address)
  const key = slotKeyFromBigInt(slot)
  const warm = journal.isWarm(address, key)
  const left = state.gasLeft - BigInt(fee + (warm ? WARM_GAS : COLD_GAS))
  if (left < 0n) return false
  state.gasLeft = left
  if (!warm) journal.warm(address, key)
  items[height - 1] = bytesToBigInt(overlay.slot(address, key))
  return true
}

function sstore(state: RunState, fee: number): boolean {
  const { stack, stateManager: overlay, env } = state
  const { journal } = state.interpreter
  const { _store: items, _len: height } = stack
  const slot = items[height - 1]
  const value = items[height - 2]
  if (height < 2 || slot === undefined || value === undefined) return false
  if (!(overlay instanceof Overlay) || !(journal instanceof WarmJournal)) return false
  // `fee` includes gas of plain opcodes that is not deducted yet.
  if (env.isStatic || state.gasLeft - BigInt(fee) <= CALL_STIPEND) return false
  const address = overlay.keyOf(env.address)
  if (overlay.account(address) === null) return false
  const key = slotKeyFromBigInt(slot)
  const current = overlay.slot(address, key)
  const original = overlay.originalSlot(address, key)
  const before = bytesToBigInt(current)
  const first = original === current ? before : bytesToBigInt(original)
  const warm = journal.isWarm(address, key)
  const gas = fee + (warm ? 0 : COLD_GAS) + storeGas(first, before, value)
  const left = state.gasLeft - BigInt(gas)
  const refund = state.gasRefund + storeRefund(first, before, value)
  if (left < 0n || refund < 0n) return false
  state.gasLeft = left
  state.gasRefund = refund
  if (!warm) journal.warm(address, key)
  stack._len = height - 2
  overlay.setSlot(address, key, bigIntToBytes(value))
  return true
}

/** Gas of a write, without the extra gas of a cold slot. */
function storeGas(first: bigint, before: bigint, after: bigint): number {
  if (before === after || first !== before) return WARM_GAS
  return first === 0n ? SET_GAS : RESET_GAS
}

function storeRefund(first: bigint, before: bigint, after: bigint): bigint {
  if (before === after) return 0n
  if (first === before) return first !== 0n && after === 0n ? CLEAR_REFUND : 0n
  let refund = 0n
  if (first !== 0n) {
    if (before === 0n) refund -= CLEAR_REFUND
    else if (after === 0n) refund += CLEAR_REFUND
  }
  if (first === after) refund += first === 0n ? SET_REFUND : RESET_REFUND
  return refund
}

/** Storage opcodes by number. Valid from London on, with an `Overlay` and a `WarmJournal`. */
export const storageOpcodes: ReadonlyMap<number, LeanOpcode> = new Map([
  [0x54, sload],
  [0x55, sstore],
])
