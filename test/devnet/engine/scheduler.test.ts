import { AsyncLocalStorage } from 'node:async_hooks'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import {
  ExecutionAbortedError,
  HeavyExecutionError,
  Scheduler,
  takeTurn,
  ValueMissingError,
} from '../../../devnet/engine/scheduler.ts'

/** `performance.now` as the test has it. */
function stopwatch() {
  let now = 1_000
  const spy = vi.spyOn(performance, 'now').mockImplementation(() => now)
  onTestFinished(() => spy.mockRestore())
  return { spy, pass: (ms: number) => (now += ms) }
}

/** Calls `yieldIfDueSampled` every `apart` ms until it pauses; returns the number of calls. */
async function callsToPause(scheduler: Scheduler, pass: (ms: number) => void, apart: number) {
  for (let calls = 1; ; calls++) {
    pass(apart)
    const pause = scheduler.yieldIfDueSampled()
    if (pause === undefined) continue
    await pause
    return calls
  }
}

test('default: pauses once the slice of 5 ms is over', async () => {
  const { pass } = stopwatch()
  const scheduler = new Scheduler()
  scheduler.begin()
  // A few calls late: not each reads the clock.
  const first = await callsToPause(scheduler, pass, 0.01)
  expect(first).toBeGreaterThanOrEqual(500)
  expect(first).toBeLessThan(564)
})

test('if calls are far apart, each reads the clock', async () => {
  const { pass } = stopwatch()
  const scheduler = new Scheduler()
  scheduler.begin()
  // Such as a loop over a slow precompile. The first sample is taken before its duration is known.
  expect(await callsToPause(scheduler, pass, 6)).toBe(8)
  for (let round = 0; round < 3; round++) expect(await callsToPause(scheduler, pass, 6)).toBe(1)
})

test('if calls are close, few read the clock, also after a slow one or a pause', async () => {
  const { spy, pass } = stopwatch()
  const scheduler = new Scheduler()
  scheduler.begin()
  await callsToPause(scheduler, pass, 6)
  pass(50)
  await callsToPause(scheduler, pass, 0.001)
  spy.mockClear()
  for (let calls = 0; calls < 640; calls++) {
    pass(0.001)
    expect(scheduler.yieldIfDueSampled()).toBeUndefined()
  }
  expect(spy).toHaveBeenCalledTimes(10)
})

/** Work that ends when it is aborted, or never. */
function never() {
  const seen: AbortSignal[] = []
  const work = (signal: AbortSignal) => {
    seen.push(signal)
    return new Promise<never>(() => {})
  }
  return { seen, work }
}

describe('offload', () => {
  test('default: returns what the work returns, or throws what it throws', async () => {
    const scheduler = new Scheduler()
    expect(await scheduler.offload(async () => 42)).toBe(42)
    const broken = async () => {
      throw new Error('broken')
    }
    await expect(scheduler.offload(broken)).rejects.toThrow('broken')
  })

  test('args: timeout', async () => {
    const scheduler = new Scheduler()
    scheduler.begin({ timeout: 20 })
    const { seen, work } = never()
    await expect(scheduler.offload(work)).rejects.toThrow(
      'execution aborted (timeout: longer than the option simulateTimeout allows)',
    )
    expect(seen[0]?.aborted).toBe(true)
    // It is over by now.
    await expect(scheduler.offload(work)).rejects.toThrow(
      'execution aborted (timeout: longer than the option simulateTimeout allows)',
    )
  })

  test('args: signal', async () => {
    const stop = new AbortController()
    const scheduler = new Scheduler()
    scheduler.begin({ signal: stop.signal })
    const { seen, work } = never()
    const ended = expect(scheduler.offload(work)).rejects.toThrow('the request was withdrawn')
    stop.abort()
    await ended
    expect(seen[0]?.aborted).toBe(true)
    await expect(scheduler.offload(work)).rejects.toThrow('the request was withdrawn')
    expect(seen[1]?.aborted).toBe(true)
  })

  test('the next execution has other limits', async () => {
    const stop = new AbortController()
    const scheduler = new Scheduler()
    scheduler.begin({ signal: stop.signal, timeout: 60_000 })
    expect(await scheduler.offload(async () => 1)).toBe(1)
    scheduler.begin()
    const later = Promise.withResolvers<number>()
    const work = scheduler.offload(() => later.promise)
    stop.abort()
    later.resolve(2)
    expect(await work).toBe(2)
  })
})

test('a load counts for no limit, and is awaited by what waits for no value', async () => {
  const { pass } = stopwatch()
  const scheduler = new Scheduler()
  scheduler.begin({ timeout: 100, waits: false })
  const loaded = scheduler.untimed(Promise.resolve(7))
  pass(1_000)
  expect(await loaded).toBe(7)
  pass(99)
  await scheduler.yieldIfDue()
  pass(6)
  expect(() => scheduler.yieldIfDue()).toThrow('timeout')
})

describe('wait', () => {
  test('default: the time counts for no limit', async () => {
    const { pass } = stopwatch()
    const scheduler = new Scheduler()
    scheduler.begin({ timeout: 100 })
    const fetched = scheduler.wait(Promise.resolve(7))
    pass(1_000)
    expect(await fetched).toBe(7)
    expect(scheduler.hasWaited).toBe(true)
    expect(scheduler.yieldIfDue()).toBeUndefined()
    pass(99)
    await scheduler.yieldIfDue()
    pass(6)
    expect(() => scheduler.yieldIfDue()).toThrow('timeout')
    scheduler.begin()
    expect(scheduler.hasWaited).toBe(false)
  })

  test('args: signal', async () => {
    const scheduler = new Scheduler()
    const controller = new AbortController()
    scheduler.begin({ signal: controller.signal })
    const never = new Promise(() => undefined)
    const waiting = scheduler.wait(never)
    controller.abort()
    await expect(waiting).rejects.toThrow(ExecutionAbortedError)
    await expect(scheduler.wait(never)).rejects.toThrow(ExecutionAbortedError)
  })

  test('work elsewhere may wait beyond the deadline', async () => {
    vi.useFakeTimers()
    onTestFinished(() => void vi.useRealTimers())
    const scheduler = new Scheduler()
    scheduler.begin({ timeout: 100 })
    const fetched = Promise.withResolvers<void>()
    const work = scheduler.offload(async () => {
      await scheduler.wait(fetched.promise)
      await new Promise(() => undefined)
    })
    const outcome = work.catch(String)
    let isDone = false
    outcome.finally(() => {
      isDone = true
    })
    await vi.advanceTimersByTimeAsync(5_000)
    fetched.resolve()
    await vi.advanceTimersByTimeAsync(90)
    expect(isDone).toBe(false)
    await vi.advanceTimersByTimeAsync(20)
    expect(await outcome).toContain(
      'execution aborted (timeout: longer than the option simulateTimeout allows)',
    )
  })

  test('args: waits', async () => {
    const scheduler = new Scheduler()
    scheduler.begin({ waits: false })
    const failing = Promise.reject(new Error('upstream is gone'))
    await expect(scheduler.wait(failing)).rejects.toThrow(ValueMissingError)
  })
})

describe('heavy executions', () => {
  test('args: mayMove is asked after each slice', async () => {
    const { pass } = stopwatch()
    const scheduler = new Scheduler()
    const mayMove = vi.fn(() => mayMove.mock.calls.length === 3)
    scheduler.begin({ mayMove })
    for (let slice = 1; slice <= 2; slice++) {
      pass(4)
      expect(scheduler.yieldIfDue()).toBeUndefined()
      pass(1)
      await scheduler.yieldIfDue()
    }
    pass(5)
    expect(() => scheduler.yieldIfDue()).toThrow(HeavyExecutionError)
    expect(mayMove).toHaveBeenCalledTimes(3)
    // The next execution of the machine may not move, and counts its own slices.
    scheduler.begin()
    for (let slice = 1; slice <= 5; slice++) {
      pass(5)
      await scheduler.yieldIfDue()
    }
    expect(mayMove).toHaveBeenCalledTimes(3)
  })

  test('what has run out of time does not move', () => {
    const { pass } = stopwatch()
    const scheduler = new Scheduler()
    scheduler.begin({ timeout: 10, mayMove: () => true })
    pass(15)
    expect(() => scheduler.yieldIfDue()).toThrow(ExecutionAbortedError)
  })

  test('args: slice', async () => {
    const { pass } = stopwatch()
    const scheduler = new Scheduler()
    scheduler.begin({ slice: 1 })
    pass(0.5)
    expect(scheduler.yieldIfDue()).toBeUndefined()
    pass(0.5)
    const pause = scheduler.yieldIfDue()
    expect(pause).toBeInstanceOf(Promise)
    await pause
    scheduler.begin()
    pass(4)
    expect(scheduler.yieldIfDue()).toBeUndefined()
  })

  test('args: isAlone', () => {
    const { pass } = stopwatch()
    const scheduler = new Scheduler()
    scheduler.begin({ isAlone: true })
    for (let calls = 0; calls < 100; calls++) {
      pass(50)
      expect(scheduler.yieldIfDue()).toBeUndefined()
      expect(scheduler.yieldIfDueSampled()).toBeUndefined()
    }
  })
})

describe('turns', () => {
  const nextTurn = () => new Promise<void>((resolve) => setImmediate(resolve))

  /** Takes four turns until the first one begins at once: the chain of another file may have one. */
  async function takeFour(): Promise<number[]> {
    for (;;) {
      const begun: number[] = []
      for (const index of [0, 1, 2, 3]) takeTurn(() => begun.push(index))
      if (begun.length > 0) return begun
      while (begun.length < 4) await nextTurn()
    }
  }

  test('default: the first of several begins at once, the others one a turn of the event loop', async () => {
    const begun = await takeFour()
    expect(begun).toEqual([0])
    const counts: number[] = []
    while (begun.length < 4) {
      await nextTurn()
      counts.push(begun.length)
    }
    expect(begun).toEqual([0, 1, 2, 3])
    expect(counts.every((count, index) => count - (counts[index - 1] ?? 1) <= 1)).toBe(true)
    expect(await takeFour()).toEqual([0])
  })

  test('each begins in the async context that it came from', async () => {
    const storage = new AsyncLocalStorage<number>()
    const seen: unknown[] = []
    for (const index of [0, 1, 2]) {
      storage.run(index, () => takeTurn(() => seen.push(storage.getStore())))
    }
    while (seen.length < 3) await nextTurn()
    expect(seen).toEqual([0, 1, 2])
  })

  test('a test that replaces setImmediate holds nobody up', async () => {
    vi.useFakeTimers()
    const begun: number[] = []
    for (const index of [0, 1, 2]) takeTurn(() => begun.push(index))
    vi.useRealTimers()
    while (begun.length < 3) await nextTurn()
    expect(begun).toEqual([0, 1, 2])
  })
})
