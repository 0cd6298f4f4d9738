import { DevnetError, shorten } from '../primitives/errors.ts'
import { UpstreamError } from '../state/remote/remoteSource.ts'
import { type ItemAnswer, judge, type Outcome, type RpcFailure, shown } from './answers.ts'
import type { Endpoint } from './endpoint.ts'
import type { Transport } from './httpTransport.ts'
import { Limiter } from './limiter.ts'
import type { UpstreamTime } from './upstreamTime.ts'

/** Characters of the requests in one batch. */
const LARGEST_BATCH = 512 * 1024

/** How often an item is sent if it gets nothing that can be used. */
const ATTEMPTS = 5

/** ms before the second attempt; each further one waits twice as long. */
const FIRST_BACKOFF = 250

/** Part of the timeout that one attempt of a read may take: a server that hangs is asked again. */
const ATTEMPT_SHARE = 1 / 3

/** Timeouts that a question may wait while others get answers: a rate limit makes a long queue. */
const LONGEST_QUEUE = 10

/** What to do with an error that the upstream answers. */
export type FailureChoice = 'tell' | { readonly attempts: number }

/** A JSON-RPC request, and how patiently it is asked. */
export interface Question<Value> {
  readonly method: string
  readonly params: readonly unknown[]
  /** Reads the result. What it throws counts as a fault of the upstream, which is asked again. */
  read(result: unknown): Value
  /** Whether an error is told at once or after some attempts. */
  onFailure(failure: RpcFailure): FailureChoice
  /** Whether the batch must hold an answer that {@link Guard} accepts. */
  readonly isGuarded?: boolean
  /** How often it is sent if it gets nothing that can be used. Default: 5 */
  readonly attempts?: number
  /** Whether one attempt may take all of the timeout. */
  readonly isSlow?: boolean
  /** Whether it goes in an HTTP request of its own. */
  readonly isAlone?: boolean
  /**
   * Hears of the answer how many ms its HTTP request took, and how many the shortest one of all.
   */
  readonly onTime?: (ms: number, shortest: number) => void
  /** Gives up. */
  readonly signal?: AbortSignal | undefined
}

/** A question that goes along in each batch with guarded items, and must be answered right. */
export interface Guard {
  readonly method: string
  readonly params: readonly unknown[]
  /** @throws {Error} if the answers of the batch must not be used, for good */
  check(result: unknown): void
}

/** The upstream answered an error. */
export class FailureAnswer extends Error {
  readonly failure: RpcFailure
  readonly attempts: number

  constructor(failure: RpcFailure, attempts: number) {
    super(shown(failure))
    this.failure = failure
    this.attempts = attempts
  }
}

/** There was no usable answer; the message says why and how often it was tried. */
export class NoAnswer extends Error {
  readonly transient: boolean

  constructor(message: string, transient: boolean) {
    super(message)
    this.transient = transient
  }
}

/** Counters of what was sent. */
export interface Sent {
  readonly requests: number
  readonly items: number
  readonly waiting: number
  /** Requests of which at least one item got nothing that can be used. */
  readonly failed: number
  /** Why the last of them did; `null` if none has failed. */
  readonly lastFailure: string | null
}

interface Item {
  readonly id: number
  readonly text: string
  readonly question: Question<unknown>
  readonly answer: PromiseWithResolvers<unknown>
  readonly asked: number
  /** Once it was sent: when the upstream had answered last, or when it was asked, if later. */
  sent: number | undefined
  attempts: number
  /** Times that the upstream wanted fewer requests. */
  refusals: number
  /** What the last attempt got. */
  why: string
  isDone: boolean
}

/**
 * Asks an upstream. What is asked in one turn of the event loop goes out in batches, and each item
 * is repeated on its own. Batches become smaller if they are refused.
 */
export class BatchClient {
  readonly time: UpstreamTime
  readonly #endpoint: Endpoint
  readonly #transport: Transport
  readonly #timeout: number
  readonly #limiter: Limiter
  /** Most items in a batch, as far as the upstream has not refused it. */
  #most: number
  /** Most items in the next batch: fewer after a closed connection or a rate limit. */
  #size: number
  #queue: Item[] = []
  readonly #open = new Set<Item>()
  readonly #inFlight = new Map<AbortController, readonly Item[]>()
  #guard: Guard | undefined
  #isFlushing = false
  #cancelFlush: (() => void) | undefined
  #cancelExpiry: (() => void) | undefined
  readonly #cancelRepetitions = new Set<() => void>()
  #expiry = Infinity
  /** When the upstream answered last. */
  #progress: number
  /** ms of the shortest request that was answered. */
  #shortest = Infinity
  #closed: UpstreamError | undefined
  #lastId = 0
  #requests = 0
  #items = 0
  #failed = 0
  #lastFailure: string | null = null

  /** @param parameters.timeout - ms that a question may wait, repetitions included */
  constructor(
    endpoint: Endpoint,
    transport: Transport,
    parameters: {
      readonly time: UpstreamTime
      readonly timeout: number
      readonly batch: number
      readonly concurrency: number
    },
  ) {
    this.#endpoint = endpoint
    this.#transport = transport
    this.time = parameters.time
    this.#timeout = parameters.timeout
    this.#limiter = new Limiter(parameters.time, parameters.concurrency)
    this.#most = parameters.batch
    this.#size = parameters.batch
    this.#progress = parameters.time.now()
  }

  /** Most items in a batch that the upstream has not refused. */
  get batch(): number {
    return this.#most
  }

  get sent(): Sent {
    return {
      requests: this.#requests,
      items: this.#items,
      waiting: this.#open.size,
      failed: this.#failed,
      lastFailure: this.#lastFailure,
    }
  }

  /** Lowers the size of batches to what an earlier run has found. */
  limitBatch(most: number): void {
    this.#most = Math.min(this.#most, most)
    this.#size = Math.min(this.#size, most)
  }

  /** Sets what goes along with guarded questions. */
  guard(guard: Guard): void {
    this.#guard = guard
  }

  /**
   * @throws {FailureAnswer} an error of the upstream
   * @throws {NoAnswer} if there was none
   * @throws {UpstreamError} after {@link close}
   */
  ask<Value>(question: Question<Value>): Promise<Value> {
    if (this.#closed !== undefined) return Promise.reject(this.#closed)
    const { method, params, signal } = question
    if (signal?.aborted === true) return Promise.reject(signal.reason)
    const id = ++this.#lastId
    const item: Item = {
      id,
      text: JSON.stringify({ jsonrpc: '2.0', id, method, params }),
      question,
      answer: Promise.withResolvers(),
      asked: this.time.now(),
      sent: undefined,
      attempts: 0,
      refusals: 0,
      why: 'not sent yet',
      isDone: false,
    }
    this.#open.add(item)
    this.#queue.push(item)
    if (signal !== undefined) {
      const giveUp = () => this.#end(item, () => item.answer.reject(signal.reason))
      signal.addEventListener('abort', giveUp)
      const forget = () => signal.removeEventListener('abort', giveUp)
      item.answer.promise.then(forget, forget)
    }
    this.#expectExpiry(item)
    this.#flushSoon()
    // `read` of the same question made the value.
    return item.answer.promise as Promise<Value>
  }

  /**
   * Ends all questions, now and later.
   *
   * @param reason - their error. Default: the node was stopped
   */
  async close(
    reason = new UpstreamError('The node was stopped', { transient: false }),
  ): Promise<void> {
    this.#closed ??= reason
    this.#cancelFlush?.()
    this.#cancelExpiry?.()
    for (const cancel of this.#cancelRepetitions) cancel()
    for (const item of [...this.#open]) this.#end(item, () => item.answer.reject(reason))
    await this.#transport.close()
  }

  /** All that is asked in this turn of the event loop goes along. */
  #flushSoon(): void {
    if (this.#isFlushing) return
    this.#isFlushing = true
    setImmediate(() => {
      this.#isFlushing = false
      this.#flush()
    })
  }

  #flush(): void {
    this.#cancelFlush?.()
    this.#cancelFlush = undefined
    while (this.#closed === undefined) {
      this.#queue = this.#queue.filter(({ isDone }) => !isDone)
      const delay = this.#limiter.delay
      if (this.#queue.length === 0 || delay === undefined) return
      if (delay > 0) {
        this.#cancelFlush = this.time.after(delay, () => this.#flush())
        return
      }
      void this.#send(this.#nextBatch())
    }
  }

  #nextBatch(): Item[] {
    const most = Math.min(this.#size, this.#limiter.largest)
    const batch: Item[] = []
    let size = 0
    while (batch.length < most) {
      const next = this.#queue[batch.length]
      if (next === undefined) break
      size += next.text.length + 1
      if (batch.length > 0 && size > LARGEST_BATCH) break
      // What may take long would hold up the others.
      if (batch.length > 0 && next.question.isSlow !== batch[0]?.question.isSlow) break
      if (batch.length > 0 && next.question.isAlone === true) break
      batch.push(next)
      if (next.question.isAlone === true) break
    }
    this.#queue = this.#queue.slice(batch.length)
    return batch
  }

  async #send(batch: readonly Item[]): Promise<void> {
    for (const item of batch) {
      if (item.sent === undefined) {
        item.sent = Math.max(item.asked, this.#progress)
        item.why = 'no answer'
      }
      item.attempts++
      this.#expectExpiry(item)
    }
    const guard = batch.some(({ question }) => question.isGuarded) ? this.#guard : undefined
    const ids = batch.map(({ id }) => id)
    const texts = batch.map(({ text }) => text)
    let guardId: number | undefined
    if (guard !== undefined) {
      guardId = ++this.#lastId
      ids.push(guardId)
      const { method, params } = guard
      texts.push(JSON.stringify({ jsonrpc: '2.0', id: guardId, method, params }))
    }
    const sentAt = this.#limiter.sent(ids.length)
    this.#requests++
    this.#items += ids.length
    const controller = new AbortController()
    this.#inFlight.set(controller, batch)
    let outcome: Outcome
    try {
      outcome = await this.#exchange(texts, ids, controller, batch[0]?.question.isSlow === true)
    } finally {
      this.#inFlight.delete(controller)
      this.#limiter.ended()
    }
    if (this.#closed !== undefined) return
    const why = batch.every(({ isDone }) => isDone) ? undefined : whyFailed(outcome)
    if (why !== undefined) {
      this.#failed++
      this.#lastFailure = shorten(this.#endpoint.clean(why), LONGEST_REASON)
    }
    if (outcome.kind === 'answers') {
      const ms = this.time.now() - sentAt
      this.#shortest = Math.min(this.#shortest, ms)
      for (const { question } of batch) question.onTime?.(ms, this.#shortest)
    }
    this.#take(outcome, batch, { sentAt, guard, guardId })
    this.#flush()
  }

  async #exchange(
    texts: readonly string[],
    ids: readonly number[],
    controller: AbortController,
    isSlow: boolean,
  ): Promise<Outcome> {
    const limit = isSlow ? this.#timeout : this.#timeout * ATTEMPT_SHARE
    const late = new Error(`no answer in ${seconds(limit)}`)
    const cancel = this.time.after(limit, () => controller.abort(late))
    try {
      const body = texts.length === 1 ? (texts[0] ?? '') : `[${texts.join(',')}]`
      const answer = await this.#transport.post(body, controller.signal)
      return judge(answer, ids, Date.now())
    } catch (error) {
      if (isClosedConnection(error)) this.#size = Math.max(1, Math.min(this.#size, ids.length >> 1))
      return { kind: 'fault', why: reasonOf(error) }
    } finally {
      cancel()
    }
  }

  #take(
    outcome: Outcome,
    batch: readonly Item[],
    {
      sentAt,
      guard,
      guardId,
    }: { sentAt: number; guard?: Guard | undefined; guardId?: number | undefined },
  ): void {
    switch (outcome.kind) {
      case 'busy':
        if (batch.length > 1) this.#size = Math.max(1, batch.length >> 1)
        this.#limiter.refused(sentAt, outcome.wait)
        for (const item of batch.toReversed()) this.#isRefused(item, outcome.why)
        return
      case 'refusedBatch':
        this.#most = Math.max(1, Math.min(this.#most, batch.length >> 1))
        this.#size = Math.min(this.#size, this.#most)
        for (const item of batch) {
          // Not the item was refused, but its company.
          item.attempts--
          item.why = outcome.why
        }
        if (batch.length > 1) this.#queue.unshift(...batch)
        else for (const item of batch) this.#isDenied(item, outcome.why)
        return
      case 'fault':
        this.#repeatLater(batch, outcome.why)
        return
      case 'denied':
        for (const item of batch) this.#isDenied(item, outcome.why)
        return
      case 'answers':
        this.#takeAnswers(outcome.answers, batch, { sentAt, guard, guardId })
    }
  }

  #takeAnswers(
    answers: ReadonlyMap<number, ItemAnswer>,
    batch: readonly Item[],
    {
      sentAt,
      guard,
      guardId,
    }: { sentAt: number; guard?: Guard | undefined; guardId?: number | undefined },
  ): void {
    const guarded = guard === undefined ? undefined : this.#checkGuard(guard, answers, guardId)
    const faulty: Item[] = []
    let taken = 0
    let isBusy = false
    let isIncomplete = false
    for (const item of batch) {
      if (item.isDone) continue
      const answer = answers.get(item.id)
      if (answer === undefined) throw new Error('judge() answers all items')
      if (answer.kind === 'busy') {
        isBusy = true
        this.#isRefused(item, answer.why)
        continue
      }
      if (answer.kind === 'fault') {
        item.why = answer.why
        faulty.push(item)
        isIncomplete = true
        continue
      }
      taken++
      if (answer.kind === 'failure') this.#takeFailure(item, answer.failure, faulty)
      else if (item.question.isGuarded === true && guarded !== undefined) {
        if (guarded.transient) {
          item.why = guarded.message
          faulty.push(item)
        } else this.#end(item, () => item.answer.reject(guarded))
      } else this.#takeResult(item, answer.result, faulty)
    }
    if (taken > 0) {
      this.#progress = this.time.now()
      this.#limiter.took(taken)
      this.#size = Math.min(this.#most, Math.max(this.#size, batch.length * 2))
    }
    if (isIncomplete) this.#size = Math.max(1, batch.length >> 1)
    if (isBusy) this.#limiter.refused(sentAt, undefined)
    this.#repeatLater(faulty)
  }

  /** What is wrong with the answers of a batch; `undefined` if they may be used. */
  #checkGuard(
    guard: Guard,
    answers: ReadonlyMap<number, ItemAnswer>,
    id: number | undefined,
  ): NoAnswer | undefined {
    const answer = id === undefined ? undefined : answers.get(id)
    if (answer?.kind !== 'result') return new NoAnswer('the block could not be checked', true)
    try {
      guard.check(answer.result)
      return undefined
    } catch (error) {
      return new NoAnswer(reasonOf(error), false)
    }
  }

  #takeResult(item: Item, result: unknown, faulty: Item[]): void {
    let value: unknown
    try {
      value = item.question.read(result)
    } catch (error) {
      item.why = reasonOf(error)
      faulty.push(item)
      return
    }
    this.#end(item, () => item.answer.resolve(value))
  }

  #takeFailure(item: Item, failure: RpcFailure, faulty: Item[]): void {
    const clean: RpcFailure = {
      code: failure.code,
      message: this.#endpoint.clean(failure.message),
      ...('data' in failure ? { data: this.#endpoint.cleanJson(failure.data) } : {}),
    }
    const choice = item.question.onFailure(clean)
    item.why = shorten(shown(clean), LONGEST_REASON)
    if (choice !== 'tell' && item.attempts < choice.attempts) faulty.push(item)
    else this.#end(item, () => item.answer.reject(new FailureAnswer(clean, item.attempts)))
  }

  /** A rate limit does not count as an attempt: the item waits its turn. */
  #isRefused(item: Item, why: string): void {
    if (item.isDone) return
    item.attempts--
    item.refusals++
    item.why = why
    item.sent = undefined
    this.#queue.unshift(item)
  }

  #isDenied(item: Item, why: string): void {
    const reason = new NoAnswer(this.#endpoint.clean(why), false)
    this.#end(item, () => item.answer.reject(reason))
  }

  #repeatLater(items: readonly Item[], why?: string): void {
    const again: Item[] = []
    for (const item of items) {
      if (item.isDone) continue
      if (why !== undefined) item.why = why
      if (item.attempts < (item.question.attempts ?? ATTEMPTS)) again.push(item)
      else this.#fail(item)
    }
    const attempts = Math.min(...again.map((item) => item.attempts))
    if (again.length === 0) return
    const backoff = FIRST_BACKOFF * 2 ** (attempts - 1) * (0.75 + this.time.random() / 2)
    const cancel = this.time.after(backoff, () => {
      this.#cancelRepetitions.delete(cancel)
      this.#queue.unshift(...again)
      this.#flush()
    })
    this.#cancelRepetitions.add(cancel)
  }

  #fail(item: Item): void {
    const tries = item.attempts + item.refusals
    const waited = this.time.now() - item.asked
    const message =
      tries === 0
        ? `${this.#lastWhy()}, no turn in ${seconds(waited)}`
        : `${item.why}, ${tries} ${tries === 1 ? 'attempt' : 'attempts'} in ${seconds(waited)}`
    const reason = new NoAnswer(this.#endpoint.clean(message), true)
    this.#end(item, () => item.answer.reject(reason))
  }

  /** Why others wait. */
  #lastWhy(): string {
    for (const { why, sent } of this.#open) if (sent !== undefined) return why
    return this.#lastFailure ?? 'many requests'
  }

  #end(item: Item, tell: () => void): void {
    if (item.isDone) return
    item.isDone = true
    this.#open.delete(item)
    tell()
    for (const [controller, batch] of this.#inFlight) {
      if (batch.includes(item) && batch.every(({ isDone }) => isDone)) {
        controller.abort(new Error('nobody waits for it any more'))
      }
    }
  }

  /**
   * Time after which the item has waited too long. While others get answers, its own time does not
   * begin before its turn comes.
   */
  #deadline({ asked, sent }: Item): number {
    const from = sent ?? Math.max(asked, this.#progress)
    return Math.min(from + this.#timeout, asked + LONGEST_QUEUE * this.#timeout)
  }

  #expectExpiry(item: Item): void {
    const deadline = this.#deadline(item)
    if (deadline >= this.#expiry) return
    this.#cancelExpiry?.()
    this.#expiry = deadline
    this.#cancelExpiry = this.time.after(deadline - this.time.now(), () => this.#expire())
  }

  #expire(): void {
    this.#expiry = Infinity
    this.#cancelExpiry = undefined
    const now = this.time.now()
    for (const item of [...this.#open]) {
      if (this.#deadline(item) <= now) this.#fail(item)
      else this.#expectExpiry(item)
    }
  }
}

/** Characters of an upstream's own words in a message. */
const LONGEST_REASON = 300

/** Why a request failed, or one of its items; `undefined` if the upstream has answered all. */
function whyFailed(outcome: Outcome): string | undefined {
  if (outcome.kind !== 'answers') return outcome.why
  for (const answer of outcome.answers.values()) if ('why' in answer) return answer.why
  return undefined
}

function seconds(ms: number): string {
  return `${Math.round(ms / 100) / 10} s`
}

/** What went wrong, in the words of the system. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  // The cause of "fetch failed" or of an aggregate of addresses says more.
  const inner = error instanceof AggregateError ? error.errors[0] : error.cause
  return error.message === '' && inner instanceof Error ? inner.message : error.message
}

const CLOSED = ['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE', 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH']

function isClosedConnection(error: unknown): boolean {
  return error instanceof Error && 'code' in error && CLOSED.includes(String(error.code))
}

/** The error of a client for an error that the upstream answered. */
export function passedOn({ failure }: FailureAnswer): DevnetError {
  return new DevnetError(failure.code, failure.message, { data: failure.data })
}
