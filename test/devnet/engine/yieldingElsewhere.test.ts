import { describe, expect, test } from 'vitest'
import { ExecutionAbortedError, Pace } from '../../../devnet/engine/yielding.ts'

/** Work that ends when it is aborted, or never. */
function never() {
  const seen: AbortSignal[] = []
  const work = (signal: AbortSignal) => {
    seen.push(signal)
    return new Promise<never>(() => {})
  }
  return { seen, work }
}

describe('elsewhere', () => {
  test('default: what the work answers, or throws', async () => {
    const pace = new Pace()
    expect(await pace.elsewhere(async () => 42)).toBe(42)
    const broken = async () => {
      throw new Error('broken')
    }
    await expect(pace.elsewhere(broken)).rejects.toThrow('broken')
  })

  test('args: timeout', async () => {
    const pace = new Pace()
    pace.begin({ timeout: 20 })
    const { seen, work } = never()
    await expect(pace.elsewhere(work)).rejects.toThrow(new ExecutionAbortedError('timeout'))
    expect(seen[0]?.aborted).toBe(true)
    // It is over by now.
    await expect(pace.elsewhere(work)).rejects.toThrow(new ExecutionAbortedError('timeout'))
  })

  test('args: signal', async () => {
    const stop = new AbortController()
    const pace = new Pace()
    pace.begin({ signal: stop.signal })
    const { seen, work } = never()
    const ended = expect(pace.elsewhere(work)).rejects.toThrow('the request was withdrawn')
    stop.abort()
    await ended
    expect(seen[0]?.aborted).toBe(true)
    await expect(pace.elsewhere(work)).rejects.toThrow('the request was withdrawn')
    expect(seen[1]?.aborted).toBe(true)
  })

  test('behavior: the next execution has other limits', async () => {
    const stop = new AbortController()
    const pace = new Pace()
    pace.begin({ signal: stop.signal, timeout: 60_000 })
    expect(await pace.elsewhere(async () => 1)).toBe(1)
    pace.begin()
    const later = Promise.withResolvers<number>()
    const work = pace.elsewhere(() => later.promise)
    stop.abort()
    later.resolve(2)
    expect(await work).toBe(2)
  })
})
