import type { IncomingMessage, ServerResponse } from 'node:http'
import {
  createTextHandler,
  type InternalErrorListener,
  type TextHandler,
} from '../../rpc/jsonRpc.ts'
import { createHttpEndpoint } from '../../server/httpEndpoint.ts'
import type { ServerLimits } from '../../server/limits.ts'
import { refuseUpgrade, respondText } from '../../server/respond.ts'
import type { Site } from '../../server/sites.ts'
import type { SocketConnection } from '../../server/socketConnection.ts'
import { createSocketEndpoint } from '../../server/socketEndpoint.ts'
import type { WalletHandle } from '../core/walletHandle.ts'

/** The control API: for whoever has the token, and for no page but the approval page. */
export function createControlEdge(
  handle: WalletHandle,
  limits: ServerLimits,
  onInternalError: InternalErrorListener,
): Site {
  const handler = createTextHandler({
    invoke: (method, params, { origin, signal }) =>
      handle.control(method, params, { by: origin === undefined ? 'control' : 'page', signal }),
    onInternalError,
  })
  const rpc = createHttpEndpoint(handler, limits.maxBodySize, false)
  const sockets = createSocketEndpoint(handler, limits, onInternalError)

  /** The first message must hold the token, for a browser can give a WebSocket no header. */
  function guarded(connection: () => SocketConnection | undefined): TextHandler {
    let isAdmitted = false
    return {
      async handleText(body, caller) {
        if (isAdmitted) return handler.handleText(body, caller)
        const open = connection()
        if (open === undefined || !handle.isToken(tokenIn(body))) {
          open?.refuse('the first message must be {"token":"…"} with the token of this run')
          return undefined
        }
        isAdmitted = true
        await pushChanges(open)
        return undefined
      },
    }
  }

  /** Tells of changes, once for all that one turn of the event loop brings. */
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
          connection.notify('control_changed', JSON.stringify({ session: name }))
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
      } else if (!handle.isToken(bearer(request))) respondUnauthorized(response)
      else rpc.handle(request, response)
    },
    upgrade(request, socket, head) {
      const refusal = refusalOf(request)
      if (refusal !== undefined) {
        refuseUpgrade(socket, '403 Forbidden', refusal)
        return
      }
      let open: SocketConnection | undefined
      sockets.upgrade(request, socket, head, {
        handler: guarded(() => open),
        onConnect(connection) {
          open = connection
        },
      })
    },
    close() {
      rpc.close()
      sockets.close()
    },
  }
}

/** A page must not approve what it has asked itself, not even one that knows the token. */
function refusalOf({ headers: { host, origin } }: IncomingMessage): string | undefined {
  if (origin === undefined || origin === `http://${host}`) return undefined
  return 'Pages may not use the control API: approve at /wallet/, or from a script or a terminal.'
}

function bearer({ headers: { authorization = '' } }: IncomingMessage): string {
  return /^Bearer (\S+)$/i.exec(authorization)?.[1] ?? ''
}

function respondUnauthorized(response: ServerResponse): void {
  const sentence =
    'The control API needs the header "Authorization: Bearer <token>": the node prints the token in the address of the approval page when it starts, and devnet.wallet.token holds it.'
  respondText(response, 401, sentence, { 'WWW-Authenticate': 'Bearer' })
}

/** The token in the first message of a socket. */
function tokenIn(body: string): string {
  try {
    const message: unknown = JSON.parse(body)
    if (typeof message === 'object' && message !== null && 'token' in message) {
      return String(message.token)
    }
  } catch {
    // No JSON holds no token.
  }
  return ''
}
