import type { IncomingMessage, ServerResponse } from 'node:http'
import { plainText } from '../primitives/errors.ts'
import { isObject, jsonIn } from '../primitives/json.ts'
import type { InternalErrorListener, TextHandler } from '../rpc/jsonRpc.ts'
import type { AccessToken } from './accessToken.ts'
import type { Routes } from './app.ts'
import { createHttpEndpoint } from './httpEndpoint.ts'
import type { ServerLimits } from './limits.ts'
import { refuseUpgrade, respondText } from './respond.ts'
import type { SocketConnection } from './socketConnection.ts'
import { createSocketEndpoint, type SocketUse } from './socketEndpoint.ts'

/** JSON-RPC over POST and WebSocket. Requires a token; refuses other origins' pages. */
export interface TokenApi extends Omit<Routes, 'router'> {
  handle(request: IncomingMessage, response: ServerResponse): void
}

interface TokenApiOptions {
  readonly token: AccessToken
  readonly handler: TextHandler
  readonly limits: ServerLimits
  readonly onInternalError: InternalErrorListener
  /** Called with each WebSocket whose first message was the token. */
  onAdmit(connection: SocketConnection): unknown
  readonly sentences: {
    /** For pages of other origins. */
    readonly foreign: string
    /** For requests without the token. */
    readonly unauthorized: string
    /** For HTTP methods other than POST. */
    readonly method: string
  }
}

const NO_TOKEN = 'the first message must be {"token":"…"} with the token of this run'

export function createTokenApi(options: TokenApiOptions): TokenApi {
  const { token, handler, limits, onInternalError, sentences } = options
  const rpc = createHttpEndpoint(limits.maxBodySize, false)
  const sockets = createSocketEndpoint(limits, onInternalError)

  /** Takes the token from the first message, since browsers cannot add headers to a WebSocket. */
  function afterToken(): SocketUse {
    let connection: SocketConnection | undefined
    let isAdmitted = false
    return {
      strangerRefusal: NO_TOKEN,
      onConnect(opened) {
        connection = opened
      },
      handler: {
        async handleText(body, caller) {
          if (isAdmitted) return handler.handleText(body, caller)
          if (connection === undefined || !token.is(tokenIn(body))) {
            connection?.refuse(NO_TOKEN)
            return undefined
          }
          isAdmitted = sockets.admit(connection)
          if (isAdmitted) await options.onAdmit(connection)
          return undefined
        },
      },
    }
  }

  return {
    handle(request, response) {
      if (isForeign(request)) respondText(response, 403, sentences.foreign)
      else if (request.method !== 'POST') {
        respondText(response, 405, sentences.method, { Allow: 'POST' })
      } else if (token.is(bearer(request))) rpc.handle(request, response, handler)
      else respondText(response, 401, sentences.unauthorized, { 'WWW-Authenticate': 'Bearer' })
    },
    upgrade(request, socket, head) {
      if (isForeign(request)) refuseUpgrade(socket, '403 Forbidden', sentences.foreign)
      else sockets.upgrade(request, socket, head, afterToken())
    },
    close() {
      rpc.close()
      sockets.close()
    },
  }
}

/** True if a page of another origin asks: none may, not even one that knows the token. */
function isForeign({ headers }: IncomingMessage): boolean {
  const site = headers['sec-fetch-site']
  return !isOwnOrigin(headers) || (site !== undefined && site !== 'same-origin')
}

/** True if the request has no Origin, or that of a page at the same address. */
export function isOwnOrigin({ host, origin }: IncomingMessage['headers']): boolean {
  return origin === undefined || origin === `http://${host}`
}

function bearer({ headers: { authorization = '' } }: IncomingMessage): string {
  return /^Bearer (\S+)$/i.exec(authorization)?.[1] ?? ''
}

/** The token in the first message of a socket; empty if there is none. */
function tokenIn(body: string): string {
  const message = jsonIn(body)
  return isObject(message) && 'token' in message ? plainText(message.token) : ''
}
