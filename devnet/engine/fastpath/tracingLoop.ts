import { EVMError } from '@ethereumjs/evm'
import type { Interpreter, OpcodeEntry, RunResult, RunState } from '../evmInternals.ts'
import type { Scheduler } from '../scheduler.ts'
import { analyse, isEvmError } from './leanLoop.ts'

/** One opcode that is about to run. */
export interface Step {
  /** Of the frame, as it is before the opcode runs, but for `memoryWordCount`; it changes afterwards. */
  readonly state: RunState
  readonly pc: number
  readonly opcode: number
  /** Whether the hardfork has the opcode. */
  readonly isDefined: boolean
  /** Gas of the frame before it. */
  readonly gas: bigint
  /** The part of its gas that does not depend on operands. */
  readonly fee: bigint
  /** All its gas, without what it forwards; only {@link fee} where {@link failure} hides the rest. */
  readonly cost: bigint
  /** Items on the stack before it. */
  readonly height: number
  /** Words of memory before it. */
  readonly memoryWords: number
  /** Why it does not run at all; `undefined` where its gas is paid. */
  readonly failure: EVMError | undefined
}

/** Sees every opcode of an execution. What it throws ends the execution. */
export interface StepListener {
  /** An opcode is about to run, or to fail for want of gas or operands. */
  onStep(step: Step): void
  /** It has run, with all frames that it opened. @param error - why it, and the frame with it, failed or stopped */
  onStepEnd(step: Step, error: EVMError | undefined): void
}

/**
 * Runs a frame opcode by opcode as the library's own loop does, under the eyes of `watcher`. The library's `step` event
 * reads memory for a REVERT before its gas is charged, and fails where that lies too far away.
 */
export async function runTraced(
  interpreter: Interpreter,
  code: Uint8Array,
  watcher: StepListener,
  scheduler: Scheduler,
): Promise<RunResult> {
  const { _runState: state } = interpreter
  const { jumps, pushes, opcodesCached } = analyse(interpreter, code)
  state.code = code
  state.validJumps = jumps
  state.cachedPushes = pushes
  state.shouldDoJumpAnalysis = false
  let exceptionError: EVMError | undefined
  try {
    while (state.programCounter < code.length) {
      // A step can take long here: a watcher may copy all of the memory.
      const pause = scheduler.yieldIfDue()
      if (pause !== undefined) await pause
      const entry = opcodesCached[state.programCounter]
      if (entry === undefined) throw new Error('The program counter is inside a push')
      await runStep(interpreter, entry, watcher)
    }
    stopAtEnd(state, watcher)
  } catch (error) {
    if (!isEvmError(error)) throw error
    if (error.error !== EVMError.errorMessages.STOP) exceptionError = error
  }
  return { runState: state, exceptionError }
}

async function runStep(
  interpreter: Interpreter,
  { opcodeInfo, opHandler, gasHandler }: OpcodeEntry,
  watcher: StepListener,
): Promise<void> {
  const { _runState: state, common } = interpreter
  const pc = state.programCounter
  // Not the entry's own code: all undefined opcodes share the entry of INVALID.
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
  const step: Step = {
    state,
    pc,
    opcode,
    isDefined,
    gas,
    fee,
    cost,
    height,
    memoryWords,
    failure,
  }
  watcher.onStep(step)
  try {
    if (failure !== undefined) {
      // As the library's `useGas` does; what refuses the operands leaves the gas as it was.
      if (cost > gas) state.gasLeft = 0n
      throw failure
    }
    if (!isDefined) throw new EVMError(EVMError.errorMessages.INVALID_OPCODE)
    interpreter.useGas(cost, opcodeInfo)
    state.programCounter++
    const done = opHandler(state, common)
    if (opcodeInfo.isAsync) await done
  } catch (error) {
    if (isEvmError(error)) watcher.onStepEnd(step, error)
    throw error
  }
  watcher.onStepEnd(step, undefined)
}

/** Behind the end of the code stands a STOP (yellow paper 9.4.3); a RETURN leaves by an error of its own. */
function stopAtEnd(state: RunState, watcher: StepListener): void {
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
  watcher.onStep(step)
  watcher.onStepEnd(step, undefined)
}
