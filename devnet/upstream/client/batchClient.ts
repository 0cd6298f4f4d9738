import { Scheduler } from '../../engine/scheduler.ts'
import { reasonOf, shorten } from '../../primitives/errors.ts'
import { LongBodyError } from '../../primitives/foreign.ts'
import { runPaced } from '../../primitives/paced.ts'
import { UpstreamError } from '../../state/remote/remoteSource.ts'
import type { UpstreamStatus } from '../types.ts'
import { type ItemAnswer, inWords, judge, type Outcome, type RpcFailure } from './answers.ts'
import type { Endpoint } from './endpoint.ts'
import type { Transport } from './httpTransport.ts'
import { Pace } from './pace.ts'
import { FailureAnswer, type Guard, NoAnswer, type Question } from './question.ts'
import type { UpstreamTime } from './upstreamTime.ts'

/** Number of times that an item is sent if it gets nothing that can be used. */
const ATTEMPTS = 5

/** ms before the second attempt; each further one waits twice as long. */
const FIRST_BACKOFF = 250

/** Part of the timeout that one attempt of a read may take: a server that hangs is asked again. */
const ATTEMPT_SHARE = 1 / 3

/** Timeouts that an item may wait for its turn: a rate limit makes a long queue. */
const LONGEST_QUEUE = 9

interface Item {
  readonly id: number
  readonly text: string
  readonly question: Question<unknown>
  readonly answer: PromiseWithResolvers<unknown>
  /** As of the clock, in ms. */
  readonly asked: number
  /** Beginning of its turn to be sent; `undefined` before, and again after a rate limit. */
  turn: number | undefined
  attempts: number
  /** Times that the upstream wanted fewer requests. */
  refusals: number
  /** Answer to the last attempt. */
  why: string
  isDone: boolean
}

interface Context {
  readonly sentAt: number
  /** The guard request in the same batch, and its id; `undefined` if there is none. */
  readonly guard: (Guard & { readonly id: number }) | undefined
}

/**
 * Asks an upstream. What is asked in one turn of the event loop goes out in batches, and each item
 * is repeated on its own. Batches become smaller if they are refused.
 */
export class BatchClient {
  readonly time: UpstreamTime
  /** All of the upstream's address that may be shown. */
  readonly origin: string
  readonly #endpoint: Endpoint
  readonly #transport: Transport
  readonly #timeout: number
  readonly pace: Pace
  /** Time of the last answer. */
  #progress: number
  #queue: Item[] = []
  readonly #open = new Set<Item>()
  readonly #inFlight = new Map<AbortController, readonly Item[]>()
  #guard: Guard | undefined
  #isFlushing = false
  #cancelFlush: (() => void) | undefined
  #cancelDeadline: (() => void) | undefined
  readonly #cancelRepetitions = new Set<() => void>()
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
    this.origin = endpoint.origin
    this.#endpoint = endpoint
    this.#transport = transport
    this.time = parameters.time
    this.#timeout = parameters.timeout
    this.pace = new Pace(parameters)
    this.#progress = parameters.time.now()
  }

  get sent(): Omit<UpstreamStatus, 'cached'> {
    return {
      requests: this.#requests,
      items: this.#items,
      waiting: this.#open.size,
      failed: this.#failed,
      lastFailure: this.#lastFailure,
    }
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
      text: requestText({ id, method, params }),
      question,
      answer: Promise.withResolvers(),
      asked: this.time.now(),
      turn: undefined,
      attempts: 0,
      refusals: 0,
      why: 'not sent yet',
      isDone: false,
    }
    this.#open.add(item)
    this.#queue.push(item)
    if (signal !== undefined) {
      const giveUp = () => this.#refuse(item, signal.reason)
      signal.addEventListener('abort', giveUp)
      const forget = () => signal.removeEventListener('abort', giveUp)
      item.answer.promise.then(forget, forget)
    }
    this.#cancelDeadline ??= this.time.after(this.#timeout, () => this.#endLate())
    this.#flushSoon()
    // The question's own `read` made the value.
    return item.answer.promise as Promise<Value>
  }

  /** Ends all questions, now and later. @param reason - default: the node was stopped */
  async close(reason = new UpstreamError('The node was stopped')): Promise<void> {
    this.#closed ??= reason
    this.#cancelFlush?.()
    this.#cancelDeadline?.()
    for (const cancel of this.#cancelRepetitions) cancel()
    for (const item of [...this.#open]) this.#refuse(item, reason)
    await this.#transport.close()
  }

  /** Sends all questions of this turn of the event loop together. */
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
      const { delay } = this.pace
      if (this.#queue.length === 0 || delay === undefined) return
      if (delay > 0) {
        this.#cancelFlush = this.time.after(delay, () => this.#flush())
        return
      }
      const batch = this.pace.first(this.#queue)
      this.#queue = this.#queue.slice(batch.length)
      void this.#send(batch)
    }
  }

  async #send(batch: readonly Item[]): Promise<void> {
    for (const item of batch) {
      if (item.turn === undefined) item.why = 'no answer'
      item.attempts++
      item.turn ??= Math.max(item.asked, this.#progress)
    }
    const isGuarded = batch.some(({ question }) => question.isGuarded)
    const guard = isGuarded && this.#guard ? { ...this.#guard, id: ++this.#lastId } : undefined
    const ids = batch.map(({ id }) => id)
    const texts = batch.map(({ text }) => text)
    if (guard !== undefined) {
      ids.push(guard.id)
      texts.push(requestText(guard))
    }
    const sentAt = this.pace.sent()
    this.#requests++
    this.#items += ids.length
    const controller = new AbortController()
    this.#inFlight.set(controller, batch)
    let outcome: Outcome
    try {
      outcome = await this.#exchange(texts, ids, controller, batch)
    } finally {
      this.#inFlight.delete(controller)
      this.pace.ended()
    }
    if (this.#closed !== undefined) return
    try {
      this.#heed(outcome, batch, { sentAt, guard })
    } catch (error) {
      // No answer, whatever it holds, may end the process.
      for (const item of batch) {
        item.why = `an answer that cannot be taken: ${reasonOf(error)}`
        this.#fail(item)
      }
    }
    this.#flush()
  }

  /** Counts an outcome, and settles the items of its batch. */
  #heed(outcome: Outcome, batch: readonly Item[], context: Context): void {
    const why = batch.every(({ isDone }) => isDone) ? undefined : whyFailed(outcome)
    if (why !== undefined) {
      this.#failed++
      this.#lastFailure = shorten(this.#endpoint.clean(why), LONGEST_REASON)
    }
    if (outcome.kind === 'answers') {
      const ms = this.time.now() - context.sentAt
      this.#shortest = Math.min(this.#shortest, ms)
      for (const { question } of batch) question.onTime?.(ms, this.#shortest)
    }
    this.#take(outcome, batch, context)
  }

  async #exchange(
    texts: readonly string[],
    ids: readonly number[],
    controller: AbortController,
    batch: readonly Item[],
  ): Promise<Outcome> {
    const limit = batch[0]?.question.isSlow ? this.#timeout : this.#timeout * ATTEMPT_SHARE
    const late = new Error(`no answer in ${seconds(limit)}`)
    const cancel = this.time.after(limit, () => controller.abort(late))
    try {
      const body = texts.length === 1 ? (texts[0] ?? '') : `[${texts.join(',')}]`
      const answer = await this.#transport.post(body, controller.signal)
      return await runPaced(judge(answer, ids, Date.now()), new Scheduler())
    } catch (error) {
      const why = reasonOf(error)
      // A second answer would be just as long.
      if (error instanceof LongBodyError && batch.length === 1) return { kind: 'denied', why }
      if (isTooMuch(error)) this.pace.failed(ids.length)
      return { kind: 'fault', why }
    } finally {
      cancel()
    }
  }

  #take(outcome: Outcome, batch: readonly Item[], context: Context): void {
    switch (outcome.kind) {
      case 'busy':
        this.pace.refused(batch.length, context.sentAt, outcome.wait)
        for (const item of batch.toReversed()) this.#isRefused(item, outcome.why)
        return
      case 'refusedBatch':
        this.pace.refusedBatch(batch.length)
        for (const item of batch) {
          // The batch was refused, not this item.
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
        this.#takeAnswers(outcome.answers, batch, context)
    }
  }

  #takeAnswers(
    answers: ReadonlyMap<number, ItemAnswer>,
    batch: readonly Item[],
    { sentAt, guard }: Context,
  ): void {
    const guarded = guard && batchProblem(guard, answers.get(guard.id))
    const faulty: Item[] = []
    let isTaken = false
    let isBusy = false
    let isIncomplete = false
    for (const item of batch) {
      if (item.isDone) continue
      const answer = answers.get(item.id)
      if (answer === undefined) throw new Error('judge() left out an item of the batch')
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
      isTaken = true
      if (answer.kind === 'failure') this.#takeFailure(item, answer.failure, faulty)
      else if (item.question.isGuarded === true && guarded !== undefined) {
        if (guarded.transient) {
          item.why = guarded.message
          faulty.push(item)
        } else this.#refuse(item, guarded)
      } else this.#takeResult(item, answer.result, faulty)
    }
    if (isTaken) {
      this.#progress = this.time.now()
      this.pace.took()
    }
    if (isIncomplete) this.pace.failed(batch.length)
    if (isBusy) this.pace.refused(batch.length, sentAt, undefined)
    this.#repeatLater(faulty)
  }

  #takeResult(item: Item, result: unknown, faulty: Item[]): void {
    try {
      item.answer.resolve(item.question.read(result))
      this.#end(item)
    } catch (error) {
      item.why = reasonOf(error)
      faulty.push(item)
    }
  }

  #takeFailure(item: Item, failure: RpcFailure, faulty: Item[]): void {
    const data = this.#endpoint.maskJson(failure.data)
    const clean: RpcFailure = {
      code: failure.code,
      message: this.#endpoint.clean(failure.message),
      ...(data === undefined ? {} : { data }),
    }
    const attempts = item.question.attemptsOn?.(clean) ?? 1
    item.why = shorten(inWords(clean), LONGEST_REASON)
    if (item.attempts < attempts) faulty.push(item)
    else this.#refuse(item, new FailureAnswer(clean, item.attempts))
  }

  /** A rate limit does not count as an attempt: the item waits its turn. */
  #isRefused(item: Item, why: string): void {
    if (item.isDone) return
    item.attempts--
    item.refusals++
    item.why = why
    item.turn = undefined
    this.#queue.unshift(item)
  }

  #isDenied(item: Item, why: string): void {
    this.#refuse(item, new NoAnswer(this.#endpoint.clean(why), false))
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

  /** Ends what has waited too long, and looks again when the next item may have. */
  #endLate(): void {
    const now = this.time.now()
    let next = Infinity
    for (const item of [...this.#open]) {
      // As long as other items get answers, the timeout of a queued item does not start.
      const from = item.turn ?? Math.max(item.asked, this.#progress)
      const deadline = Math.min(from, item.asked + this.#timeout * LONGEST_QUEUE) + this.#timeout
      if (deadline <= now) this.#fail(item)
      else next = Math.min(next, deadline)
    }
    this.#cancelDeadline =
      next === Infinity ? undefined : this.time.after(next - now, () => this.#endLate())
  }

  #fail(item: Item): void {
    const tries = item.attempts + item.refusals
    const waited = this.time.now() - item.asked
    const message =
      tries === 0
        ? `${this.#lastWhy()}, no turn in ${seconds(waited)}`
        : `${item.why}, ${tries} ${tries === 1 ? 'attempt' : 'attempts'} in ${seconds(waited)}`
    this.#refuse(item, new NoAnswer(this.#endpoint.clean(message), true))
  }

  /** Reason why others wait. */
  #lastWhy(): string {
    for (const { why, turn } of this.#open) if (turn !== undefined) return why
    return this.#lastFailure ?? 'many requests'
  }

  #refuse(item: Item, reason: unknown): void {
    item.answer.reject(reason)
    this.#end(item)
  }

  #end(item: Item): void {
    if (item.isDone) return
    item.isDone = true
    this.#open.delete(item)
    for (const [controller, batch] of this.#inFlight) {
      if (batch.includes(item) && batch.every(({ isDone }) => isDone)) {
        controller.abort(new Error('nobody waits for the answer any more'))
      }
    }
  }
}

/** Characters of an upstream's own words in a message. */
const LONGEST_REASON = 300

/** The problem with a batch's answers; `undefined` if they may be used. */
function batchProblem(guard: Guard, answer: ItemAnswer | undefined): NoAnswer | undefined {
  if (answer?.kind !== 'result') return new NoAnswer('the block could not be checked', true)
  try {
    guard.check(answer.result)
    return undefined
  } catch (error) {
    return new NoAnswer(reasonOf(error), false)
  }
}

/** Reason why a request or an item failed; `undefined` if the upstream has answered all. */
function whyFailed(outcome: Outcome): string | undefined {
  if (outcome.kind !== 'answers') return outcome.why
  for (const answer of outcome.answers.values()) if ('why' in answer) return answer.why
  return undefined
}

function requestText({ id, method, params }: Pick<Guard, 'method' | 'params'> & { id: number }) {
  return JSON.stringify({ jsonrpc: '2.0', id, method, params })
}

function seconds(ms: number): string {
  return `${Math.round(ms / 100) / 10} s`
}

const CLOSED = ['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE', 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH']

/** True if a smaller batch may get through: some servers hang up in the middle of an answer. */
function isTooMuch(error: unknown): boolean {
  if (error instanceof LongBodyError) return true
  return error instanceof Error && 'code' in error && CLOSED.some((code) => code === error.code)
}
