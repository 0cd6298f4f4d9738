import { type Common, Mainnet, Common as PlainCommon } from '@ethereumjs/common'
import { createEVM, EVMError } from '@ethereumjs/evm'

/** Entry of the library's opcode table, as its interpreter keeps it. */
interface OpcodeEntry {
  readonly opcodeInfo: {
    readonly code: number
    readonly feeBigInt: bigint
    readonly isAsync: boolean
    readonly isInvalid: boolean
    readonly dynamicGas: boolean
  }
  readonly opHandler: (state: RunState, common: Common) => unknown
}

/** What the library finds out about a code: where it may jump, what it pushes, its opcodes. */
interface Analysis {
  readonly jumps: Uint8Array
  readonly pushes: object
  readonly opcodesCached: readonly (OpcodeEntry | undefined)[]
}

interface RunState {
  code: Uint8Array
  opCode: number
  programCounter: number
  validJumps: Uint8Array
  cachedPushes: object
  shouldDoJumpAnalysis: boolean
}

/** The members of the library's interpreter that the loop uses (evm 10.1.3, which is pinned). */
interface Interpreter {
  readonly common: Common
  readonly _runState: RunState
  readonly _evm: {
    readonly DEBUG: boolean
    readonly events: { listenerCount(name: string): number }
    readonly _opcodeMap: readonly OpcodeEntry[]
  }
  readonly profilerOpts?: { readonly enabled: boolean } | undefined
  run(code: Uint8Array, options?: { pc?: number }): Promise<RunResult>
  runStep(entry: OpcodeEntry): Promise<void>
  useGas(amount: bigint, info: unknown): void
  _getValidJumpDestinations(code: Uint8Array): Analysis
}

interface RunResult {
  readonly runState: RunState
  readonly exceptionError: EVMError | undefined
}

const MEMBERS = ['run', 'runStep', 'useGas', '_getValidJumpDestinations']

/** EIPs whose rules the library's own loop interleaves with each step: EOF, Amsterdam's gas, binary tree witnesses. */
const OWN_LOOP_EIPS = [3540, 6800, 7864, 7928, 8024, 8037]

/** First byte of EOF and of rejected code (EIP-3541). */
const EOF_MAGIC = 0xef

/** By code and by opcode table: another hardfork has another. */
const analyses = new WeakMap<readonly OpcodeEntry[], WeakMap<Uint8Array, Analysis>>()

let patched: Promise<void> | undefined

/**
 * Gives the library's interpreter a loop that awaits only opcodes that need it, and that looks at each code once rather
 * than in every call. The opcodes themselves, and their gas, stay the library's; a token transfer takes a third less
 * time. Where a tracer listens, or the library does not look as expected, its own loop runs.
 */
export function installLeanLoop(): Promise<void> {
  patched ??= interpreterPrototype().then((prototype) => {
    if (prototype === undefined || !MEMBERS.every((member) => member in prototype)) return
    const stock = prototype.run
    prototype.run = function run(code, options) {
      return canRun(this, code, options) ? leanRun(this, code) : stock.call(this, code, options)
    }
  })
  return patched
}

/** The library does not export its interpreter, but hands it to custom opcodes. */
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
          // Its type says only what is public.
          prototype = Object.getPrototypeOf(interpreter)
        },
      },
    ],
  })
  await evm.runCode({ code: Uint8Array.of(0x21) })
  return prototype
}

function canRun(interpreter: Interpreter, code: Uint8Array, options?: { pc?: number }): boolean {
  const { _evm, common, profilerOpts } = interpreter
  return (
    options?.pc === undefined &&
    code[0] !== EOF_MAGIC &&
    !_evm.DEBUG &&
    profilerOpts?.enabled !== true &&
    _evm.events.listenerCount('step') === 0 &&
    !OWN_LOOP_EIPS.some((eip) => common.isActivatedEIP(eip))
  )
}

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

async function leanRun(interpreter: Interpreter, code: Uint8Array): Promise<RunResult> {
  const { _runState: state, common } = interpreter
  const { jumps, pushes, opcodesCached } = analyse(interpreter, code)
  state.code = code
  state.validJumps = jumps
  state.cachedPushes = pushes
  state.shouldDoJumpAnalysis = false
  let exceptionError: EVMError | undefined
  try {
    while (state.programCounter < code.length) {
      const position = state.programCounter
      const entry = opcodesCached[position]
      if (entry === undefined) throw new Error('The program counter is inside a push')
      const { opcodeInfo } = entry
      // Not the entry's own code: all undefined opcodes share the entry of INVALID.
      state.opCode = code[position] ?? 0
      if (opcodeInfo.dynamicGas || opcodeInfo.isInvalid) {
        await interpreter.runStep(entry)
        continue
      }
      interpreter.useGas(opcodeInfo.feeBigInt, opcodeInfo)
      state.programCounter++
      const pause = entry.opHandler(state, common)
      if (pause !== undefined && opcodeInfo.isAsync) await pause
    }
  } catch (error) {
    if (!isEvmError(error)) throw error
    if (error.error !== EVMError.errorMessages.STOP) exceptionError = error
  }
  return { runState: state, exceptionError }
}

/** As the library tells its own errors from defects; `instanceof` fails where two copies of it are loaded. */
function isEvmError(error: unknown): error is EVMError {
  return (
    typeof error === 'object' &&
    error !== null &&
    'errorType' in error &&
    error.errorType === 'EVMError'
  )
}
