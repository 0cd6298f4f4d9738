import { expect, onTestFinished, test, vi } from 'vitest'
import { withoutScriptFrames } from '../../../../plugin/network/failures/script-frames.ts'

/** A frame as Hardhat makes those of Solidity. */
class Foreign {
  getFileName() {
    return 'contracts/Token.sol'
  }
}

/** Writes stacks as the names of the files; answers what wrote them before. */
function spyStacks() {
  const { prepareStackTrace } = Error
  onTestFinished(() => {
    Error.prepareStackTrace = prepareStackTrace
  })
  const write: typeof prepareStackTrace = (_, frames) =>
    frames.map((frame) => frame.getFileName()?.replace(/.*\//, '')).join(' ')
  Error.prepareStackTrace = write
  return write
}

/** The stack of an error in front of which Hardhat has put a frame. */
function stackWithForeign(): string | undefined {
  const { prepareStackTrace } = Error
  Error.prepareStackTrace = (error, frames) =>
    // Only this method of it is called.
    prepareStackTrace?.(error, [new Foreign() as NodeJS.CallSite, ...frames])
  const { stack } = new Error('failed')
  Error.prepareStackTrace = prepareStackTrace
  return stack
}

const OWN = /script-frames\.test\.ts/

test('default', async () => {
  const write = spyStacks()
  const inside = await withoutScriptFrames(async () => {
    await Promise.resolve()
    return stackWithForeign()
  })
  expect(inside).toBe('Token.sol')
  expect(Error.prepareStackTrace).toBe(write)
  expect(stackWithForeign()).toMatch(OWN)
})

test('what runs meanwhile keeps its frames', async () => {
  spyStacks()
  const [inside, again, outside] = [
    Promise.withResolvers<void>(),
    Promise.withResolvers<void>(),
    Promise.withResolvers<void>(),
  ]
  const one = withoutScriptFrames(() => inside.promise.then(stackWithForeign))
  const two = withoutScriptFrames(() => again.promise.then(stackWithForeign))
  const other = outside.promise.then(stackWithForeign)
  outside.resolve()
  expect(await other).toMatch(OWN)
  inside.resolve()
  expect(await one).toBe('Token.sol')
  again.resolve()
  expect(await two).toBe('Token.sol')
})

test('it is undone after a failure', async () => {
  const write = spyStacks()
  await expect(withoutScriptFrames(() => Promise.reject(new Error('no')))).rejects.toThrow('no')
  expect(Error.prepareStackTrace).toBe(write)
})

test('who took its place meanwhile stays', async () => {
  const write = spyStacks()
  const later = vi.fn(write)
  await withoutScriptFrames(async () => {
    Error.prepareStackTrace = later
  })
  expect(Error.prepareStackTrace).toBe(later)
})
