/**
 * Lets only some of the work run at a time; the rest waits for its turn.
 *
 * @param most - that run side by side
 */
export function createTurns(
  most: number,
): <Result>(work: () => Promise<Result>) => Promise<Result> {
  let running = 0
  const waiting: (() => void)[] = []
  return async (work) => {
    // Whoever ends hands its place on, so that nobody slips in between.
    if (running < most) running++
    else await new Promise<void>((resolve) => waiting.push(resolve))
    try {
      return await work()
    } finally {
      const next = waiting.shift()
      if (next === undefined) running--
      else next()
    }
  }
}
