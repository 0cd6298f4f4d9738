import { afterEach, beforeEach, vi } from 'vitest'
import { type TestChain, untilWorked } from '../../support/chain.ts'

/** Makes wall time stand still in the tests of this suite, but for {@link pass}. */
export function holdWallTime(): void {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] })
  })
  afterEach(() => {
    vi.useRealTimers()
  })
}

/** Lets `ms` of wall time pass, 50 at a time, and the work of each beat finish. */
export async function pass(node: TestChain, ms: number): Promise<void> {
  for (let left = ms; left > 0; left -= 50) {
    await vi.advanceTimersByTimeAsync(Math.min(left, 50))
    await untilWorked(node)
  }
}
