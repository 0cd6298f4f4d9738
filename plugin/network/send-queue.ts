import { AsyncLocalStorage } from 'node:async_hooks'

/**
 * Lets one send after the other through Hardhat's handlers: what a test sends without awaiting each gets its nonces in the
 * order of the calls, as on Hardhat's own network. Together they would overtake one another, on as many sockets.
 */
export class SendQueue {
  readonly #sending = new AsyncLocalStorage<true>()
  #last: Promise<unknown> = Promise.resolve()

  run<Answer>(send: () => Promise<Answer>): Promise<Answer> {
    // What a handler sends on the way of another send would wait for itself.
    if (this.#sending.getStore() === true) return send()
    const answer = this.#last.then(() => this.#sending.run(true, send))
    // Whoever asked for it gets the error; the next one is sent all the same.
    this.#last = answer.catch(() => undefined)
    return answer
  }
}
