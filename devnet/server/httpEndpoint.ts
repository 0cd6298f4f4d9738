import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { Readable } from 'node:stream'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { LimitError } from '../primitives/errors.ts'
import { JsonText, PIECE } from '../primitives/jsonText.ts'
import { type Answer, errorText, NO_ID, type TextHandler } from '../rpc/jsonRpc.ts'
import { RequestCaller, requestGivenUp } from './requestCaller.ts'
import { requestTurns } from './requestTurns.ts'
import { corsHeaders, respondText } from './respond.ts'

const FIRST_SIZE = 64 * 1024

/**
 * Reads the body of a request and calls `done` with its text, or with `undefined` as soon as it
 * exceeds `limit` bytes; the rest is then discarded. Does not call `done` if the client hangs up.
 */
function readBody(
  request: IncomingMessage,
  limit: number,
  done: (body: string | undefined) => void,
): void {
  if (Number(request.headers['content-length']) > limit) {
    done(undefined)
    return
  }
  let body: Buffer = Buffer.alloc(0)
  let size = 0

  function onData(chunk: Buffer): void {
    const end = size + chunk.length
    if (end > limit) {
      request.off('data', onData).off('end', onEnd).resume()
      done(undefined)
      return
    }
    if (size === 0) body = chunk
    else {
      // A full buffer doubles in size, because a client may send the body byte by byte.
      if (end > body.length) {
        const larger = Buffer.allocUnsafe(Math.max(FIRST_SIZE, 2 * body.length, end))
        body.copy(larger, 0, 0, size)
        body = larger
      }
      chunk.copy(body, size)
    }
    size = end
  }

  const onEnd = (): void => done(body.toString('utf8', 0, size))

  request.on('data', onData).on('end', onEnd)
}

/** The parts of a long answer, one in each turn of the event loop. */
async function* onePerTurn(parts: Iterable<Buffer>): AsyncGenerator<Buffer, void> {
  for (const part of parts) {
    yield part
    await nextTurn()
  }
}

/** ms for which an answer waits at most while others are made. */
const LONGEST_WAIT = 1

/**
 * Writes answers. If several clients send at the same time, the answers of one turn of the event
 * loop are written together: waking a sleeping client takes as long as a short request, and the
 * following writes find it awake.
 */
class AnswerWriter {
  #waiting: (() => void)[] = []
  /** Time at which the first of the waiting answers was ready. */
  #since = 0
  #lastSocket: Socket | null = null

  /** @param write - writes the answer */
  add(socket: Socket | null, write: () => void): void {
    const isAlone = socket === this.#lastSocket
    this.#lastSocket = socket
    if (isAlone && this.#waiting.length === 0) {
      write()
      return
    }
    const now = performance.now()
    if (this.#waiting.push(write) === 1) {
      this.#since = now
      setImmediate(() => this.#writeAll())
    } else if (now - this.#since > LONGEST_WAIT) this.#writeAll()
  }

  #writeAll(): void {
    const writes = this.#waiting
    this.#waiting = []
    for (const write of writes) write()
  }
}

const JSON_TYPE = /^application\/json\s*(?:;|$)/i

/** @param isReadable - whether answers have CORS headers, so that allowed pages can read them */
export function createHttpEndpoint(maxBodySize: number, isReadable = true) {
  /** Requests without an answer yet. */
  const underWay = new Set<RequestCaller>()
  const writer = new AnswerWriter()
  let isClosing = false

  function respond(
    response: ServerResponse,
    status: number,
    origin: string | undefined,
    answer: Answer,
  ): void {
    writer.add(response.socket, () => {
      const headers: Record<string, string | number> = headersFor(origin)
      const isLong = answer !== undefined && answer.length > PIECE
      const body = isLong && typeof answer === 'string' ? new JsonText(answer) : answer
      if (body !== undefined) {
        const size = typeof body === 'string' ? Buffer.byteLength(body) : body.byteLength()
        headers['Content-Type'] = 'application/json'
        headers['Content-Length'] = size
      }
      if (isClosing) headers.Connection = 'close'
      response.writeHead(status, headers)
      if (isLong && body instanceof JsonText) {
        Readable.from(onePerTurn(body.encode())).pipe(response)
      } else response.end(body?.toString())
    })
  }

  function headersFor(origin: string | undefined): Record<string, string> {
    return origin === undefined || !isReadable ? {} : corsHeaders(origin)
  }

  function answer(
    body: string,
    origin: string | undefined,
    response: ServerResponse,
    handler: TextHandler,
  ): void {
    // Nobody reads the answer.
    if (response.destroyed) return
    const caller = new RequestCaller(origin)
    const text = handler.handleText(body, caller)
    const statusOf = (later: Answer) => caller.status ?? (later === undefined ? 204 : 200)
    if (!(text instanceof Promise)) {
      respond(response, statusOf(text), origin, text)
      return
    }
    underWay.add(caller)
    response.once('close', () => {
      underWay.delete(caller)
      if (!response.writableFinished) caller.giveUp(requestGivenUp('the client hung up'))
    })
    text.then((later) => respond(response, statusOf(later), origin, later))
  }

  return {
    handle(request: IncomingMessage, response: ServerResponse, handler: TextHandler): void {
      const { origin, 'content-type': type } = request.headers
      const isJson = type === undefined ? origin === undefined : JSON_TYPE.test(type)
      if (!isJson) {
        respondText(response, 415, UNSUPPORTED_TYPE, headersFor(origin))
        return
      }
      readBody(request, maxBodySize, (body) => {
        if (body === undefined) {
          const error = new LimitError(`the request body is over the limit of ${maxBodySize} bytes`)
          respond(response, 413, origin, errorText(NO_ID, error))
        } else requestTurns.begin({ takeNext: () => answer(body, origin, response, handler) })
      })
    },
    /** Cancels the requests under way; answers from now on close their connections. */
    close(): void {
      isClosing = true
      for (const caller of underWay) caller.giveUp(requestGivenUp('the node is stopping'))
    },
  }
}

// Browsers let any page post a form to another site, but JSON only after a CORS preflight.
const UNSUPPORTED_TYPE =
  'JSON-RPC requests need the header "Content-Type: application/json"; for curl, add -H \'Content-Type: application/json\'.'
