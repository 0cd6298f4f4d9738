import type { Interpreter, RunResult } from './interpreter.ts'

/** Runs the code of one frame from its start to its end. */
export type RunLoop = (interpreter: Interpreter, code: Uint8Array) => Promise<RunResult>

const loops = new WeakMap<object, RunLoop>()

/** Lets all code of this EVM run in `loop`, such as one that is watched; `undefined` ends that. */
export function setLoop(evm: object, loop: RunLoop | undefined): void {
  if (loop === undefined) loops.delete(evm)
  else loops.set(evm, loop)
}

/** The loop that was set for this EVM. */
export function loopOf(evm: object): RunLoop | undefined {
  return loops.get(evm)
}
