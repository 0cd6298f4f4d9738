import { type DevnetError, InvalidParamsError } from '../../primitives/errors.ts'
import type { Hex } from '../../primitives/hex.ts'
import type { HistoryEntry, PendingRequest } from '../types.ts'
import type { WalletClock } from './walletClock.ts'

/** Who decided. */
export type Decider = HistoryEntry['decidedBy']

/** How a question to the person ended. */
export type Verdict =
  | { readonly decision: 'approved'; readonly by: Decider; readonly account?: Hex | undefined }
  | {
      readonly decision: 'rejected' | 'expired' | 'withdrawn'
      readonly by: Decider
      readonly error: DevnetError
    }

/** Something to be decided. */
export interface Question {
  readonly request: PendingRequest
  /** Whether it means the chain that is active now, so that it ends when another one becomes active. */
  readonly isChainBound: boolean
  /** Resolves when the client has been answered. */
  readonly answered: Promise<void>
  /** Aborts when the client hangs up; `reason` is the error then. */
  readonly signal: AbortSignal
  readonly withdrawn: () => Verdict
  readonly expired: () => Verdict
  /** What happens by itself, after ms. */
  readonly planned: { readonly delay: number; readonly verdict: Verdict } | undefined
}

interface Entry {
  readonly question: Question
  settle(verdict: Verdict): void
}

/** There is no such request, or it has been decided: code -32602. */
export class NotPendingError extends InvalidParamsError {
  override name = 'NotPendingError'
  constructor(id: string) {
    super(`no request ${id.slice(0, 40)} waits: it may have been decided, withdrawn or expired`)
  }
}

/** The requests that wait for the person. */
export class Queue {
  readonly #clock: WalletClock
  readonly #onChange: () => void
  readonly #entries = new Map<string, Entry>()

  constructor(clock: WalletClock, onChange: () => void) {
    this.#clock = clock
    this.#onChange = onChange
  }

  /** The oldest first. */
  list(): PendingRequest[] {
    return [...this.#entries.values()].map(({ question }) => question.request)
  }

  /** Waits for the decision. */
  ask(question: Question): Promise<Verdict> {
    const { request, signal, planned, withdrawn, expired } = question
    const { promise, resolve } = Promise.withResolvers<Verdict>()
    const ends: (() => void)[] = []
    const settle = (verdict: Verdict): void => {
      if (!this.#entries.delete(request.id)) return
      for (const end of ends) end()
      resolve(verdict)
      this.#onChange()
    }
    if (signal.aborted) return Promise.resolve(withdrawn())
    this.#entries.set(request.id, { question, settle })
    const onAbort = (): void => settle(withdrawn())
    signal.addEventListener('abort', onAbort, { once: true })
    ends.push(() => signal.removeEventListener('abort', onAbort))
    if (planned !== undefined) {
      ends.push(this.#clock.after(planned.delay, () => settle(planned.verdict)))
    }
    if (request.deadline !== null) {
      const left = request.deadline - this.#clock.now()
      ends.push(this.#clock.after(left, () => settle(expired())))
    }
    this.#onChange()
    return promise
  }

  /** Decides; resolves when the client has been answered. @throws {NotPendingError} */
  async decide(id: string, verdict: Verdict): Promise<void> {
    const entry = this.#entries.get(id)
    if (entry === undefined) throw new NotPendingError(id)
    entry.settle(verdict)
    await entry.question.answered
  }

  /** Decides all that `which` says. */
  decideAll(which: (question: Question) => boolean, verdict: () => Verdict): void {
    for (const { question, settle } of [...this.#entries.values()]) {
      if (which(question)) settle(verdict())
    }
  }
}
