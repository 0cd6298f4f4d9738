import { Mainnet, Common as PlainCommon } from '@ethereumjs/common'
import { createEVM, EVMError } from '@ethereumjs/evm'
import type { Analysis, Interpreter, OpcodeEntry, RunResult, RunState } from '../evmInternals.ts'
import type { Scheduler } from '../scheduler.ts'
import { type LeanOpcode, memoryOpcodes } from './leanOpcodes.ts'
import { storageOpcodes } from './leanStorage.ts'
import { MAX_HEIGHT, wordOpcode } from './leanWords.ts'

/** Runs the code of one frame. */
export type RunLoop = (interpreter: Interpreter, code: Uint8Array) => Promise<RunResult>

const overrides = new WeakMap<object, RunLoop>()

/**
 * Runs all code of this EVM in `loop`, such as the tracing loop; `undefined` removes the override.
 */
export function overrideRunLoop(evm: object, loop: RunLoop | undefined): void {
  if (loop === undefined) overrides.delete(evm)
  else overrides.set(evm, loop)
}

const schedulers = new WeakMap<object, Scheduler>()

/** Lets code of this EVM yield wherever it has run for long, even without a jump or a call. */
export function yieldInRunLoop(evm: object, scheduler: Scheduler): void {
  schedulers.set(evm, scheduler)
}

/**
 * Gas between two looks at the clock in code without jumps and calls. The slowest opcodes for their
 * gas, EXP and KECCAK256 on much memory, spend this much in less than 2 ms.
 */
const GAS_PER_LOOK = 20_000

const MEMBERS = ['run', 'runStep', 'useGas', '_getValidJumpDestinations']

/** EIPs that only the library's loop applies, such as EOF and Amsterdam's gas. */
const LIBRARY_LOOP_EIPS = [3540, 6800, 7864, 7928, 8024, 8037]

/** Opcodes that the loop treats specially: GAS reads the gas left, RETURN ends the frame. */
const GAS = 0x5a
const RETURN = 0xf3
const PUSH0 = 0x5f

/** Analyses by opcode table, which depends on the hardfork, then by code. */
const analyses = new WeakMap<readonly OpcodeEntry[], WeakMap<Uint8Array, Analysis>>()

let patched: Promise<void> | undefined

/**
 * Patches the interpreter of the library for the whole process: the new loop awaits only opcodes
 * that need it, analyses each code once rather than in every call, and has faster versions of
 * frequent opcodes (leanWords, leanOpcodes, leanStorage). A token transfer takes a third less time.
 * The library's loop still runs in cases that {@link canRun} excludes, or if the library lacks an
 * expected member. A loop of {@link overrideRunLoop} replaces both.
 */
export function installLeanLoop(): Promise<void> {
  patched ??= interpreterPrototype().then((prototype) => {
    if (prototype === undefined || !MEMBERS.every((member) => member in prototype)) return
    const stock = prototype.run
    prototype.run = function run(code, options) {
      const override = overrides.get(this._evm)
      if (override !== undefined) return override(this, code)
      return canRun(this, options) ? leanRun(this, code) : stock.call(this, code, options)
    }
  })
  return patched
}

/** The library does not export its interpreter, but passes it to custom opcodes. */
async function interpreterPrototype(): Promise<Interpreter | undefined> {
  let prototype: Interpreter | undefined
  const evm = await createEVM({
    common: new PlainCommon({ chain: Mainnet }),
    customOpcodes: [
      {
        opcode: 0x21,
        opcodeName: 'LOOK',
        baseFee: 0,
        logicFunction: ({ interpreter }) => {
          // `getPrototypeOf` returns `any`; the type of `interpreter` lists only public members.
          prototype = Object.getPrototypeOf(interpreter)
        },
      },
    ],
  })
  await evm.runCode({ code: Uint8Array.of(0x21) })
  return prototype
}

function canRun(interpreter: Interpreter, options?: { pc?: number }): boolean {
  const { _evm, common, profilerOpts } = interpreter
  return (
    options?.pc === undefined &&
    !_evm.DEBUG &&
    profilerOpts?.enabled !== true &&
    _evm.events.listenerCount('step') === 0 &&
    !LIBRARY_LOOP_EIPS.some((eip) => common.isActivatedEIP(eip))
  )
}

/** The analysis of `code` under the interpreter's rules, cached. */
function analyse(interpreter: Interpreter, code: Uint8Array): Analysis {
  const table = interpreter._evm._opcodeMap
  let known = analyses.get(table)
  if (known === undefined) {
    known = new WeakMap()
    analyses.set(table, known)
  }
  let analysis = known.get(code)
  if (analysis === undefined) {
    analysis = interpreter._getValidJumpDestinations(code)
    known.set(code, analysis)
  }
  return analysis
}

/** Lean opcodes by opcode table, which depends on the hardfork and crypto. */
const leanTables = new WeakMap<readonly OpcodeEntry[], readonly (LeanOpcode | undefined)[]>()

function leanTable({ common, _evm }: Interpreter): readonly (LeanOpcode | undefined)[] {
  let table = leanTables.get(_evm._opcodeMap)
  if (table === undefined) {
    const { keccak256 } = common.customCrypto
    const opcodes = [
      ...(keccak256 === undefined ? [] : memoryOpcodes(keccak256)),
      ...(common.gteHardfork('london') ? storageOpcodes : []),
    ]
    const built = new Array<LeanOpcode | undefined>(256).fill(undefined)
    for (const [code, opcode] of opcodes) built[code] = opcode
    table = built
    leanTables.set(_evm._opcodeMap, table)
  }
  return table
}

/** Sets up the frame to run `code`; returns the analysis of the code. */
export function prepare(interpreter: Interpreter, code: Uint8Array): Analysis {
  const { _runState: state } = interpreter
  const analysis = analyse(interpreter, code)
  state.code = code
  state.validJumps = analysis.jumps
  state.cachedPushes = analysis.pushes
  state.shouldDoJumpAnalysis = false
  return analysis
}

async function leanRun(interpreter: Interpreter, code: Uint8Array): Promise<RunResult> {
  const { _runState: state, common } = interpreter
  const { pushes, opcodesCached } = prepare(interpreter, code)
  const lean = leanTable(interpreter)
  const scheduler = schedulers.get(interpreter._evm)
  let exceptionError: EVMError | undefined
  // Gas of plain opcodes, summed up as a number and deducted before anything reads `gasLeft`.
  let spent = 0
  let left = Number(state.gasLeft)
  // With less gas left than this, the next look at the clock is due.
  let nextLook = left - GAS_PER_LOOK
  // How much plain opcodes may spend until then.
  let limit = left - Math.max(nextLook, 0)
  try {
    while (state.programCounter < code.length) {
      const position = state.programCounter
      const entry = opcodesCached[position]
      if (entry === undefined) throw new Error('The program counter is inside a push')
      const { opcodeInfo } = entry
      // Not `opcodeInfo.code`: all undefined opcodes share the entry of INVALID.
      const opCode = code[position] ?? 0
      state.opCode = opCode
      if (!opcodeInfo.dynamicGas && !opcodeInfo.isInvalid) {
        spent += opcodeInfo.fee
        if (spent > limit) {
          if (spent > left) {
            spent = 0
            throw outOfGas(state)
          }
          nextLook = left - spent - GAS_PER_LOOK
          limit = left - Math.max(nextLook, 0)
          const pause = scheduler?.yieldIfDue()
          if (pause !== undefined) await pause
        }
        if (opCode === GAS) {
          state.gasLeft -= BigInt(spent)
          left -= spent
          limit -= spent
          spent = 0
        }
        state.programCounter = position + 1
        if (pushes[position + 1] !== undefined ? push(state, pushes) : wordOpcode(state, opCode)) {
          continue
        }
        const pause = entry.opHandler(state, common)
        if (pause !== undefined && opcodeInfo.isAsync) await pause
        continue
      }
      if (lean[opCode]?.(state, opcodeInfo.fee + spent) === true) {
        state.programCounter = position + 1
        if (opCode === RETURN) {
          spent = 0
          break
        }
      } else {
        state.gasLeft -= BigInt(spent)
        spent = 0
        await interpreter.runStep(entry)
      }
      spent = 0
      left = Number(state.gasLeft)
      if (left < nextLook) {
        nextLook = left - GAS_PER_LOOK
        const pause = scheduler?.yieldIfDue()
        if (pause !== undefined) await pause
      }
      limit = left - Math.max(nextLook, 0)
    }
  } catch (error) {
    if (!isEvmError(error)) throw error
    if (error.error !== EVMError.errorMessages.STOP) exceptionError = error
  }
  state.gasLeft -= BigInt(spent)
  return { runState: state, exceptionError }
}

function outOfGas(state: RunState): EVMError {
  state.gasLeft = 0n
  return new EVMError(EVMError.errorMessages.OUT_OF_GAS)
}

/** Pushes the bytes after the opcode; returns false if the stack is full. */
function push(state: RunState, pushes: Analysis['pushes']): boolean {
  const { stack, opCode, programCounter } = state
  const value = pushes[programCounter]
  if (value === undefined || stack._len >= MAX_HEIGHT) return false
  stack._store[stack._len++] = value
  state.programCounter = programCounter + opCode - PUSH0
  return true
}

/** Checks as the library does: `instanceof` fails if two copies of the library are loaded. */
export function isEvmError(error: unknown): error is EVMError {
  return (
    typeof error === 'object' &&
    error !== null &&
    'errorType' in error &&
    error.errorType === 'EVMError'
  )
}
