import { inWords, type RpcFailure } from './answers.ts'

/** A JSON-RPC request, and how patiently it is asked. */
export interface Question<Value> {
  readonly method: string
  readonly params: readonly unknown[]
  /** Reads the result. What it throws counts as a fault of the upstream, which is asked again. */
  read(result: unknown): Value
  /** Number of attempts after which an error that the upstream answers is told. Default: 1 */
  readonly attemptsOn?: (failure: RpcFailure) => number
  /** True if the batch must hold an answer that {@link Guard} accepts. */
  readonly isGuarded?: boolean
  /** Number of times that it is sent if it gets nothing that can be used. Default: 5 */
  readonly attempts?: number
  /** True if one attempt may take all of the timeout. */
  readonly isSlow?: boolean
  /** True if it goes in an HTTP request of its own. */
  readonly isAlone?: boolean
  /** Called with the answer: ms that its HTTP request took, and that the fastest request took. */
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

/** There was no usable answer; the message says why and how often it was tried. */
export class NoAnswer extends Error {
  readonly transient: boolean

  constructor(message: string, transient: boolean) {
    super(message)
    this.transient = transient
  }
}

/** The upstream answered an error. */
export class FailureAnswer extends NoAnswer {
  readonly failure: RpcFailure
  readonly attempts: number

  constructor(failure: RpcFailure, attempts: number) {
    super(inWords(failure), false)
    this.failure = failure
    this.attempts = attempts
  }
}
