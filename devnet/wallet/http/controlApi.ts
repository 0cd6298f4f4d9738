import type { IncomingMessage, ServerResponse } from 'node:http'
import { JsonText } from '../../primitives/jsonText.ts'
import { createTextHandler, type InternalErrorListener } from '../../rpc/jsonRpc.ts'
import type { Routes } from '../../server/app.ts'
import { createHttpEndpoint } from '../../server/httpEndpoint.ts'
import type { ServerLimits } from '../../server/limits.ts'
import { refuseUpgrade, respondText } from '../../server/respond.ts'
import type { SocketConnection } from '../../server/socketConnection.ts'
import { createSocketEndpoint, type SocketUse } from '../../server/socketEndpoint.ts'
import type { WalletHandle } from '../core/walletHandle.ts'

/** The control API over POST and WebSocket. Requires the token; refuses other origins' pages. */
interface ControlApi extends Omit<Routes, 'router'> {
  handle(request: IncomingMessage, response: ServerResponse): void
}

export function createControlApi(
  handle: WalletHandle,
  limits: ServerLimits,
  onInternalError: InternalErrorListener,
): ControlApi {
  const handler = createTextHandler({
    invoke: (method, params, { origin, signal }) =>
      handle.control(method, params, { by: origin === undefined ? 'control' : 'page', signal }),
    onInternalError,
  })
  const rpc = createHttpEndpoint(limits.maxBodySize, false)
  const sockets = createSocketEndpoint(limits, onInternalError)

  /** Takes the token from the first message, since browsers cannot add headers to a WebSocket. */
  function afterToken(): SocketUse {
    let connection: SocketConnection | undefined
    let isAdmitted = false
    return {
      onConnect(opened) {
        connection = opened
      },
      handler: {
        async handleText(body, caller) {
          if (isAdmitted) return handler.handleText(body, caller)
          if (connection === undefined || !handle.isToken(tokenIn(body))) {
            connection?.refuse('the first message must be {"token":"…"} with the token of this run')
            return undefined
          }
          isAdmitted = true
          await pushChanges(connection)
          return undefined
        },
      },
    }
  }

  /** Notifies the client of changed sessions, each at most once per turn of the event loop. */
  async function pushChanges(connection: SocketConnection): Promise<void> {
    const wallet = await handle.wallet().catch(() => undefined)
    if (wallet === undefined) {
      connection.refuse('the node is stopping')
      return
    }
    const changed = new Set<string>()
    const stop = wallet.onChange((session) => {
      changed.add(session)
      if (changed.size > 1) return
      setImmediate(() => {
        for (const name of changed) {
          connection.notify('control_changed', new JsonText(JSON.stringify({ session: name })))
        }
        changed.clear()
      })
    })
    connection.onClose(stop)
  }

  return {
    handle(request, response) {
      const refusal = refusalOf(request)
      if (refusal !== undefined) respondText(response, 403, refusal)
      else if (request.method !== 'POST') {
        respondText(response, 405, 'The control API takes POST.', { Allow: 'POST' })
      } else if (handle.isToken(bearer(request))) rpc.handle(request, response, handler)
      else respondText(response, 401, UNAUTHORIZED, { 'WWW-Authenticate': 'Bearer' })
    },
    upgrade(request, socket, head) {
      const refusal = refusalOf(request)
      if (refusal === undefined) sockets.upgrade(request, socket, head, afterToken())
      else refuseUpgrade(socket, '403 Forbidden', refusal)
    },
    close() {
      rpc.close()
      sockets.close()
    },
  }
}

/** Refuses other pages: none may approve its own requests, not even one that knows the token. */
function refusalOf({ headers: { host, origin } }: IncomingMessage): string | undefined {
  if (origin === undefined || origin === `http://${host}`) return undefined
  return 'Pages may not use the control API: approve at /wallet/, or from a script or a terminal.'
}

function bearer({ headers: { authorization = '' } }: IncomingMessage): string {
  return /^Bearer (\S+)$/i.exec(authorization)?.[1] ?? ''
}

const UNAUTHORIZED =
  'The control API needs the header "Authorization: Bearer <token>": the node prints the token in the address of the approval page when it starts, and devnet.wallet.token holds it.'

/** The token in the first message of a socket; empty if there is none. */
function tokenIn(body: string): string {
  try {
    const message: unknown = JSON.parse(body)
    if (typeof message === 'object' && message !== null && 'token' in message) {
      return String(message.token)
    }
  } catch {
    // Not JSON.
  }
  return ''
}
