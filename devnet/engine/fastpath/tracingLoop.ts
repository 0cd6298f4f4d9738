import { EVMError } from '@ethereumjs/evm'
import type { Interpreter, OpcodeEntry, RunResult, RunState } from '../evmInternals.ts'
import type { Scheduler } from '../scheduler.ts'
import { isEvmError, prepare } from './leanLoop.ts'

/** One step of an execution: an opcode before it runs. */
export interface Step {
  /** State of the frame before the opcode, but for `memoryWordCount`. It changes afterwards. */
  readonly state: RunState
  readonly pc: number
  readonly opcode: number
  /** Whether the hardfork has the opcode. */
  readonly isDefined: boolean
  /** Gas left before it. */
  readonly gas: bigint
  /** The part of its gas that is independent of operands. */
  readonly fee: bigint
  /** Its gas, without what it forwards; only {@link fee} if {@link failure} hides the rest. */
  readonly cost: bigint
  /** Stack height before it. */
  readonly height: number
  /** Memory before it, in words. */
  readonly memoryWords: number
  /** Why it does not run; `undefined` if its gas is paid. */
  readonly failure: EVMError | undefined
}

/** Listens to every opcode of an execution. Errors that it throws end the execution. */
export interface StepListener {
  /** Before an opcode runs, or fails for lack of gas or operands. */
  onStep(step: Step): void
  /**
   * After it and its inner frames.
   *
   * @param error - why the opcode, and its frame, failed or stopped
   */
  onStepEnd(step: Step, error: EVMError | undefined): void
}

/**
 * The tracing loop: runs a frame as the library's loop does, and calls `listener` at each opcode.
 * The library's `step` event does not suffice: it reads memory for a REVERT before the gas is
 * charged, and fails if the offset is too high.
 */
export async function runTraced(
  interpreter: Interpreter,
  code: Uint8Array,
  listener: StepListener,
  scheduler: Scheduler,
): Promise<RunResult> {
  const { _runState: state } = interpreter
  const { opcodesCached } = prepare(interpreter, code)
  let exceptionError: EVMError | undefined
  try {
    while (state.programCounter < code.length) {
      // Steps can be slow here: a listener may copy all memory.
      const pause = scheduler.yieldIfDue()
      if (pause !== undefined) await pause
      const entry = opcodesCached[state.programCounter]
      if (entry === undefined) throw new Error('The program counter is inside a push')
      await runStep(interpreter, entry, listener)
    }
    stopAtEnd(state, listener)
  } catch (error) {
    if (!isEvmError(error)) throw error
    if (error.error !== EVMError.errorMessages.STOP) exceptionError = error
  }
  return { runState: state, exceptionError }
}

async function runStep(
  interpreter: Interpreter,
  { opcodeInfo, opHandler, gasHandler }: OpcodeEntry,
  listener: StepListener,
): Promise<void> {
  const { _runState: state, common } = interpreter
  const pc = state.programCounter
  // Not the code of the entry: all undefined opcodes share the entry of INVALID.
  const opcode = state.code[pc] ?? 0
  state.opCode = opcode
  const gas = state.gasLeft
  const height = state.stack._len
  const memoryWords = Number(state.memoryWordCount)
  const fee = opcodeInfo.feeBigInt
  let cost = fee
  let failure: EVMError | undefined
  if (opcodeInfo.dynamicGas) {
    try {
      cost = await gasHandler(state, fee, common)
    } catch (error) {
      if (!isEvmError(error)) throw error
      failure = error
    }
  }
  if (failure === undefined && cost > gas) {
    failure = new EVMError(EVMError.errorMessages.OUT_OF_GAS)
  }
  const isDefined = !opcodeInfo.isInvalid
  const step: Step = { state, pc, opcode, isDefined, gas, fee, cost, height, memoryWords, failure }
  listener.onStep(step)
  try {
    if (failure !== undefined) {
      // As the library's `useGas`. An error in the operands leaves the gas unchanged.
      if (cost > gas) state.gasLeft = 0n
      throw failure
    }
    if (!isDefined) throw new EVMError(EVMError.errorMessages.INVALID_OPCODE)
    interpreter.useGas(cost, opcodeInfo)
    state.programCounter++
    const done = opHandler(state, common)
    if (opcodeInfo.isAsync) await done
  } catch (error) {
    if (isEvmError(error)) listener.onStepEnd(step, error)
    throw error
  }
  listener.onStepEnd(step, undefined)
}

/** The implicit STOP at the end of the code (yellow paper 9.4.3); RETURN leaves by an error. */
function stopAtEnd(state: RunState, listener: StepListener): void {
  const step: Step = {
    state,
    pc: state.programCounter,
    opcode: 0,
    isDefined: true,
    gas: state.gasLeft,
    fee: 0n,
    cost: 0n,
    height: state.stack._len,
    memoryWords: Number(state.memoryWordCount),
    failure: undefined,
  }
  listener.onStep(step)
  listener.onStepEnd(step, undefined)
}
