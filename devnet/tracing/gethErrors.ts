import { NAME_FIRST, NAME_SECOND } from '../engine/accessWatch.ts'
import { stackItem } from '../engine/library/evmInternals.ts'
import {
  type ReturnDataCopy,
  readsBeyond,
  returnDataCopyGas,
} from '../engine/library/executionResult.ts'
import type { Step } from '../engine/library/tracingLoop.ts'
import { failureMessage } from '../execution/failureMessage.ts'
import { EMPTY_BYTES } from '../primitives/bytes.ts'
import { type ForkRules, isAtLeast } from '../protocol/forks.ts'
import { CALL_STIPEND } from '../protocol/gas.ts'
import { HALTS, type Halt } from '../protocol/halt.ts'
import { hasImmediate, immediateFault, Op, stackEffect, stackFault } from '../protocol/opcodes.ts'

/** Result of geth's checks before it runs a step. */
interface StepCheck {
  /** Gas. */
  readonly cost: bigint
  /** Reason why the step will not run; `undefined` if it will. */
  readonly error: string | undefined
}

/**
 * True if geth would run a step, and at what cost. geth checks the stack first, then the part of
 * the gas that does not depend on operands, then the rest. The library checks in another order, but
 * fails the same steps.
 */
export function checkStep(step: Step, rules: ForkRules): StepCheck {
  const { isDefined, opcode, height, failure, gas } = step
  const fault = isDefined ? stackFault(opcode, height) : undefined
  if (fault !== undefined) return { cost: constantGas(step, rules), error: fault }
  if (failure === undefined) return { cost: step.cost, error: undefined }
  const fee = constantGas(step, rules)
  if (gas < fee) return { cost: fee, error: HALTS.outOfGas }
  if (opcode === Op.returnDataCopy && isOutOfReturnData(step)) return checkReturnDataCopy(step)
  const { error } = stepHalt(step, failure, rules)
  // If the library knows the whole cost, so does geth, unless geth's 64 bits overflow.
  const isKnown = step.cost > gas && memoryOverflow(step) === undefined
  return { cost: isKnown ? step.cost : fee, error }
}

export interface FrameHalt {
  readonly halt: Halt
  /** In geth's words. */
  readonly error: string
}

/** Reason why a step made its frame fail: geth may see another reason first than the library. */
export function stepHalt(step: Step, halt: Halt, rules: ForkRules): FrameHalt {
  const { opcode, isDefined, height } = step
  const error = isDefined ? stackFault(opcode, height) : undefined
  if (error !== undefined) {
    const isLow = height < stackEffect(opcode).needs
    return { halt: isLow ? 'stackUnderflow' : 'stackOverflow', error }
  }
  if (halt === 'outOfGas') return outOfGas(step, rules)
  const named =
    isDefined && hasImmediate(opcode)
      ? immediateFault(opcode, step.state.code[step.pc + 1] ?? 0, height)
      : undefined
  return named === undefined ? frameHalt(halt, opcode) : { halt, error: named }
}

/** As {@link stepHalt}, of a precompile, or of a creation after its code ran. */
export function frameHalt(halt: Halt, invalidOpcode?: number): FrameHalt {
  return { halt, error: failureMessage({ failure: halt, invalidOpcode, returnData: EMPTY_BYTES }) }
}

function outOfGas(step: Step, rules: ForkRules): FrameHalt {
  const { opcode, gas } = step
  const halt = 'outOfGas'
  const overflow = memoryOverflow(step)
  if (overflow !== undefined) return { halt, error: overflow }
  if (opcode === Op.returnDataCopy && isOutOfReturnData(step)) {
    return frameHalt(checkReturnDataCopy(step).error === undefined ? 'outOfReturnData' : halt)
  }
  if (opcode === Op.sstore && isAtLeast(rules.hardfork, 'istanbul') && gas <= CALL_STIPEND) {
    return { halt, error: 'out of gas: not enough gas for reentrancy sentry' }
  }
  return frameHalt(halt)
}

/** Gas that geth charges before it reads operands; the library's `fee` can differ from it. */
function constantGas({ opcode, fee }: Step, rules: ForkRules): bigint {
  if (opcode === Op.exp || (opcode >= Op.log0 && opcode <= Op.log4)) return 0n
  return isAtLeast(rules.hardfork, 'berlin') && WARM_FIRST.has(opcode) ? 100n : fee
}

/** Opcodes that pay for a warm account first; for a cold one they pay the rest later (EIP-2929). */
const WARM_FIRST = new Set([...NAME_FIRST, ...NAME_SECOND])
WARM_FIRST.delete(Op.selfDestruct)

/** geth's limit for an offset, a length and their sum. */
const MAX_UINT64 = 2n ** 64n - 1n

/** geth's limit for memory in bytes: its gas must fit in 64 bits. */
const MAX_MEMORY = 0x1fffffffe0n

/** Stack positions of offset and length of a memory range; a bigint is a fixed length in bytes. */
type Range = readonly [offset: number, length: number | bigint]

const FIRST_TWO: readonly Range[] = [[0, 1]]
const FIRST_WORD: readonly Range[] = [[0, 32n]]
const COPIED: readonly Range[] = [[0, 2]]
const CREATED: readonly Range[] = [[1, 2]]

/** Ranges of input, then output. */
const callRanges = (first: number): readonly Range[] => [
  [first, first + 1],
  [first + 2, first + 3],
]
const CALL_WITH_VALUE = callRanges(3)
const CALL_WITHOUT_VALUE = callRanges(2)
const SOURCE_AND_TARGET: readonly Range[] = [
  [0, 2],
  [1, 2],
]

/** The memory ranges of each opcode. */
const RANGES: ReadonlyMap<number, readonly Range[]> = new Map([
  [Op.keccak256, FIRST_TWO],
  [Op.callDataCopy, COPIED],
  [Op.codeCopy, COPIED],
  [Op.extCodeCopy, [[1, 3]]],
  [Op.returnDataCopy, COPIED],
  [Op.mload, FIRST_WORD],
  [Op.mstore, FIRST_WORD],
  [Op.mstore8, [[0, 1n]]],
  [Op.mcopy, SOURCE_AND_TARGET],
  ...[0, 1, 2, 3, 4].map((topics): [number, readonly Range[]] => [Op.log0 + topics, FIRST_TWO]),
  [Op.create, CREATED],
  [Op.create2, CREATED],
  [Op.call, CALL_WITH_VALUE],
  [Op.callCode, CALL_WITH_VALUE],
  [Op.delegateCall, CALL_WITHOUT_VALUE],
  [Op.staticCall, CALL_WITHOUT_VALUE],
  [Op.return, FIRST_TWO],
  [Op.revert, FIRST_TWO],
])

/** geth's error if an opcode uses more memory than geth can count; `undefined` otherwise. */
function memoryOverflow(step: Step): string | undefined {
  let end = 0n
  for (const [offset, length] of RANGES.get(step.opcode) ?? []) {
    const size = typeof length === 'bigint' ? length : stackItem(step, length)
    const last = size > 0n ? stackItem(step, offset) + size : 0n
    if (last > end) end = last
  }
  if (end > MAX_UINT64) return 'gas uint64 overflow'
  return end > MAX_MEMORY ? 'out of gas: gas uint64 overflow' : undefined
}

function isOutOfReturnData(step: Step): boolean {
  return readsBeyond(returnDataCopy(step))
}

/** geth checks the gas before the bounds; the library checks the bounds first. */
function checkReturnDataCopy(step: Step): StepCheck {
  const cost = returnDataCopyGas(returnDataCopy(step))
  return { cost, error: cost > step.gas ? HALTS.outOfGas : undefined }
}

function returnDataCopy(step: Step): ReturnDataCopy {
  return {
    memoryOffset: stackItem(step, 0),
    dataOffset: stackItem(step, 1),
    length: stackItem(step, 2),
    returned: step.state.returnBytes.length,
    memoryWords: BigInt(step.memoryWords),
  }
}
