import { Mainnet, Common as PlainCommon } from '@ethereumjs/common'
import { createEVM } from '@ethereumjs/evm'
import type { Interpreter, RunResult } from './evmInternals.ts'

type RunLoop = (interpreter: Interpreter, code: Uint8Array) => Promise<RunResult>

const overrides = new WeakMap<object, RunLoop>()

/**
 * Runs all code of this EVM in `loop`, such as the tracing loop; `undefined` removes the override.
 */
export function overrideRunLoop(evm: object, loop: RunLoop | undefined): void {
  if (loop === undefined) overrides.delete(evm)
  else overrides.set(evm, loop)
}

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

/** The library does not export its interpreter, but passes it to custom opcodes. For a test too. */
export async function interpreterPrototype(): Promise<Interpreter> {
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
  if (prototype === undefined) throw new Error('The probe opcode did not run')
  return prototype
}
