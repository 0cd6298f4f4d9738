import { Mainnet, Common as PlainCommon } from '@ethereumjs/common'
import { createEVM, type EVMError } from '@ethereumjs/evm'
import type { Analysis, Interpreter, OpcodeEntry, RunResult } from '../evmInternals.ts'

/** Runs the code of one frame. */
type RunLoop = (interpreter: Interpreter, code: Uint8Array) => Promise<RunResult>

const overrides = new WeakMap<object, RunLoop>()

/**
 * Runs all code of this EVM in `loop`, such as the tracing loop; `undefined` removes the override.
 */
export function overrideRunLoop(evm: object, loop: RunLoop | undefined): void {
  if (loop === undefined) overrides.delete(evm)
  else overrides.set(evm, loop)
}

/** Analyses by opcode table, which depends on the hardfork, then by code. */
const analyses = new WeakMap<readonly OpcodeEntry[], WeakMap<Uint8Array, Analysis>>()

let patched: Promise<void> | undefined

/** Patches the library, for the whole process, to obey {@link overrideRunLoop}. */
export function installRunLoops(): Promise<void> {
  patched ??= interpreterPrototype().then((prototype) => {
    const stock = prototype.run
    prototype.run = function run(code, options) {
      const override = overrides.get(this._evm)
      return override === undefined ? stock.call(this, code, options) : override(this, code)
    }
  })
  return patched
}

/** The library does not export its interpreter, but passes it to custom opcodes. */
async function interpreterPrototype(): Promise<Interpreter> {
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
  if (prototype === undefined) throw new Error('The custom opcode did not run')
  return prototype
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

/** Checks as the library does: `instanceof` fails if two copies of the library are loaded. */
export function isEvmError(error: unknown): error is EVMError {
  return (
    typeof error === 'object' &&
    error !== null &&
    'errorType' in error &&
    error.errorType === 'EVMError'
  )
}
