/** Real time, by which upstreams answer: a chain's virtual time does not wait for them. */
export interface UpstreamTime {
  /** ms; only differences count. */
  now(): number
  /** Calls `run` once after `ms`. Returns what cancels it. */
  after(ms: number, run: () => void): () => void
  /** A number from 0 to 1, by which equal waits of many items are spread. */
  random(): number
}

// Taken here: a run of `explore/` replaces them, and the upstream answers in real time to it, too.
const { setTimeout, clearTimeout } = globalThis

export const WALL_TIME: UpstreamTime = {
  now: performance.now.bind(performance),
  after(ms, run) {
    // A deadline may have passed already, of which Node.js would warn.
    const timer = setTimeout(run, Math.max(0, ms))
    return () => clearTimeout(timer)
  },
  random: () => Math.random(),
}
