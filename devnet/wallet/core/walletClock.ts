/** Time as the wallet sees it: that of the person, whatever the clocks of the chain do. */
export interface WalletClock {
  /** ms since the epoch. */
  now(): number
  /** Calls `run` after `ms`; answers the function that prevents it. */
  after(ms: number, run: () => void): () => void
}

/** Wall time. What it waits for keeps no process alive. */
export const wallClock: WalletClock = {
  now: Date.now,
  after(ms, run) {
    const timer = setTimeout(run, ms).unref()
    return () => clearTimeout(timer)
  },
}
