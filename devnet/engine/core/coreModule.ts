import { readFileSync } from 'node:fs'
import { packageRoot } from '../../primitives/packageRoot.ts'

/** The build writes the module into `dist`, so a checkout must be built first. */
const FILE = new URL('dist/devnet/engine/core/core.wasm', packageRoot)

let compiled: WebAssembly.Module | undefined

/** The exports of a new instance of the core. @throws {Error} if it does not load here */
export function coreInstance(): object {
  compiled ??= new WebAssembly.Module(readFileSync(FILE))
  return new WebAssembly.Instance(compiled).exports
}

/** The compiled core, which threads can share; `undefined` if it has not been loaded. */
export function compiledCore(): WebAssembly.Module | undefined {
  return compiled
}

/** Takes the core that another thread has compiled. */
export function useCompiledCore(core: WebAssembly.Module | undefined): void {
  compiled = core
}
