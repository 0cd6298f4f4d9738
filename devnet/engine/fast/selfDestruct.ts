import { EMPTY_BYTES } from '../../primitives/bytes.ts'
import { ACCOUNT_STATE_GAS } from '../../protocol/gas.ts'
import { increased } from '../../state/accounts.ts'
import { EXIT_OUT_OF_GAS, EXIT_STOP } from '../core/layout.ts'
import { STATIC_CHANGE } from './exits.ts'
import type { Frame, Frames } from './frames.ts'
import { stackTop } from './stack.ts'

/** Refund of the first SELFDESTRUCT of a contract, until London (EIP-3529). */
const REFUND = 24_000

/** Besides the access to the heir, and the account that it may become (EIP-150). */
const SELF_DESTRUCT_GAS = 5000

/** SELFDESTRUCT. Since Cancun it removes only contracts of the same transaction (EIP-6780). */
export function selfDestruct(frames: Frames, f: number, { isStatic, self }: Frame): number {
  const { core, journal, gas, rules } = frames
  if (isStatic) return STATIC_CHANGE
  const heir = journal.account(core.addressKey(stackTop(core, f) - 32))
  const { balance } = self
  const needsAccount = balance > 0n && heir.isEmpty
  const cold = journal.warmAccount(heir)
  if (!core.charge(f, SELF_DESTRUCT_GAS + (cold ? gas.coldAccount : 0))) return EXIT_OUT_OF_GAS
  heir.accessed = true
  if (needsAccount) {
    if (!core.charge(f, gas.newHeir)) return EXIT_OUT_OF_GAS
    if (rules.stateGas && !frames.state.charge(core, f, ACCOUNT_STATE_GAS)) return EXIT_OUT_OF_GAS
  }
  if (!self.destroyed && !rules.baseFee) frames.refund += REFUND
  if (rules.transferLogs && heir !== self && balance > 0n) {
    frames.addTransferLog(self, heir, balance)
  }
  const { hook } = frames.surroundings
  if (hook !== undefined) {
    const [kind, nothing] = ['SELFDESTRUCT', () => EMPTY_BYTES] as const
    const call = { kind, from: self.key, to: heir.key, value: balance, gas: 0, input: nothing }
    hook.enter(call, frames.addLog)
    hook.leave({ kind, failure: undefined, opcode: () => undefined, gasUsed: 0, output: nothing })
  }
  journal.change(self)
  self.destroyed = true
  if (heir !== self) {
    journal.setBalance(heir, increased(heir.balance, balance))
    self.balance = 0n
  } else if (!rules.transferLogs && (!rules.blobs || self.created)) {
    // The ether of a contract that names itself is burnt with it, until EIP-8246.
    self.balance = 0n
  }
  return EXIT_STOP
}
