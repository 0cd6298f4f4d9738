import { waitUntilAborted } from '../engine/scheduler.ts'
import { MissError } from '../state/remote/remoteLayer.ts'

/**
 * Runs a request, and runs it again as long as it reads a value of the fork block that is not known
 * yet. Methods read before they change anything, so that no change is made twice.
 *
 * @param signal - ends the wait for the upstream
 * @throws {UpstreamError} if the upstream does not give the value
 */
export function untilKnown<Result>(
  run: () => Result | Promise<Result>,
  signal: AbortSignal,
): Result | Promise<Result> {
  try {
    const result = run()
    if (!(result instanceof Promise)) return result
    return result.catch((error: unknown) => onceLoaded(error, run, signal))
  } catch (error) {
    return onceLoaded(error, run, signal)
  }
}

async function onceLoaded<Result>(
  error: unknown,
  run: () => Result | Promise<Result>,
  signal: AbortSignal,
): Promise<Result> {
  if (!(error instanceof MissError)) throw error
  await waitUntilAborted(error.load(), signal)
  return untilKnown(run, signal)
}
