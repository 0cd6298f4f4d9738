import { EVMError } from '@ethereumjs/evm'
import {
  libraryReason,
  type ReturnDataCopy,
  readsBeyond,
  returnDataCopyGas,
} from '../engine/executionResult.ts'
import type { Step } from '../engine/fastpath/tracingLoop.ts'
import { failureMessage } from '../execution/failureMessage.ts'
import { EMPTY_BYTES } from '../primitives/bytes.ts'
import { type ForkRules, isAtLeast } from '../protocol/forks.ts'
import { CALL_STIPEND } from '../protocol/gas.ts'
import { Op, opcodeName, stackFault } from '../protocol/opcodes.ts'
import { stackItem } from './stack.ts'

/** No offset, length or sum of both may be larger in geth. */
const MAX_UINT64 = 2n ** 64n - 1n

/** Nor may memory, in bytes: its gas would not fit. */
const MAX_MEMORY = 0x1fffffffe0n

const WORD = 32n

/** Where opcodes find offset and length of the memory that they touch: places on the stack, or a length in bytes. */
type Range = readonly [offset: number, length: number | bigint]

const FIRST_TWO: readonly Range[] = [[0, 1]]
const FIRST_WORD: readonly Range[] = [[0, WORD]]
const COPIED: readonly Range[] = [[0, 2]]
const CREATED: readonly Range[] = [[1, 2]]

const RANGES: ReadonlyMap<number, readonly Range[]> = new Map<number, readonly Range[]>([
  [0x20, FIRST_TWO],
  [0x37, COPIED],
  [0x39, COPIED],
  [Op.extCodeCopy, [[1, 3]]],
  [Op.returnDataCopy, COPIED],
  [0x51, FIRST_WORD],
  [0x52, FIRST_WORD],
  [0x53, [[0, 1n]]],
  [
    0x5e,
    [
      [0, 2],
      [1, 2],
    ],
  ],
  ...[0, 1, 2, 3, 4].map((topics) => [Op.log0 + topics, FIRST_TWO] as const),
  [Op.create, CREATED],
  [Op.create2, CREATED],
  ...[Op.call, Op.callCode].map((code) => [code, callRanges(3)] as const),
  ...[Op.delegateCall, Op.staticCall].map((code) => [code, callRanges(2)] as const),
  [0xf3, FIRST_TWO],
  [0xfd, FIRST_TWO],
])

/** Input, then output. */
function callRanges(first: number): readonly Range[] {
  return [
    [first, first + 1],
    [first + 2, first + 3],
  ]
}

/** What geth says of a step before it runs it: the gas, and why it will not run. */
export interface Verdict {
  readonly cost: bigint
  readonly error: string | undefined
}

/**
 * Whether geth would run a step, and at which cost. It looks at the stack first, then at the part of the gas that does
 * not depend on operands, then at the rest; the library has no such order, but fails the same steps.
 */
export function verdictOn(step: Step, rules: ForkRules): Verdict {
  const { isDefined, opcode, height, failure, gas } = step
  const fault = isDefined ? stackFault(opcode, height) : undefined
  if (failure === undefined && fault === undefined) return { cost: step.cost, error: undefined }
  const fee = constantGas(step, rules)
  if (fault !== undefined) return { cost: fee, error: fault }
  if (gas < fee) return { cost: fee, error: 'out of gas' }
  if (opcode === Op.returnDataCopy && isOutOfReturnData(step)) return returnDataVerdict(step)
  const error = haltWords(step, failure, rules)
  // Where the library could tell the whole cost, so could geth, but for numbers that it has no room for.
  const isKnown = step.cost > gas && memoryOverflow(step) === undefined
  return { cost: isKnown ? step.cost : fee, error }
}

/**
 * Why a step made its frame fail, in geth's words.
 *
 * @param error - the library's
 */
export function haltWords(step: Step, error: EVMError | undefined, rules: ForkRules): string {
  const { opcode, isDefined, height } = step
  const fault = isDefined ? stackFault(opcode, height) : undefined
  if (fault !== undefined) return fault
  const { errorMessages } = EVMError
  if (error?.error === errorMessages.OUT_OF_GAS) return gasWords(step, rules)
  if (error?.error === errorMessages.INVALID_OPCODE) return `invalid opcode: ${opcodeName(opcode)}`
  return libraryWords(error)
}

/** Why a frame failed of which only the library's error is known: a precompile, or a creation after its code ran. */
export function libraryWords(error: EVMError | undefined): string {
  if (error?.error === EVMError.errorMessages.REVERT) return 'execution reverted'
  const failure = error === undefined ? undefined : libraryReason(error.error)
  return failureMessage({ failure, failureDetails: undefined, returnData: EMPTY_BYTES })
}

function gasWords(step: Step, rules: ForkRules): string {
  const { opcode, gas } = step
  const overflow = memoryOverflow(step)
  if (overflow !== undefined) return overflow
  if (opcode === Op.returnDataCopy && isOutOfReturnData(step)) {
    return returnDataVerdict(step).error ?? 'return data out of bounds'
  }
  if (opcode === Op.sstore && isAtLeast(rules.hardfork, 'istanbul') && gas <= CALL_STIPEND) {
    return 'out of gas: not enough gas for reentrancy sentry'
  }
  return 'out of gas'
}

/** The gas that geth takes before it looks at operands; the library counts some of it among the rest, or vice versa. */
function constantGas({ opcode, fee }: Step, rules: ForkRules): bigint {
  if (opcode === Op.exp || (opcode >= Op.log0 && opcode <= Op.log4)) return 0n
  if (!isAtLeast(rules.hardfork, 'berlin')) return fee
  return WARM_FIRST.has(opcode) ? 100n : fee
}

/** Opcodes that pay for a warm account first, and for the rest of a cold one with their operands (EIP-2929). */
const WARM_FIRST: ReadonlySet<number> = new Set([
  Op.balance,
  Op.extCodeSize,
  Op.extCodeCopy,
  Op.extCodeHash,
  Op.call,
  Op.callCode,
  Op.delegateCall,
  Op.staticCall,
])

/** What geth says where an opcode reaches for memory that no number of its own can hold. */
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

/** The library looks at the bounds first, geth at the gas. */
function returnDataVerdict(step: Step): Verdict {
  const cost = returnDataCopyGas(returnDataCopy(step))
  return { cost, error: cost > step.gas ? 'out of gas' : undefined }
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
