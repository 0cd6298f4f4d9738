/** Work that yields wherever its caller may pause. */
export type Paced<Result> = Generator<undefined, Result>

/** Does the work without a pause. */
export function runAtOnce<Result>(work: Paced<Result>): Result {
  let step = work.next()
  while (step.done !== true) step = work.next()
  return step.value
}

/**
 * Does the work, and gives way to others whenever `pacer` wants a pause.
 *
 * @param pacer - a scheduler; what it throws ends the work
 */
export async function runPaced<Result>(
  work: Paced<Result>,
  pacer: { yieldIfDue(): Promise<void> | undefined },
): Promise<Result> {
  for (let step = work.next(); ; step = work.next()) {
    if (step.done === true) return step.value
    const pause = pacer.yieldIfDue()
    if (pause !== undefined) await pause
  }
}
