import type { UpstreamTime } from './upstreamTime.ts'

/** Requests in flight at the start; the upstream may take more. */
const FIRST_CONCURRENCY = 4

/** ms after which an upstream without a refusal gets more. */
const CLEAN_TIME = 1000

/** ms of the first pause; each refusal that follows without an answer between doubles it. */
const FIRST_PAUSE = 250
const LONGEST_PAUSE = 8000

/**
 * ms of the longest pause that an upstream may ask for. After it, one item finds out whether the
 * upstream is well again: some ask for a day, and are well a minute later. Reads wait 45 s for it.
 */
const LONGEST_WANTED = 20_000

/** ms over which it is measured at most what is answered in a second. */
const LONGEST_MEASURE = 4000

/** After a refusal, the upstream gets this share of the requests that it answered in a second. */
const CAUTION = 0.95

/** Factor of the rate's growth after a clean second, below what once was refused. */
const FAST_GROWTH = 1.5

/** The same beyond it: the step doubles from one clean time to the next. */
const FIRST_STEP = 0.05

/** Clean seconds between two steps beyond what was refused. */
const STEP_TIME = 5

/**
 * The load that the upstream takes: requests in flight, and items a second once it has refused
 * some. One refusal slows all.
 */
export class Limiter {
  readonly #time: UpstreamTime
  readonly #most: number
  #concurrency: number
  #inFlight = 0
  /** Items a second; infinite until the first refusal. */
  #rate = Infinity
  /** The rate that was right when the upstream refused last. */
  #measured = Infinity
  /** Part of the rate that the next step beyond `#measured` adds. */
  #step = FIRST_STEP
  /** Clean seconds at or beyond `#measured`. */
  #cleanSeconds = 0
  /** Time of the last growth, or of the last refusal. */
  #grown: number
  /** Before this time nothing is sent, because of the rate. */
  #next = -Infinity
  /** Before this time nothing is sent, because the upstream refused. */
  #pausedUntil = -Infinity
  /** Refusals since the last answer. */
  #refusals = 0
  /** True if a pause was cut short, and no item has been answered since. */
  #isProbing = false
  /** Beginning of the last pause. */
  #paused = -Infinity
  /** Times and numbers of items that were answered of late. */
  #answered: { at: number; items: number }[] = []

  constructor(time: UpstreamTime, most: number) {
    this.#time = time
    this.#most = most
    this.#concurrency = Math.min(FIRST_CONCURRENCY, most)
    this.#grown = time.now()
  }

  /** ms until a request may be sent; `undefined` if others must end first. */
  get delay(): number | undefined {
    if (this.#inFlight >= (this.#isProbing ? 1 : this.#concurrency)) return undefined
    return Math.max(0, Math.max(this.#next, this.#pausedUntil) - this.#time.now())
  }

  /** Most items that the next request should have. */
  get largest(): number {
    if (this.#isProbing) return 1
    return this.#rate === Infinity ? Infinity : Math.max(1, Math.ceil(this.#rate / 2))
  }

  /** @returns the time, for {@link refused} */
  sent(items: number): number {
    const now = this.#time.now()
    this.#inFlight++
    if (this.#rate !== Infinity) {
      this.#next = Math.max(now, this.#next) + (items / this.#rate) * 1000
    }
    return now
  }

  /** A request has ended, however. */
  ended(): void {
    this.#inFlight--
  }

  /** So many items were answered. */
  took(items: number): void {
    const now = this.#time.now()
    this.#refusals = 0
    this.#isProbing = false
    this.#answered.push({ at: now, items })
    this.#forget(now)
    const seconds = Math.floor((now - this.#grown) / CLEAN_TIME)
    if (seconds === 0) return
    this.#grown += seconds * CLEAN_TIME
    this.#concurrency = Math.min(this.#most, this.#concurrency + seconds)
    for (let second = 0; second < seconds && this.#rate !== Infinity; second++) this.#grow()
  }

  /**
   * The upstream refused items for now.
   *
   * @param sentAt - when they were sent
   * @param wait - ms that it asked for; `undefined` if it named none
   */
  refused(sentAt: number, wait: number | undefined): void {
    const now = this.#time.now()
    const isNew = sentAt >= this.#paused
    const answered = this.#answeredIn(now - this.#pausedUntil)
    if (isNew || wait !== undefined) {
      const own = Math.min(LONGEST_PAUSE, FIRST_PAUSE * 2 ** this.#refusals)
      const pause = Math.min(wait ?? own, LONGEST_WANTED)
      if (wait !== undefined && wait > pause) this.#isProbing = true
      this.#pausedUntil = Math.max(this.#pausedUntil, now + pause)
    }
    // Requests that were in flight together are refused together.
    if (!isNew) return
    this.#paused = now
    this.#refusals++
    this.#grown = now
    this.#concurrency = Math.max(1, Math.floor(this.#concurrency / 2))
    this.#measured = Math.max(1, answered)
    this.#rate = answered === 0 ? this.#slower() : Math.max(1, answered * CAUTION)
    this.#step = FIRST_STEP
    this.#cleanSeconds = 0
  }

  /**
   * Items that were answered in a second: the last one, or one of the ms without pauses, as far as
   * they count. If a few large batches fill a second, the last one may hold one less.
   */
  #answeredIn(ms: number): number {
    const now = this.#time.now()
    this.#forget(now)
    const since = (start: number) =>
      this.#answered.reduce((sum, { at, items }) => (at > start ? sum + items : sum), 0)
    const span = Math.min(ms, LONGEST_MEASURE)
    const mean = span > CLEAN_TIME ? (since(now - span) / span) * 1000 : 0
    return Math.max(since(now - CLEAN_TIME), mean)
  }

  /** The rate after a refusal in a second without an answer, which tells of no rate. */
  #slower(): number {
    return this.#rate === Infinity ? Infinity : Math.max(1, this.#rate / 2)
  }

  #grow(): void {
    if (this.#rate < this.#measured * CAUTION) {
      this.#rate = Math.min(this.#measured * CAUTION, this.#rate * FAST_GROWTH)
      return
    }
    if (++this.#cleanSeconds % STEP_TIME !== 0) return
    this.#rate *= 1 + this.#step
    this.#step *= 2
  }

  #forget(now: number): void {
    this.#answered = this.#answered.filter(({ at }) => at > now - LONGEST_MEASURE)
  }
}
