import type { UpstreamTime } from '../../devnet/upstream/client/upstreamTime.ts'

/** Time that moves only from one timer to the next, and only while a test waits. */
export class VirtualUpstreamTime implements UpstreamTime {
  #now = 0
  #timers: { readonly at: number; readonly run: () => void }[] = []

  now(): number {
    return this.#now
  }

  after(ms: number, run: () => void): () => void {
    const timer = { at: this.#now + ms, run }
    this.#timers.push(timer)
    return () => {
      this.#timers = this.#timers.filter((each) => each !== timer)
    }
  }

  random(): number {
    return 0.5
  }

  /** Timers that wait. */
  get waiting(): number {
    return this.#timers.length
  }

  /** Fires timers in order until the promise settles. */
  async until<Value>(promise: Promise<Value>): Promise<Value> {
    let isSettled = false
    const settle = () => {
      isSettled = true
    }
    promise.then(settle, settle)
    await turns()
    while (!isSettled) {
      const next = this.#timers.toSorted((a, b) => a.at - b.at)[0]
      if (next === undefined) throw new Error('the promise waits for nothing')
      this.#timers = this.#timers.filter((each) => each !== next)
      this.#now = Math.max(this.#now, next.at)
      next.run()
      await turns()
    }
    return promise
  }
}

/** Lets what is due in the event loop happen. */
async function turns(): Promise<void> {
  for (let turn = 0; turn < 5; turn++) await new Promise(setImmediate)
}
