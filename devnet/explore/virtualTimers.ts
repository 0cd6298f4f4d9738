import { AsyncLocalStorage, AsyncResource } from 'node:async_hooks'
import { syncBuiltinESMExports } from 'node:module'
import timers, { type TimerOptions } from 'node:timers'
import timersPromises from 'node:timers/promises'
import { promisify } from 'node:util'
import { plainText } from '../primitives/errors.ts'
import { MAX_TIMER_DELAY } from '../primitives/timers.ts'
import { inProcessTime } from '../primitives/turnTime.ts'

/** Number of answers since the time has moved after which one waits, and for how many ms. */
const [MANY, STEP] = [200, 20] as const

/** A request or a command that is under way in a run. */
export interface Pending {
  readonly name: string
  /** Number of timers that it has set and that are still to fire: it waits for time to pass. */
  timers: number
}

/** The run that code belongs to, with all that it has started. */
interface Scope {
  readonly clock: VirtualClock
  readonly pending?: Pending | undefined
}

/**
 * Timers go by the virtual clock of the run that they are set in. Those of test runners, of other
 * tests and of other nodes in the process are set in none, and stay real.
 */
const scopes = new AsyncLocalStorage<Scope>()

/** The real ones, of the driver of the runs; taken before anybody can replace them. */
export const realTime = {
  /** ms. */
  now: performance.now.bind(performance),
  sleep: timersPromises.setTimeout,
  turn: timersPromises.setImmediate,
}

/** The time of one run, in ms since the epoch. It moves only from timer to timer. */
export class VirtualClock {
  readonly start: number
  /** ms since the epoch. */
  now: number
  readonly #realStart = realTime.now()
  /** Timers that are still to fire, in their order. */
  readonly #timers: VirtualTimer[] = []
  /** Number of timers that have been set. */
  set = 0
  #answers = 0

  constructor(start: number) {
    this.start = start
    this.now = start
  }

  /** In place of `performance.now`, which goes on from the real one. */
  get performanceNow(): number {
    return this.#realStart + this.now - this.start
  }

  /** Runs what belongs to this clock's run; `pending` is under way until it ends. */
  run<Result>(run: () => Result, pending?: Pending): Result {
    return scopes.run({ clock: this, pending }, run)
  }

  add(timer: VirtualTimer): void {
    this.set++
    const after = this.#timers.findLastIndex(({ due }) => due <= timer.due)
    this.#timers.splice(after + 1, 0, timer)
  }

  remove(timer: VirtualTimer): boolean {
    const index = this.#timers.indexOf(timer)
    if (index !== -1) this.#timers.splice(index, 1)
    return index !== -1
  }

  /** @param id - of a timer, as a number or in digits; or anything else */
  find(id: unknown): VirtualTimer | undefined {
    return this.#timers.find((timer) => String(Number(timer)) === plainText(id))
  }

  /** In place of `inProcessTime.pause`. It goes by numbers, so that equal runs stay equal. */
  pause(): Promise<void> | undefined {
    if (++this.#answers < MANY) return undefined
    this.#answers = 0
    return wait(STEP)
  }

  /** Moves on to the timer that comes first, and fires it. @returns whether there was one */
  step(): boolean {
    const timer = this.#timers[0]
    if (timer === undefined) return false
    this.#answers = 0
    this.now = Math.max(this.now, timer.due)
    timer.fire()
    return true
  }
}

/** True if the code that runs now belongs to a run, but not to the one with this clock. */
export function isOfOtherRun(clock?: VirtualClock): boolean {
  const scope = scopes.getStore()
  return scope !== undefined && scope.clock !== clock
}

let ids = 0

/** In place of a `Timeout` of Node.js. */
class VirtualTimer {
  due = 0
  readonly #id = ++ids
  readonly #delay: number
  readonly #repeats: boolean
  readonly #callback: () => void
  #scope: Scope

  constructor(scope: Scope, callback: () => void, delay: unknown, repeats: boolean) {
    const ms = Number(plainText(delay))
    this.#delay = ms >= 1 && ms <= MAX_TIMER_DELAY ? Math.trunc(ms) : 1
    this.#repeats = repeats
    this.#callback = AsyncResource.bind(callback)
    this.#scope = scope
    this.#arm()
  }

  #arm(): void {
    this.due = this.#scope.clock.now + this.#delay
    this.#scope.clock.add(this)
    if (this.#scope.pending !== undefined) this.#scope.pending.timers++
  }

  close(): this {
    const { clock, pending } = this.#scope
    if (clock.remove(this) && pending !== undefined) pending.timers--
    return this
  }

  fire(): void {
    this.close()
    if (this.#repeats) this.#arm()
    this.#callback()
  }

  /** Begins anew; in the run of its caller, as it may outlive its own, such as those of undici. */
  refresh(): this {
    this.close()
    this.#scope = scopes.getStore() ?? this.#scope
    this.#arm()
    return this
  }

  /** Keeps no process alive, nor does the real one while a run waits. */
  ref(): this {
    return this
  }

  unref(): this {
    return this
  }

  hasRef(): boolean {
    return false
  }

  [Symbol.toPrimitive](): number {
    return this.#id
  }

  [Symbol.dispose](): void {
    this.close()
  }
}

/**
 * Has timers and `Date` go by the virtual clock of the run that they are called in, until the
 * function is called that it returns: the globals, and what `node:timers` and
 * `node:timers/promises` export. `setImmediate`, `queueMicrotask` and `process.nextTick` stay real.
 */
export function installTimers(): () => void {
  const { setTimeout, setInterval, clearTimeout, Date: RealDate } = globalThis
  const { setTimeout: sleep, setInterval: ticks } = timersPromises
  const after =
    (repeats: boolean, real: (...args: never[]) => unknown) =>
    (callback: (...args: unknown[]) => unknown, delay?: unknown, ...args: unknown[]) => {
      const scope = scopes.getStore()
      if (scope === undefined) return Reflect.apply(real, undefined, [callback, delay, ...args])
      if (typeof callback !== 'function') throw new TypeError('"callback" must be a function')
      return new VirtualTimer(scope, () => callback(...args), delay, repeats)
    }
  const clear = (timer: unknown) => {
    const found = timer instanceof VirtualTimer ? timer : scopes.getStore()?.clock.find(timer)
    if (found === undefined) Reflect.apply(clearTimeout, undefined, [timer])
    else found.close()
  }
  const virtualSleep: typeof sleep = (ms, value, options) =>
    scopes.getStore() === undefined
      ? sleep(ms, value, options)
      : // The value is of the type that the caller names.
        (wait(ms, options?.signal).then(() => value) as ReturnType<typeof sleep<never>>)
  async function* virtualTicks<Value>(ms?: number, value?: Value, options?: TimerOptions) {
    if (scopes.getStore() === undefined) yield* ticks(ms, value, options)
    else for (;;) yield await virtualSleep(ms, value, options)
  }
  const now = () => scopes.getStore()?.clock.now ?? RealDate.now()
  const virtualDate: DateConstructor = new Proxy(RealDate, {
    get: (target, name, receiver) => (name === 'now' ? now : Reflect.get(target, name, receiver)),
    apply: () => new RealDate(now()).toString(),
    construct: (target, args, newTarget) =>
      Reflect.construct(
        target,
        args.length === 0 ? [now()] : args,
        newTarget === virtualDate ? target : newTarget,
      ),
  })
  const real = { pause: inProcessTime.pause.bind(inProcessTime) }
  const setters = {
    setTimeout: Object.assign(after(false, setTimeout), { [promisify.custom]: virtualSleep }),
    setInterval: after(true, setInterval),
    clearTimeout: clear,
    clearInterval: clear,
  }
  const ends = [
    replace(globalThis, { ...setters, Date: virtualDate }),
    replace(timers, setters),
    replace(timersPromises, { setTimeout: virtualSleep, setInterval: virtualTicks }),
    replace(timersPromises.scheduler, {
      wait: (ms: number, options?: TimerOptions) => virtualSleep(ms, undefined, options),
    }),
    replace(performance, {
      now: () => scopes.getStore()?.clock.performanceNow ?? realTime.now(),
    }),
    replace(inProcessTime, { pause: () => (scopes.getStore()?.clock ?? real).pause() }),
  ]
  syncBuiltinESMExports()
  return () => {
    for (const end of ends) end()
    syncBuiltinESMExports()
  }
}

/** Replaces properties; returns a function that brings the present ones back. */
function replace(target: object, values: Readonly<Record<string, unknown>>): () => void {
  const before = Object.getOwnPropertyDescriptors(target)
  const attributes = { configurable: true, enumerable: true, writable: true }
  for (const [name, value] of Object.entries(values)) {
    Object.defineProperty(target, name, { value, ...attributes })
  }
  return () => {
    for (const name of Object.keys(values)) {
      const descriptor = before[name]
      if (descriptor === undefined) Reflect.deleteProperty(target, name)
      else Object.defineProperty(target, name, descriptor)
    }
  }
}

/** As `setTimeout` of `node:timers/promises`, in a run. */
function wait(ms: number | undefined, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const abort = () => {
      clearTimeout(timer)
      const error = new Error('The operation was aborted', { cause: signal?.reason })
      reject(Object.assign(error, { name: 'AbortError', code: 'ABORT_ERR' }))
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', abort)
      resolve()
    }, ms)
    if (signal?.aborted) abort()
    else signal?.addEventListener('abort', abort, { once: true })
  })
}
