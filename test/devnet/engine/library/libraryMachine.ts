import type { FixedCommon } from '../../../../devnet/engine/library/fixedCommon.ts'
import { Machine } from '../../../../devnet/engine/machine.ts'
import type { Codes } from '../../../../devnet/state/codes.ts'
import type { StateReader } from '../../../../devnet/state/types.ts'

/** A machine with the library's VM. */
export async function createLibraryMachine(
  common: FixedCommon,
  codes: Codes,
  base: StateReader,
): Promise<Machine> {
  const machine = new Machine(base, codes, async () => common)
  await machine.library()
  return machine
}
