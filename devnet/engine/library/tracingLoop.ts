import { EVMError } from '@ethereumjs/evm'
import { getOrCreate } from '../../primitives/memo.ts'
import type { Halt } from '../../protocol/halt.ts'
import type { Scheduler } from '../scheduler.ts'
import type {
  Analysis,
  Interpreter,
  OpcodeEntry,
  OpcodeInfo,
  RunResult,
  RunState,
} from './evmInternals.ts'
import { toHalt } from './libraryWords.ts'

/** One step of an execution: an opcode before it runs. */
export interface Step {
  /** The frame's live state; in `onStep` as before the opcode, except for `memoryWordCount`. */
  readonly state: RunState
  readonly pc: number
  readonly opcode: number
  readonly isDefined: boolean
  readonly gas: bigint
  /** The part of the opcode's gas that does not depend on its operands. */
  readonly fee: bigint
  /** The opcode's gas without gas forwarded to a call; {@link fee} if it could not be computed. */
  readonly cost: bigint
  readonly height: number
  /** Memory before the opcode, in words. */
  readonly memoryWords: number
  /** Lack of gas or invalid operands; `undefined` if the opcode's gas can be paid. */
  readonly failure: Halt | undefined
}

/** Listens to every opcode of an execution. Errors that it throws end the execution. */
export interface StepListener {
  /** Called before an opcode runs, or fails for lack of gas or operands. */
  onStep(step: Step): void
  /**
   * Called after the opcode and the frames that it opened.
   *
   * @param halt - why the opcode made its frame fail; `undefined` if it did not
   */
  onStepEnd(step: Step, halt: Halt | undefined): void
}

/**
 * The tracing loop: runs a frame as the library's loop does, and calls `listener` at each opcode.
 * The library's `step` event is not enough: it reads memory for a REVERT before the gas is
 * charged, and fails if the offset is too high.
 */
export async function runTraced(
  interpreter: Interpreter,
  code: Uint8Array,
  listener: StepListener,
  scheduler: Scheduler,
): Promise<RunResult> {
  const { _runState: state, common } = interpreter
  const { opcodesCached } = prepare(interpreter, code)
  let exceptionError: EVMError | undefined
  try {
    while (state.programCounter < code.length) {
      // Reads the clock at each step, because steps can be slow: a listener may copy all memory.
      const pause = scheduler.yieldIfDue()
      if (pause !== undefined) await pause
      const entry = opcodesCached[state.programCounter]
      if (entry === undefined) throw new Error('The program counter is inside a push')
      const { opcodeInfo, opHandler, gasHandler } = entry
      const step = openStep(state, opcodeInfo)
      const spilled = state.stateGasSpilled
      let failed: EVMError | undefined
      // Nothing is awaited that need not be: test runners watch each promise, which takes longer
      // than most opcodes.
      if (opcodeInfo.dynamicGas) {
        try {
          step.cost = await gasHandler(state, step.fee, common)
        } catch (error) {
          if (!isEvmError(error)) throw error
          failed = error
        }
      }
      const charge = chargeOf(step, spilled, failed)
      listener.onStep(step)
      try {
        pay(interpreter, opcodeInfo, charge)
        const done = opHandler(state, common)
        if (opcodeInfo.isAsync) await done
      } catch (error) {
        if (isEvmError(error)) listener.onStepEnd(step, toHalt(error))
        throw error
      }
      listener.onStepEnd(step, undefined)
    }
    stopAtEnd(state, listener)
  } catch (error) {
    if (!isEvmError(error)) throw error
    if (error.error !== EVMError.errorMessages.STOP) exceptionError = error
  }
  return { runState: state, exceptionError }
}

type OpenStep = { -readonly [Field in keyof Step]: Step[Field] }

/** The step that begins; its gas is not computed yet. */
function openStep(state: RunState, { feeBigInt, isInvalid }: OpcodeInfo): OpenStep {
  const pc = state.programCounter
  // Not `opcodeInfo.code`: all undefined opcodes share the entry of INVALID.
  const opcode = state.code[pc] ?? 0
  state.opCode = opcode
  return {
    state,
    pc,
    opcode,
    isDefined: !isInvalid,
    gas: state.gasLeft,
    fee: feeBigInt,
    cost: feeBigInt,
    height: state.stack._len,
    memoryWords: Number(state.memoryWordCount),
    failure: undefined,
  }
}

interface Charge {
  /** Gas to be taken. */
  readonly cost: bigint
  /** The reason why the opcode cannot run. */
  readonly failed: EVMError | undefined
  /** True if all gas is used up, as in the library's `useGas`; invalid operands use none. */
  readonly isOutOfGas: boolean
}

/**
 * Completes a step whose `cost` is what the gas handler returned.
 *
 * @param spilled - the state's `stateGasSpilled` before the handler
 * @param failed - the error of the handler
 */
function chargeOf(step: OpenStep, spilled: bigint, failed: EVMError | undefined): Charge {
  const { state, cost, gas } = step
  // A handler can charge gas itself (EIP-8037), or run out of gas after it accessed the target of
  // a call (EIP-7928).
  const isOutOfGas = cost > state.gasLeft || state.eip7928PostTargetCallOog !== undefined
  const error = failed ?? (isOutOfGas ? new EVMError(EVMError.errorMessages.OUT_OF_GAS) : undefined)
  // As in geth, the cost leaves out gas for state; a creation has already paid for the rest.
  step.cost += gas - state.gasLeft - (state.stateGasSpilled - spilled)
  step.failure = error && toHalt(error)
  return { cost, failed: error, isOutOfGas }
}

/** Takes the opcode's gas. @throws {EVMError} if it cannot run */
function pay(
  interpreter: Interpreter,
  opcodeInfo: OpcodeInfo,
  { cost, failed, isOutOfGas }: Charge,
): void {
  const { _runState: state } = interpreter
  if (failed !== undefined) {
    if (isOutOfGas) state.gasLeft = 0n
    throw failed
  }
  if (opcodeInfo.isInvalid) throw new EVMError(EVMError.errorMessages.INVALID_OPCODE)
  interpreter.useGas(cost, opcodeInfo)
  state.programCounter++
}

/** Reports the implicit STOP at the end of code (yellow paper 9.4.3), which throws no error. */
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

/** Analyses by opcode table, which depends on the hardfork, then by code. */
const analyses = new WeakMap<readonly OpcodeEntry[], WeakMap<Uint8Array, Analysis>>()

/** Sets up the frame to run `code`; returns the analysis of the code. */
function prepare(interpreter: Interpreter, code: Uint8Array): Analysis {
  const { _runState: state } = interpreter
  const known = getOrCreate(
    analyses,
    interpreter._evm._opcodeMap,
    () => new WeakMap<Uint8Array, Analysis>(),
  )
  const analysis = getOrCreate(known, code, () => interpreter._getValidJumpDestinations(code))
  state.code = code
  state.validJumps = analysis.jumps
  state.cachedPushes = analysis.pushes
  state.shouldDoJumpAnalysis = false
  return analysis
}

/** Checks as the library does: `instanceof` fails if two copies of the library are loaded. */
function isEvmError(error: unknown): error is EVMError {
  return (
    typeof error === 'object' &&
    error !== null &&
    'errorType' in error &&
    error.errorType === 'EVMError'
  )
}
