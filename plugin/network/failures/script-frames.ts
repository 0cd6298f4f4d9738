import { AsyncLocalStorage } from 'node:async_hooks'

/** Set where nobody reads the JavaScript frames of an error. */
const unread = new AsyncLocalStorage<true>()

let running = 0
let restore: (() => void) | undefined

/**
 * Runs something whose errors need no JavaScript frames. Hardhat writes the stack of an error with
 * Solidity frames at once, and Node.js reads the source map of each file in it, which takes 20 ms
 * in the first errors of a process.
 */
export async function withoutScriptFrames<Result>(run: () => Promise<Result>): Promise<Result> {
  if (running++ === 0) restore = filterStacks()
  try {
    return await unread.run(true, run)
  } finally {
    if (--running === 0) restore?.()
  }
}

/**
 * Stands in for what writes the stacks of this process. Those that are not from
 * {@link withoutScriptFrames} are written as before.
 */
function filterStacks(): (() => void) | undefined {
  const { prepareStackTrace } = Error
  if (prepareStackTrace === undefined) return undefined
  const prepare: typeof prepareStackTrace = (error, frames) =>
    prepareStackTrace(error, unread.getStore() === true ? frames.filter(isForeign) : frames)
  Error.prepareStackTrace = prepare
  return () => {
    // Another library may have replaced it meanwhile, and may still call it.
    if (Error.prepareStackTrace === prepare) Error.prepareStackTrace = prepareStackTrace
  }
}

/** True if a frame is not one of V8, but of a library, as Hardhat's Solidity frames are. */
function isForeign(frame: NodeJS.CallSite): boolean {
  return frame.constructor.name !== 'CallSite'
}
