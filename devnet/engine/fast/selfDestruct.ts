import { EMPTY_BYTES } from '../../primitives/bytes.ts'
import { increased } from '../../state/accounts.ts'
import { EXIT_OUT_OF_GAS, EXIT_STOP } from '../core/layout.ts'
import { STATIC_CHANGE } from './exits.ts'
import type { Frame, Frames } from './frames.ts'
import { COLD_ACCOUNT_GAS, NEW_ACCOUNT_GAS } from './hostGas.ts'
import { stackTop } from './stack.ts'

/** Refund of the first SELFDESTRUCT of a contract, until London (EIP-3529). */
const REFUND = 24_000

/** Besides the access to the heir, and the account that it may become (EIP-150). */
const SELF_DESTRUCT_GAS = 5000

/** SELFDESTRUCT. Since Cancun it removes only contracts of the same transaction (EIP-6780). */
export function selfDestruct(frames: Frames, f: number, { isStatic, self }: Frame): number {
  const { core, journal, rules } = frames
  if (isStatic) return STATIC_CHANGE
  const heir = journal.account(core.addressKey(stackTop(core, f) - 32))
  const { balance } = self
  const needsAccount = balance > 0n && heir.isEmpty
  const cold = journal.warmAccount(heir)
  const access = (cold ? COLD_ACCOUNT_GAS : 0) + (needsAccount ? NEW_ACCOUNT_GAS : 0)
  if (!core.charge(f, SELF_DESTRUCT_GAS + access)) return EXIT_OUT_OF_GAS
  if (!self.destroyed && !rules.baseFee) frames.refund += REFUND
  const { hook } = frames.surroundings
  if (hook !== undefined) {
    const call = { from: self.key, to: heir.key, value: balance, input: () => EMPTY_BYTES }
    hook.enter({ ...call, kind: 'SELFDESTRUCT' }, frames.addLog)
    hook.leave({ kind: 'SELFDESTRUCT', failure: undefined, output: () => EMPTY_BYTES })
  }
  journal.change(self)
  self.destroyed = true
  if (heir !== self) {
    journal.setBalance(heir, increased(heir.balance, balance))
    self.balance = 0n
  } else if (!rules.blobs || self.created) {
    // The ether of a contract that names itself is burnt with it.
    self.balance = 0n
  }
  return EXIT_STOP
}
