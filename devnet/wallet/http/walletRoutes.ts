import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import type { InternalErrorListener } from '../../rpc/jsonRpc.ts'
import { type AccessOptions, createAccess } from '../../server/access.ts'
import { createHttpEndpoint } from '../../server/httpEndpoint.ts'
import type { ServerLimits } from '../../server/limits.ts'
import {
  corsHeaders,
  pathOf,
  refuseUpgrade,
  respondPreflight,
  respondText,
} from '../../server/respond.ts'
import type { Site } from '../../server/sites.ts'
import { createSocketEndpoint } from '../../server/socketEndpoint.ts'
import type { WalletHandle } from '../core/walletHandle.ts'
import { createControlEdge } from './controlRoute.ts'
import { createPageFiles } from './pageFiles.ts'
import { createSessionDoors } from './sessionRoutes.ts'

/** Options of {@link createWalletSite}. */
export interface WalletSiteOptions {
  readonly handle: WalletHandle
  readonly access: AccessOptions
  readonly limits: ServerLimits
  readonly onInternalError: InternalErrorListener
}

/** `/wallet` and `/wallet/s/<name>`, each with its provider script. */
const SESSION_PATH = /^\/wallet(?:\/s\/([A-Za-z0-9_-]{1,64}))?(\/provider\.js)?$/
const CONTROL_PATH = '/wallet/control'

/**
 * Everything under `/wallet`. What a page may reach is the endpoint and the provider script, with CORS headers for its origin;
 * the approval page and the control API answer nobody else's pages.
 */
export function createWalletSite(options: WalletSiteOptions): Site {
  const { handle, limits, onInternalError } = options
  const access = createAccess({ ...options.access, allowsExtensions: false })
  const doors = createSessionDoors(handle, onInternalError)
  const control = createControlEdge(handle, limits, onInternalError)
  const files = createPageFiles()
  const rpc = createHttpEndpoint(NOBODY, limits.maxBodySize)
  const sockets = createSocketEndpoint(NOBODY, limits, onInternalError)

  async function handleSession(
    name: string,
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<void> {
    if (request.method === 'OPTIONS') respondPreflight(request, response)
    else if (request.method === 'POST') {
      rpc.handle(request, response, (await doors.open(name)).handler)
    } else if (request.method === 'GET' || request.method === 'HEAD') {
      // A browser keeps the fragment, and with it the token.
      respondText(response, 302, 'The approval page is at /wallet/.', { Location: '/wallet/' })
    } else refuseMethod(request, response)
  }

  async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = pathOf(request.url)
    if (path === CONTROL_PATH) {
      control.handle(request, response)
      return
    }
    const session = SESSION_PATH.exec(path)
    const isFile = request.method === 'GET' || request.method === 'HEAD'
    if (session !== null && session[2] === undefined) {
      await handleSession(session[1] ?? 'default', request, response)
    } else if (session !== null && isFile) {
      const { origin } = request.headers
      await files.respondScript(response, origin === undefined ? {} : corsHeaders(origin))
    } else if (files.owns(path) && isFile) await files.respond(path, response)
    else if (session !== null || files.owns(path)) refuseMethod(request, response)
    else respondText(response, 404, 'Nothing here; the wallet is at /wallet, its page at /wallet/.')
  }

  return {
    handle(request, response) {
      const { host, origin } = request.headers
      const refusal = access.refusal(host, origin)
      if (refusal !== undefined) {
        respondText(response, 403, refusal)
        return
      }
      respond(request, response).catch((error: unknown) => {
        onInternalError(error, `${request.method} ${pathOf(request.url)}`)
        if (response.headersSent) response.destroy()
        else respondText(response, 500, 'Internal error.')
      })
    },
    upgrade(request, socket, head) {
      const { host, origin } = request.headers
      const refusal = access.refusal(host, origin)
      const path = pathOf(request.url)
      const session = SESSION_PATH.exec(path)
      if (refusal !== undefined) refuseUpgrade(socket, '403 Forbidden', refusal)
      else if (path === CONTROL_PATH) control.upgrade(request, socket, head)
      else if (session !== null && session[2] === undefined) {
        void upgradeSession(session[1] ?? 'default', request, socket, head)
      } else refuseUpgrade(socket, '404 Not Found', 'The wallet is at /wallet.')
    },
    close() {
      rpc.close()
      sockets.close()
      control.close()
    },
  }

  async function upgradeSession(
    name: string,
    request: IncomingMessage,
    socket: Duplex,
    head: Buffer,
  ): Promise<void> {
    try {
      sockets.upgrade(request, socket, head, await doors.open(name))
    } catch (error) {
      onInternalError(error, 'WebSocket upgrade')
      refuseUpgrade(socket, '500 Internal Server Error', 'The node cannot open a WebSocket.')
    }
  }
}

/** Each request brings the handler of its session. */
const NOBODY = {
  handleText(): never {
    throw new Error('A wallet endpoint without a session')
  },
}

function refuseMethod(request: IncomingMessage, response: ServerResponse): void {
  respondText(response, 405, `${request.method} is not answered here.`)
}
