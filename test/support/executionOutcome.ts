import type { EVMInterface, EVMResult } from '@ethereumjs/evm'
import type { NamedAccess } from '../../devnet/engine/accessWatch.ts'
import type { CallExecution } from '../../devnet/engine/types.ts'
import { toHex } from '../../devnet/primitives/hex.ts'
import { bloomHex } from '../../devnet/protocol/bloom.ts'
import type { Halt } from '../../devnet/protocol/halt.ts'
import { Op } from '../../devnet/protocol/opcodes.ts'
import type { StepAccesses } from '../../devnet/protocol/stepAccesses.ts'
import { TransactionRefused } from '../../devnet/protocol/transactionRefused.ts'
import { addressHex, slotHex } from '../../devnet/state/keys.ts'

/** Failures that use up all gas: which of them comes first is the library's own order. */
const HALTS: ReadonlySet<Halt> = new Set<Halt>([
  'outOfGas',
  'outOfReturnData',
  'stackUnderflow',
  'stackOverflow',
  'writeProtection',
  'invalidOpcode',
  'initCodeSize',
])

/** An execution in a form in which both engines must agree. */
export function executionOutcome(execution: Partial<CallExecution>) {
  const { failure, invalidOpcode: _, bloomBits, accesses, ...rest } = execution
  return {
    ...rest,
    failure: failure !== undefined && HALTS.has(failure) ? 'halt' : failure,
    bloom: bloomBits === undefined ? undefined : bloomHex(bloomBits),
    accesses: accesses && accessesText(accesses),
  }
}

/** Accesses as text, in an order of their own. */
export function accessesText(accesses: StepAccesses): string[] {
  return accesses
    .map(({ key, balance, nonce, code, writes, reads }) => {
      const written = writes.map(([slot, value]) => `${slotHex(slot)}=${toHex(value)}`).sort()
      const read = reads.map(slotHex).sort()
      const changes = `balance ${balance}, nonce ${nonce}, code ${code && toHex(code)}`
      return `${addressHex(key)}: ${changes}, writes ${written}, reads ${read}`
    })
    .sort()
}

/** Records what the opcodes of a call name, each once. */
export function recordAccesses() {
  const accesses = new Set<string>()
  const onAccess = ({ opcode, self, operand }: NamedAccess) => {
    // These name nothing.
    if (opcode === Op.create || opcode === Op.create2) return
    const named = CALLS.has(opcode) ? operand(1) : operand(0)
    accesses.add(`${opcode} ${addressHex(self)} ${named}`)
  }
  return { accesses, onAccess }
}

const CALLS = new Set<number>([Op.call, Op.callCode, Op.delegateCall, Op.staticCall])

/**
 * Whether an engine refused a transaction, and did not merely break. Which reason comes first is
 * the engine's own order.
 */
export function isRefusal(error: unknown): error is TransactionRefused {
  return error instanceof TransactionRefused
}

/**
 * Runs `execute` on the library's EVM. Says whether the library took all gas of a creation that
 * reverted with data that begins with 0xef (evm 10.1.3): EIP-3541 refuses only code that is
 * returned, so there the library cannot be the judge.
 */
export async function judged<Result>(
  { events }: EVMInterface,
  execute: () => Promise<Result>,
): Promise<{ readonly result: Result; readonly isMistaken: boolean }> {
  let isMistaken = false
  const see = ({ execResult: { exceptionError, runState } }: EVMResult) => {
    if (exceptionError?.error === 'invalid bytecode deployed' && runState?.opCode === Op.revert) {
      isMistaken = true
    }
  }
  if (events === undefined) throw new Error('The EVM of the library emits no events')
  events.on('afterMessage', see)
  try {
    return { result: await execute(), isMistaken }
  } finally {
    events.off('afterMessage', see)
  }
}
