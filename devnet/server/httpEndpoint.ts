import type { IncomingMessage, ServerResponse } from 'node:http'
import { LimitError } from '../errors.ts'
import type { Dispatch } from '../rpc/dispatch.ts'
import { errorText, NO_ID } from '../rpc/message.ts'
import { readBody } from './body.ts'
import { corsHeaders } from './cors.ts'
import { RequestCaller, RequestGivenUpError } from './requestCaller.ts'
import { respondText } from './respond.ts'

/** JSON-RPC over POST. */
export interface HttpEndpoint {
  handle(request: IncomingMessage, response: ServerResponse): void
  /** Gives up the requests under way; what is still answered closes its connection. */
  close(): void
}

const JSON_TYPE = /^application\/json\s*(?:;|$)/i

/** Makes the endpoint of one server. */
export function createHttpEndpoint(
  dispatch: Pick<Dispatch, 'handleText'>,
  maxBodySize: number,
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
    const headers: Record<string, string | number> = origin === undefined ? {} : corsHeaders(origin)
    if (text !== undefined) {
      headers['Content-Type'] = 'application/json'
      headers['Content-Length'] = Buffer.byteLength(text)
    }
    if (isClosing) headers.Connection = 'close'
    response.writeHead(status, headers)
    response.end(text)
  }

  function answer(body: string, origin: string | undefined, response: ServerResponse): void {
    const caller = new RequestCaller(origin)
    const text = dispatch.handleText(body, caller)
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
    handle(request, response) {
      const { origin, 'content-type': type } = request.headers
      const isJson = type === undefined ? origin === undefined : JSON_TYPE.test(type)
      if (!isJson) {
        const headers = origin === undefined ? {} : corsHeaders(origin)
        respondText(response, 415, UNSUPPORTED_TYPE, headers)
        return
      }
      readBody(request, maxBodySize, (body) => {
        if (body === undefined) {
          const error = new LimitError(`the request body is over the limit of ${maxBodySize} bytes`)
          respond(response, 413, origin, errorText(NO_ID, error))
        } else {
          answer(body, origin, response)
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
