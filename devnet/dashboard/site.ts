import type { IncomingMessage } from 'node:http'
import express from 'express'
import { createTextHandler, type InternalErrorListener } from '../rpc/jsonRpc.ts'
import { type AccessOptions, createAccess } from '../server/access.ts'
import type { Routes } from '../server/app.ts'
import type { ServerLimits } from '../server/limits.ts'
import { NOT_HERE, PART, pageHandler, pagePartHandler } from '../server/pageHandlers.ts'
import { pathOf, refuseUpgrade, respondText } from '../server/respond.ts'
import { createTokenApi, isOwnOrigin } from '../server/tokenApi.ts'
import type { DashboardHandle } from './handle.ts'
import { findQuery } from './queryTable.ts'

interface DashboardSiteOptions {
  readonly handle: DashboardHandle
  readonly access: AccessOptions
  readonly limits: ServerLimits
  readonly onInternalError: InternalErrorListener
}

const DASHBOARD = '/dashboard'
const API = `${DASHBOARD}/api`

/** Paths of the page below {@link DASHBOARD}; those with a part after them as in EIP-3091. */
const VIEW =
  /^\/dashboard\/(?:|txs|blocks|mempool|accounts|contracts|gas|log|(?:tx|block|address|token)\/[0-9a-zA-Z]{1,80})$/

/** Most bytes of a request to the API, and most WebSockets: a person has a few tabs. */
const MAX_BODY = 64 * 1024
const MAX_SOCKETS = 8

/**
 * All routes below `/dashboard`: the page, to which any site may link, and its API. Nothing here is
 * for other pages, those admitted to the node included.
 */
export function createDashboardSite(options: DashboardSiteOptions): Routes {
  const { handle, limits, onInternalError } = options
  const access = createAccess({ ...options.access, allowOrigin: [] }, false)
  const api = createTokenApi({
    token: handle.accessToken,
    handler: createTextHandler({
      invoke: async (method, params, caller) => {
        const dashboard = await handle.dashboard()
        const query = await findQuery(method)
        return query(dashboard, params, caller)
      },
      onInternalError,
    }),
    limits: { ...limits, maxBodySize: MAX_BODY, maxSockets: MAX_SOCKETS },
    onInternalError,
    async onAdmit(connection) {
      const dashboard = await handle.dashboard().catch(() => undefined)
      if (dashboard === undefined) connection.refuse('the node is stopping')
      else dashboard.feed.add(connection)
    },
    sentences: {
      foreign: 'Other pages may not use the API of the dashboard: open /dashboard/ instead.',
      unauthorized:
        'The API of the dashboard needs the header "Authorization: Bearer <token>": the node prints the token in the address of the dashboard when it starts, and devnet.dashboard.pageUrl holds it.',
      method: 'The API of the dashboard takes POST.',
    },
  })

  /** Reason why a request is refused whatever it asks for; `undefined` if it is not. */
  function refusalOf({ headers }: IncomingMessage): string | undefined {
    // Without the Origin, because --allow-origin opens nothing here.
    return access.refusal(headers.host, undefined) ?? (isOwnOrigin(headers) ? undefined : NOT_HERE)
  }

  const router = express.Router({ strict: true, caseSensitive: true })
  router.use(DASHBOARD, (request, response, next) => {
    const refusal = refusalOf(request)
    if (refusal === undefined) next()
    else respondText(response, 403, refusal)
  })
  router.all(API, api.handle)
  router.get(DASHBOARD, (_request, response) => {
    // The browser carries the fragment of the URL, which holds the token, over the redirect.
    respondText(response, 302, 'The dashboard is at /dashboard/.', { Location: `${DASHBOARD}/` })
  })
  router.get(VIEW, pageHandler('dashboard'))
  router.get(PART, pagePartHandler('dashboard'))
  const lost = pageHandler('dashboard', 404)
  router.use(DASHBOARD, (request, response, next) => {
    if (request.method === 'GET' || request.method === 'HEAD') {
      // A person sees the page, which has a way back.
      if (request.accepts(['text', 'html']) === 'html') lost(request, response, next)
      else respondText(response, 404, 'Nothing here; the dashboard is at /dashboard/.')
    } else respondText(response, 405, `${request.method} is not answered here.`, { Allow: 'GET' })
  })

  return {
    router,
    upgrade(request, socket, head) {
      const refusal = refusalOf(request)
      if (refusal !== undefined) refuseUpgrade(socket, '403 Forbidden', refusal)
      else if (pathOf(request.url) === API) api.upgrade(request, socket, head)
      else refuseUpgrade(socket, '404 Not Found', `The API of the dashboard is at ${API}.`)
    },
    close: api.close,
  }
}
