import type { IncomingMessage } from 'node:http'
import express, { type RequestHandler } from 'express'
import { LimitError } from '../../primitives/errors.ts'
import { createTextHandler, type InternalErrorListener } from '../../rpc/jsonRpc.ts'
import type { Caller } from '../../rpc/method.ts'
import { type AccessOptions, createAccess, pageOrigin } from '../../server/access.ts'
import type { Routes } from '../../server/app.ts'
import { createHttpEndpoint } from '../../server/httpEndpoint.ts'
import type { ServerLimits } from '../../server/limits.ts'
import { respondFile } from '../../server/pageFile.ts'
import { PART, pageHandler, pagePartHandler } from '../../server/pageHandlers.ts'
import {
  corsHeaders,
  pathOf,
  refuseUpgrade,
  respondPreflight,
  respondText,
} from '../../server/respond.ts'
import { createSocketEndpoint, type SocketUse } from '../../server/socketEndpoint.ts'
import { SESSION_PATH } from '../connectWallet.ts'
import type { WalletClient } from '../core/types.ts'
import type { WalletHandle } from '../core/walletHandle.ts'
import { findMethod } from '../core/walletMethods.ts'
import { providerFile } from './browserFiles.ts'
import { createControlApi } from './controlApi.ts'

interface WalletRoutesOptions {
  readonly handle: WalletHandle
  readonly access: AccessOptions
  readonly limits: ServerLimits
  readonly onInternalError: InternalErrorListener
}

const CONTROL = '/wallet/control'
const SESSION = new RegExp(`^${SESSION_PATH}$`)
const PROVIDER = new RegExp(`^${SESSION_PATH}/provider\\.js$`)

/**
 * All routes below `/wallet`. Web pages may use the endpoints of sessions and the provider script,
 * which have CORS headers. The approval page and the control API refuse other pages.
 */
export function createWalletRoutes(options: WalletRoutesOptions): Routes {
  const { handle, limits, onInternalError } = options
  const access = createAccess(options.access, false)
  const control = createControlApi(handle, limits, onInternalError)
  const rpc = createHttpEndpoint(limits.maxBodySize)
  const sockets = createSocketEndpoint(limits, onInternalError)

  /** Looks up the session for each request, since an idle one may have been dropped. */
  async function openSession(name = 'default'): Promise<SocketUse> {
    const wallet = await handle.wallet()
    return {
      handler: createTextHandler({
        invoke: async (method, params, caller) => {
          const request = { name: method, method: await findMethod(method), params }
          return wallet.session(name).request(request, toClient(caller))
        },
        onInternalError,
      }),
      onConnect(connection) {
        try {
          wallet.session(name).attach(connection, connection.origin ?? null)
        } catch (error) {
          if (!(error instanceof LimitError)) throw error
          connection.refuse(error.message)
        }
      },
    }
  }

  function refusalOf({ headers: { host, origin } }: IncomingMessage): string | undefined {
    return access.refusal(host, origin)
  }

  const router = express.Router({ strict: true, caseSensitive: true })
  router.use('/wallet', (request, response, next) => {
    const refusal = refusalOf(request)
    if (refusal === undefined) next()
    else respondText(response, 403, refusal)
  })
  router.all(CONTROL, control.handle)
  router
    .route(SESSION)
    .options(respondPreflight)
    .post(async (request, response) => {
      const { handler } = await openSession(request.params[0])
      rpc.handle(request, response, handler)
    })
    .get((_request, response) => {
      // The browser carries the fragment of the URL, which holds the token, over the redirect.
      respondText(response, 302, 'The approval page is at /wallet/.', { Location: '/wallet/' })
    })
    .all(refuseMethod)
  router
    .route(PROVIDER)
    .get(({ headers }, response) => {
      const { host, origin } = headers
      const refusal = access.refusal(host, pageOrigin(headers))
      if (refusal !== undefined) {
        respondText(response, 403, refusal)
        return
      }
      const cors = origin === undefined ? {} : corsHeaders(origin)
      respondFile(response, providerFile(), cors)
    })
    .all(refuseMethod)
  router.route('/wallet/').get(pageHandler('wallet')).all(refuseMethod)
  router.route(PART).get(pagePartHandler('wallet')).all(refuseMethod)
  router.use('/wallet', (_request, response) => {
    respondText(response, 404, 'Nothing here; the wallet is at /wallet, its page at /wallet/.')
  })

  return {
    router,
    upgrade(request, socket, head) {
      const refusal = refusalOf(request)
      const path = pathOf(request.url)
      const session = SESSION.exec(path)
      if (refusal !== undefined) refuseUpgrade(socket, '403 Forbidden', refusal)
      else if (path === CONTROL) control.upgrade(request, socket, head)
      else if (session === null) refuseUpgrade(socket, '404 Not Found', 'The wallet is at /wallet.')
      else {
        openSession(session[1]).then(
          (use) => sockets.upgrade(request, socket, head, use),
          (error: unknown) => {
            onInternalError(error, 'WebSocket upgrade')
            refuseUpgrade(socket, '500 Internal Server Error', 'The node cannot open a WebSocket.')
          },
        )
      }
    },
    close() {
      rpc.close()
      sockets.close()
      control.close()
    },
  }
}

/** The signal is a getter because the caller creates it on first use, and few requests need it. */
function toClient(caller: Caller): WalletClient {
  return {
    origin: caller.origin ?? null,
    get signal() {
      return caller.signal
    },
    subscribe: () => caller.subscribe(),
  }
}

const refuseMethod: RequestHandler = (request, response) =>
  respondText(response, 405, `${request.method} is not answered here.`)
