import { ExecutionAbortedError } from '../../engine/pace.ts'
import { LimitError } from '../../errors.ts'

/** A trace grew beyond what the node keeps: code -32005. */
export class TraceTooLargeError extends LimitError {
  override name = 'TraceTooLargeError'
  constructor(limit: number) {
    super(
      `the trace is larger than ${limit} bytes; record less (limit: bytes of struct logs after which no more are recorded, disableStack, disableStorage, or another tracer, such as callTracer with onlyTopCall), or start the node with a larger --max-trace-size`,
    )
  }
}

/** Bounds the size of one answer: of one trace, or of those of a whole block. */
export class TraceBudget {
  readonly limit: number
  #left: number

  /** @param limit - bytes */
  constructor(limit: number) {
    this.limit = limit
    this.#left = limit
  }

  /** Whether more was asked for than there was. */
  get isExceeded(): boolean {
    return this.#left < 0
  }

  /**
   * Takes what a part of a trace is going to need.
   *
   * @throws {ExecutionAbortedError} where that is too much; whoever began the trace says so as {@link TraceTooLargeError}
   */
  spend(bytes: number): void {
    this.#left -= bytes
    if (this.#left < 0) throw new ExecutionAbortedError('the trace is too large')
  }
}
