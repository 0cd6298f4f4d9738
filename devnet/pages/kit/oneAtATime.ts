/**
 * Makes runs follow each other: what is asked for during one causes a single one afterwards, so
 * that slow answers delay the next question instead of piling them up.
 *
 * @returns a function whose promise settles with the last of these runs, or the first that fails
 */
export function oneAtATime(run: () => Promise<void>): () => Promise<void> {
  let isWanted = false
  let running: Promise<void> | undefined

  async function runs(): Promise<void> {
    try {
      while (isWanted) {
        isWanted = false
        await run()
      }
    } finally {
      running = undefined
    }
  }

  return () => {
    isWanted = true
    running ??= runs()
    return running
  }
}
