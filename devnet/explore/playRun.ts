import { createHash } from 'node:crypto'
import { RefusedError, reasonOf } from '../primitives/errors.ts'
import { ProcessHold } from '../primitives/processHold.ts'
import { reportInternalError } from '../primitives/warn.ts'
import type { ExecutedTransaction } from '../protocol/receipt.ts'
import { InProcessProvider } from '../rpc/inProcessProvider.ts'
import type { Devnet, Provider, RequestArguments } from '../types.ts'
import type { RunNode } from './openNodes.ts'
import type { Occurrence, PlacedTransaction, RunOutcome } from './runOutcome.ts'
import type { ExploreContext } from './types.ts'
import {
  installTimers,
  isOfOtherRun,
  type Pending,
  realTime,
  VirtualClock,
} from './virtualTimers.ts'

/** Turns of the event loop without news after which nothing is under way, in process. */
const TURNS = 2

/** The same if there may be sockets, whose messages take some turns to arrive. */
const SOCKET_TURNS = 24

/**
 * ms of real time for which a run waits for a test that reads files, or has begun nothing because
 * it loads modules. Otherwise its clock would run away from it.
 */
const PATIENCE = 5000

/** Work of Node.js that a test may be waiting for: files, names, connections. */
const WORK = /^(?:FSReq\w+|GetAddrInfoReqWrap|TCPConnectWrap)$/

export interface RunParameters {
  /** Virtual time at which the run begins, ms since the epoch. */
  readonly start: number
  /** Opens the run's node, whose clocks run. */
  open(): Promise<RunNode>
  readonly test: (context: ExploreContext) => unknown
  /** True if modules are still to be loaded. */
  readonly isFirst: boolean
  /** Number of tick intervals after which the run hangs. */
  readonly maxTicks: number
  /** Real time, as of `realTime.now`, at which it is cut. */
  readonly deadline: number
}

/** Plays a test once, on a node of its own, in virtual time. */
export async function playRun(parameters: RunParameters): Promise<RunOutcome> {
  const clock = new VirtualClock(parameters.start)
  const restore = installTimers()
  let run: Run | undefined
  try {
    return await clock.run(async () => {
      run = new Run(parameters, clock, await parameters.open())
      return await run.play()
    })
  } finally {
    // Outside of the run, because its timers never fire again.
    await run?.close()
    restore()
  }
}

class Run {
  readonly #parameters: RunParameters
  readonly #clock: VirtualClock
  readonly #devnet: RunNode
  readonly #pending = new Set<Pending>()
  readonly #log: Occurrence[] = []
  readonly #seen = createHash('sha256')
  /** Rises with each request, answer, tick, seal and fault. */
  #news = 0
  /** Real time of the last news. */
  #lastNews = realTime.now()
  /** The same and the timers, before the test has begun anything. */
  #newsBefore = 0
  #hasAnswered = { app: false, sockets: false }
  /** Amount of work in the process that is none of the run's. */
  readonly #workBefore = workIn(process.getActiveResourcesInfo())
  #turns = TURNS
  #wantsStream = false
  /** True if the test has ended, and gets no more answers to what it asks then. */
  #isOver = false
  /** True if no answer reaches it any more. */
  #isClosed = false

  constructor(parameters: RunParameters, clock: VirtualClock, devnet: RunNode) {
    this.#parameters = parameters
    this.#clock = clock
    this.#devnet = devnet
  }

  async play(): Promise<RunOutcome> {
    this.#record()
    const own = this.#provider('test')
    const provider = this.#provider('app')
    const devnet = new Proxy<Devnet>(this.#devnet, {
      get: (target, name) => {
        if (name === 'provider') return own
        if (name === 'clock') return this.#tracked(target.clock)
        if (name === 'flashblocksUrl') this.#wantsStream = true
        if (name === 'url' || name === 'flashblocksUrl') this.#turns = SOCKET_TURNS
        if (name === 'faults') return faultsOf(target)
        const value: unknown = Reflect.get(target, name, target)
        return typeof value === 'function' ? value.bind(target) : value
      },
    })
    this.#newsBefore = this.#allNews
    const test = async () => this.#parameters.test({ devnet, provider })
    let ended: PromiseSettledResult<unknown> | undefined
    Promise.allSettled([test()]).then(([result]) => {
      ended = result
    })
    const isLate = () => realTime.now() > this.#parameters.deadline
    const isOver = () => ended !== undefined || isLate()
    const { options, accounts } = this.#devnet
    const end = this.#clock.start + this.#parameters.maxTicks * (options.tickInterval || 200)
    let isHang = false
    while (!isHang) {
      await this.#settle(isOver)
      if (isOver()) break
      isHang = this.#clock.now >= end || !this.#clock.step()
    }
    if (isHang) ended = { status: 'rejected', reason: this.#hang() }
    this.#isOver = true
    // Objects shared by runs, such as the queue of a connection, may still wait for answers.
    await this.#settle(isLate)
    this.#isClosed = true
    return {
      failure: ended?.status === 'rejected' ? { cause: ended.reason, isHang } : undefined,
      isCut: ended === undefined,
      log: this.#log,
      // Answers over sockets are not recorded, so runs with sockets cannot be compared.
      seen: this.#hasAnswered.sockets ? undefined : this.#seen.digest('hex'),
      wantsStream: this.#wantsStream,
      options,
      accounts: accounts.map(({ address }) => address),
    }
  }

  async close(): Promise<void> {
    await this.#devnet.stop()
    // Clients hear of it, and set timers to connect again.
    for (let left = this.#turns; left > 0; left--) await realTime.turn()
  }

  /** Resolves when all that the test has begun waits for time to pass, or when the run is over. */
  async #settle(isOver: () => boolean): Promise<void> {
    const { chain } = this.#devnet.parts.context
    for (let quiet = 0, turns = 0; !isOver(); turns++) {
      const news = this.#allNews
      let isWriting = true
      // Ticks skip transactions that wait for an upstream, so wait for these here.
      Promise.all([chain.idle(), chain.arrived()]).then(() => {
        isWriting = false
      })
      // After that many turns, the process is waiting for something outside.
      await (turns < 200 ? realTime.turn() : realTime.sleep(1))
      const resources = process.getActiveResourcesInfo()
      if (news !== this.#allNews) this.#lastNews = realTime.now()
      const isQuiet = news === this.#allNews && !isWriting && !this.#isBusy(resources)
      quiet = isQuiet ? quiet + 1 : 0
      if (quiet >= this.#turns) return
    }
  }

  /** Rises with whatever happens in the run. */
  get #allNews(): number {
    return this.#news + this.#clock.set
  }

  #isBusy(resources: readonly string[]): boolean {
    // A request with a timer waits for a tick, or was delayed by a fault.
    if ([...this.#pending].some(({ timers }) => timers === 0)) return true
    if (this.#isOver) return false
    const mayBegin = this.#parameters.isFirst && this.#allNews === this.#newsBefore
    const mayLoad = mayBegin || workIn(resources) > this.#workBefore
    return mayLoad && realTime.now() - this.#lastNews < PATIENCE
  }

  #hang(): Error {
    const { now, start } = this.#clock
    const waits = [...this.#pending].map(({ name }) => `; without an answer: ${name}`).join('')
    const seconds = (now - start) / 1000
    return new Error(
      `The test hangs: it has not ended within ${seconds} s of the chain's time${waits}`,
    )
  }

  #record(): void {
    const { context, dispatch } = this.#devnet.parts
    const { clocks } = context
    const { events } = context.chain
    const log = (one: Occurrence) => {
      this.#news++
      this.#log.push(one)
    }
    events.ticked.add(({ executed, view, isAtSeal }) => {
      // Not visible before the seal, which is logged separately.
      if (isAtSeal) return
      log({
        kind: 'tick',
        block: Number(view.environment.number),
        tick: view.ticks - 1 + (clocks.faults?.omittedTicks ?? 0),
        // The message of index 0 opens the block.
        index: new Set(view.executed.map(({ tick }) => tick)).size,
        transactions: placedTransactions(executed),
        hasSockets: process.getActiveResourcesInfo().includes('TCPSocketWrap'),
      })
    })
    events.sealed.add(({ number, executed }) =>
      log({ kind: 'seal', block: number, transactions: placedTransactions(executed) }),
    )
    this.#devnet.on('fault', (fault) => log({ kind: 'fault', fault }))
    const { handleText } = dispatch
    // The server looks it up for each request.
    dispatch.handleText = (body, caller) => {
      this.#hasAnswered.sockets = true
      return this.#track('a request over a socket', async () => handleText(body, caller))
    }
  }

  /** A provider of the run; no fault acts on the answers to the test's. */
  #provider(whose: 'app' | 'test'): Provider {
    const { dispatch, abort, context } = this.#devnet.parts
    const running = { dispatch, signal: abort.signal, isSpared: whose === 'test' }
    const provider = new InProcessProvider(() => running, new ProcessHold(), reportInternalError)
    const request = provider.request.bind(provider)
    const subscriptions = new Map<unknown, number>()
    const see = (...values: unknown[]) => {
      // If the app sends no requests, the test is taken for it.
      const isSeen = whose === 'app' || !this.#hasAnswered.app
      if (isSeen && !this.#isOver) this.#seen.update(JSON.stringify(values))
    }
    provider.on('message', ({ data }) => {
      this.#news++
      // The parameters of a notification, which the node has written itself.
      const { subscription, result } = data as { subscription: unknown; result: unknown }
      see(subscriptions.get(subscription), result)
    })
    const answer = async (args: RequestArguments) => {
      const isSubscription = args.method === 'eth_subscribe'
      try {
        const result = await request(args)
        if (isSubscription) subscriptions.set(result, subscriptions.size)
        // The id of a subscription is random.
        see(args.method, isSubscription || result)
        return result
      } catch (error) {
        see(args.method, reasonOf(error))
        throw error
      }
    }
    provider.request = (args) => {
      const { method } = args
      if (whose === 'app' && !this.#isOver) {
        this.#hasAnswered.app = true
        const { ticks, environment } = context.chain.pending
        const tick = ticks + (context.clocks.faults?.omittedTicks ?? 0)
        this.#log.push({ kind: 'answer', method, block: Number(environment.number), tick })
      }
      return this.#ask(method, () => answer(args))
    }
    return provider
  }

  /** Wraps an object so that each call of its async functions is pending until it settles. */
  #tracked<Target extends object>(target: Target): Target {
    return new Proxy(target, {
      get: (_, name) => {
        const value: unknown = Reflect.get(target, name)
        if (typeof value !== 'function') return value
        return (...args: unknown[]) =>
          this.#ask(`clock.${String(name)}`, () => Reflect.apply(value, target, args))
      },
    })
  }

  /**
   * Asks the node for something. After the run there is no answer: an error would reach nobody, and
   * be reported as an unhandled one of a later test.
   */
  async #ask<Result>(name: string, run: () => Promise<Result>): Promise<Result> {
    const never = () => new Promise<never>(() => undefined)
    if (this.#isOver || isOfOtherRun(this.#clock)) return await never()
    try {
      return await this.#track(name, run)
    } finally {
      if (this.#isClosed) await never()
    }
  }

  /** Does something that is under way until it ends. */
  async #track<Result>(name: string, run: () => Promise<Result>): Promise<Result> {
    const pending: Pending = { name, timers: 0 }
    this.#pending.add(pending)
    this.#news++
    try {
      return await this.#clock.run(run, pending)
    } finally {
      this.#pending.delete(pending)
      this.#news++
    }
  }
}

function workIn(resources: readonly string[]): number {
  return resources.filter((name) => WORK.test(name)).length
}

/** Transactions that anybody has sent. */
function placedTransactions(executed: readonly ExecutedTransaction[]): PlacedTransaction[] {
  return executed.flatMap(({ transaction: { deposit, hash, nonce, sender } }) =>
    deposit === undefined ? { hash, from: sender, nonce: Number(nonce) } : [],
  )
}

/** Shows the rules, but sets none: they are the schedule. */
function faultsOf(devnet: Devnet): Devnet['faults'] {
  return async (script) => {
    if (script === undefined) return await devnet.faults()
    throw new RefusedError(
      'explore sets the faults of its runs: to set your own, run the test without explore',
    )
  }
}
