import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { memoize } from '../primitives/memo.ts'
import { Rota } from './rota.ts'

/** Requests that wait, of HTTP and of WebSocket. `takeNext` returns true if there are more. */
export const requestTurns = new Rota(
  (connection: { takeNext(): unknown }) => connection.takeNext() === true,
)

type Handle = (request: IncomingMessage, response: ServerResponse) => void

/**
 * Handles the requests of each connection one after the other: one that comes before the last is
 * answered (HTTP pipelining) waits, and no more is read from its connection until then.
 */
export function oneByOne(handle: Handle): Handle {
  const pipelineOf = memoize((socket: Socket) => new Pipeline(socket, handle))
  return (request, response) => pipelineOf(request.socket).take(request, response)
}

class Pipeline {
  readonly #socket: Socket
  readonly #handle: Handle
  #last: ServerResponse | undefined
  #waiting: (readonly [IncomingMessage, ServerResponse])[] = []

  constructor(socket: Socket, handle: Handle) {
    this.#socket = socket
    this.#handle = handle
  }

  take(request: IncomingMessage, response: ServerResponse): void {
    if (this.#waiting.length === 0 && this.#last?.writableFinished !== false) {
      this.#start(request, response)
      return
    }
    if (this.#waiting.push([request, response]) > 1) return
    this.#last?.once('close', this.#queueTurn)
    // node:http resumes the socket whenever a body is read.
    this.#socket.on('resume', this.#pause).pause()
  }

  takeNext(): void {
    // Nobody reads the answers.
    if (this.#socket.destroyed) this.#waiting = []
    const next = this.#waiting.shift()
    if (next === undefined) return
    if (this.#waiting.length > 0) next[1].once('close', this.#queueTurn)
    else this.#socket.off('resume', this.#pause).resume()
    this.#start(...next)
  }

  readonly #queueTurn = (): void => requestTurns.begin(this)

  readonly #pause = (): void => {
    this.#socket.pause()
  }

  #start(request: IncomingMessage, response: ServerResponse): void {
    this.#last = response
    this.#handle(request, response)
  }
}
