import { type DevnetError, InvalidParamsError } from '../../primitives/errors.ts'
import type { Hex } from '../../primitives/hex.ts'
import type { HistoryEntry, PendingRequest, RequestSummary } from '../types.ts'
import { UserRejectedError } from './walletErrors.ts'

/** Wall time, independent of the chain's clocks. */
export interface WalletClock {
  /** ms since the epoch. */
  now(): number
  /** Calls `run` after `ms` milliseconds; returns a function that cancels the call. */
  after(ms: number, run: () => void): () => void
}

export type Decider = HistoryEntry['decidedBy']

export type Decision =
  | { readonly decision: 'approved'; readonly by: Decider; readonly account?: Hex | undefined }
  | {
      readonly decision: 'rejected' | 'expired' | 'withdrawn'
      readonly by: Decider
      readonly error: DevnetError
    }

export interface QueuedRequest {
  readonly request: PendingRequest
  /** True if the request is withdrawn when the active chain changes. */
  readonly isChainBound: boolean
  /** Resolves when the client has been answered. */
  readonly answered: Promise<void>
  /** Aborts when the client hangs up or the node stops. */
  readonly signal: AbortSignal
  readonly withdrawn: () => Decision
  readonly expired: () => Decision
  /** The policy's decision, taken after `delay` ms; `undefined` if the user decides. */
  readonly planned: { readonly delay: number; readonly decision: Decision } | undefined
}

interface Entry {
  queued: QueuedRequest
  settle(decision: Decision): void
}

export class Queue {
  readonly #clock: WalletClock
  readonly #onChange: () => void
  readonly #entries = new Map<string, Entry>()

  constructor(clock: WalletClock, onChange: () => void) {
    this.#clock = clock
    this.#onChange = onChange
  }

  /** Oldest first. */
  list(): PendingRequest[] {
    return [...this.#entries.values()].map(({ queued }) => queued.request)
  }

  ask(queued: QueuedRequest): Promise<Decision> {
    const { request, signal, planned, withdrawn, expired } = queued
    if (signal.aborted) return Promise.resolve(withdrawn())
    const { promise, resolve } = Promise.withResolvers<Decision>()
    const cleanUps: (() => void)[] = []
    const settle = (decision: Decision): void => {
      if (!this.#entries.delete(request.id)) return
      for (const cleanUp of cleanUps) cleanUp()
      resolve(decision)
      this.#onChange()
    }
    this.#entries.set(request.id, { queued, settle })
    const onAbort = (): void => settle(withdrawn())
    signal.addEventListener('abort', onAbort, { once: true })
    cleanUps.push(() => signal.removeEventListener('abort', onAbort))
    if (planned !== undefined) {
      cleanUps.push(this.#clock.after(planned.delay, () => settle(planned.decision)))
    }
    if (request.deadline !== null) {
      const left = request.deadline - this.#clock.now()
      cleanUps.push(this.#clock.after(left, () => settle(expired())))
    }
    this.#onChange()
    return promise
  }

  /** Replaces the summary of a request, if it is still waiting. */
  describe(id: string, summary: RequestSummary): void {
    const entry = this.#entries.get(id)
    if (entry === undefined) return
    entry.queued = { ...entry.queued, request: { ...entry.queued.request, summary } }
    this.#onChange()
  }

  /**
   * Decides a request; resolves when its client has been answered.
   *
   * @throws {InvalidParamsError} if no request with this id is waiting
   */
  async decide(id: string, decision: Decision): Promise<void> {
    const entry = this.#entries.get(id)
    if (entry === undefined) {
      throw new InvalidParamsError(
        `no request ${id.slice(0, 40)} is waiting: it may have been decided, withdrawn or expired`,
      )
    }
    entry.settle(decision)
    await entry.queued.answered
  }

  /** @param which - the requests to withdraw */
  withdraw(which: (queued: QueuedRequest) => boolean, by: Decider, reason: string): void {
    for (const { queued, settle } of [...this.#entries.values()]) {
      if (!which(queued)) continue
      settle({ decision: 'withdrawn', by, error: new UserRejectedError(reason) })
    }
  }
}
