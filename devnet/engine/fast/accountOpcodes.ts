import { COPY_WORD_GAS } from '../../protocol/gas.ts'
import { EXIT_OUT_OF_GAS } from '../core/layout.ts'
import { DONE } from './exits.ts'
import type { Frame, Frames } from './frames.ts'
import { WARM_GAS } from './hostGas.ts'
import type { AccountEntry } from './journal.ts'
import { setStackTop, stackTop } from './stack.ts'

/** Pays for the access to an account (EIP-2929). @param more - besides the access; default: 0 */
function payAccess(
  { core, journal, gas }: Frames,
  f: number,
  entry: AccountEntry,
  more = 0,
): boolean {
  const cost = journal.warmAccount(entry) ? gas.coldAccount : WARM_GAS
  if (!core.charge(f, cost + more)) return false
  entry.accessed = true
  return true
}

export function balance(frames: Frames, f: number): number {
  const { core, journal } = frames
  const at = stackTop(core, f) - 32
  const entry = journal.account(core.addressKey(at))
  if (!payAccess(frames, f, entry)) return EXIT_OUT_OF_GAS
  core.setWord(at, entry.balance)
  return DONE
}

export function selfBalance({ core }: Frames, f: number, { self }: Frame): number {
  const top = stackTop(core, f)
  core.setWord(top, self.balance)
  setStackTop(core, f, top + 32)
  return DONE
}

export function codeSize(frames: Frames, f: number): number {
  const { core, journal } = frames
  const at = stackTop(core, f) - 32
  const entry = journal.account(core.addressKey(at))
  const { length } = journal.code(entry)
  if (!payAccess(frames, f, entry, frames.gas.code)) return EXIT_OUT_OF_GAS
  core.setSmallWord(at, length)
  return DONE
}

/** EXTCODEHASH (EIP-1052): 0 for an account that is empty or does not exist. */
export function codeHash(frames: Frames, f: number): number {
  const { core, journal } = frames
  const at = stackTop(core, f) - 32
  const entry = journal.account(core.addressKey(at))
  if (!payAccess(frames, f, entry)) return EXIT_OUT_OF_GAS
  if (entry.isEmpty) core.setSmallWord(at, 0)
  else core.setBytes(at, entry.codeHash)
  return DONE
}

export function codeCopy(frames: Frames, f: number): number {
  const { core, journal } = frames
  const top = stackTop(core, f)
  const entry = journal.account(core.addressKey(top - 32))
  const code = journal.code(entry)
  // All gas is charged before the code is read (EIP-7928).
  if (!core.useMemory(f, top - 64, top - 128, COPY_WORD_GAS)) return EXIT_OUT_OF_GAS
  if (!payAccess(frames, f, entry, frames.gas.code)) return EXIT_OUT_OF_GAS
  const { output, outputLength } = core
  if (outputLength > 0) {
    const offset = core.smallWord(top - 96)
    const piece = code.subarray(offset, offset + outputLength)
    core.u8.set(piece, output)
    core.u8.fill(0, output + piece.length, output + outputLength)
  }
  setStackTop(core, f, top - 128)
  return DONE
}
