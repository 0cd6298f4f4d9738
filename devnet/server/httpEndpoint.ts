import type { IncomingMessage, ServerResponse } from 'node:http'
import { LimitError } from '../errors.ts'
import type { Dispatch } from '../rpc/dispatch.ts'
import { errorText, NO_ID } from '../rpc/message.ts'
import { readBody } from './body.ts'
import { corsHeaders } from './cors.ts'
import { RequestCaller, RequestGivenUpError } from './requestCaller.ts'
import { respondText } from './respond.ts'

/** Answers JSON-RPC as text. */
export type TextHandler = Pick<Dispatch, 'handleText'>

/** JSON-RPC over POST. */
export interface HttpEndpoint {
  /** @param handler - answers in place of the one that the endpoint was made with */
  handle(request: IncomingMessage, response: ServerResponse, handler?: TextHandler): void
  /** Gives up the requests under way; what is still answered closes its connection. */
  close(): void
}

const JSON_TYPE = /^application\/json\s*(?:;|$)/i

/**
 * Makes the endpoint of one server.
 *
 * @param isReadable - whether pages of allowed origins may read the answers
 */
export function createHttpEndpoint(
  dispatch: TextHandler,
  maxBodySize: number,
  isReadable = true,
): HttpEndpoint {
  /** Only those that did not answer at once. */
  const underWay = new Set<RequestCaller>()
  let isClosing = false

  function respond(
    response: ServerResponse,
    status: number,
    origin: string | undefined,
    text: string | undefined,
  ): void {
    const headers: Record<string, string | number> = headersFor(origin)
    if (text !== undefined) {
      headers['Content-Type'] = 'application/json'
      headers['Content-Length'] = Buffer.byteLength(text)
    }
    if (isClosing) headers.Connection = 'close'
    response.writeHead(status, headers)
    response.end(text)
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
    const caller = new RequestCaller(origin)
    const text = handler.handleText(body, caller)
    if (!(text instanceof Promise)) {
      respond(response, text === undefined ? 204 : 200, origin, text)
      return
    }
    underWay.add(caller)
    response.once('close', () => {
      underWay.delete(caller)
      if (!response.writableFinished) caller.giveUp(new RequestGivenUpError('the client hung up'))
    })
    text.then((later) => respond(response, later === undefined ? 204 : 200, origin, later))
  }

  return {
    handle(request, response, handler = dispatch) {
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
        } else {
          answer(body, origin, response, handler)
        }
      })
    },
    close() {
      isClosing = true
      for (const caller of underWay) caller.giveUp(new RequestGivenUpError('the node is stopping'))
    },
  }
}

// Forms can be posted to another site without its consent, but not as JSON.
const UNSUPPORTED_TYPE =
  'JSON-RPC requests need the header "Content-Type: application/json"; for curl, add -H \'Content-Type: application/json\'.'
