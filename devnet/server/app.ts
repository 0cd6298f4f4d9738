import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import type { ErrorRequestHandler, RequestHandler } from 'express'
import { isObject } from '../primitives/json.ts'
import { lazy } from '../primitives/memo.ts'
import type { InternalErrorListener } from '../rpc/jsonRpc.ts'
import { pathOf, refuseUpgrade, respondText } from './respond.ts'

/** Routes of one part of the server, such as the wallet. */
export interface Routes {
  /** Gets requests with their full paths, {@link LazyRoutes.path} included. */
  readonly router: RequestHandler
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void
  /** Breaks the WebSockets off. Default: does nothing */
  cut?(): void
  /** Closes the WebSockets and cancels the requests under way. */
  close(): void
}

/** Routes that are loaded on the first request at or below their path. */
export interface LazyRoutes {
  /** The path of all these routes. JSON-RPC is not answered at or below it. */
  readonly path: string
  readonly load: () => Promise<Routes>
}

const HEALTH = '/health'

/**
 * Every page and plain HTTP route of one server: everything but JSON-RPC at `/`. Express is loaded
 * on the first request, each part of the routes on the first request at or below its path.
 *
 * @param health - returns fields to add to the body of `GET /health`
 */
export function createApp(
  lazyRoutes: readonly LazyRoutes[],
  health: (() => object) | undefined,
  onInternalError: InternalErrorListener,
) {
  const loaded: Routes[] = []
  let isClosing = false

  const parts = lazyRoutes.map(({ path, load }) => ({
    path,
    load: lazy(async () => {
      const routes = await load()
      if (isClosing) routes.close()
      else loaded.push(routes)
      return routes
    }),
  }))
  const partOf = (path: string) => parts.find((part) => isBelow(path, part.path))

  const loadExpress = lazy(async () => {
    const { default: express } = await import('express')
    const app = express()
    app.disable('x-powered-by')
    app.get(HEALTH, (_request, response) => {
      response.json({ status: 'ok', ...health?.() })
    })
    app.use(async (request, response, next) => {
      const routes = await partOf(request.path)?.load()
      if (routes === undefined) next()
      else routes.router(request, response, next)
    })
    app.use(respondNotFound, createErrorHandler(onInternalError))
    return app
  })

  return {
    /** True if a request target is a route of this app, whatever the HTTP method. */
    owns(target: string | undefined): boolean {
      if (target === undefined || target === '/') return false
      const path = pathOf(target)
      return isBelow(path, HEALTH) || partOf(path) !== undefined
    },
    handle(request: IncomingMessage, response: ServerResponse): void {
      Promise.all([loadExpress(), partOf(pathOf(request.url))?.load()]).then(
        ([express]) => express(request, response),
        (error: unknown) => {
          onInternalError(error, 'page')
          respondText(response, 500, 'The node cannot show this page.')
        },
      )
    },
    /** Handles a WebSocket upgrade at a path of the routes; at other paths, returns false. */
    upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): boolean {
      const path = pathOf(request.url)
      const part = partOf(path)
      if (part === undefined) return false
      part
        .load()
        .then((routes) => routes.upgrade(request, socket, head))
        .catch((error: unknown) => {
          onInternalError(error, `upgrade ${path}`)
          refuseUpgrade(socket, '500 Internal Server Error', 'The node cannot open a WebSocket.')
        })
      return true
    },
    cut() {
      for (const routes of loaded) routes.cut?.()
    },
    close() {
      isClosing = true
      for (const routes of loaded) routes.close()
    },
  }
}

function isBelow(path: string, own: string): boolean {
  return path === own || path.startsWith(`${own}/`)
}

function respondNotFound(request: IncomingMessage, response: ServerResponse): void {
  const path = pathOf(request.url)
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    const sentence = `${request.method} is not answered here: JSON-RPC takes POST.`
    respondText(response, 405, sentence, { Allow: path === HEALTH ? 'GET' : 'GET, POST' })
  } else if (path === '/') {
    respondText(response, 200, `JSON-RPC: POST or WebSocket here; health: GET ${HEALTH}`)
  } else {
    const sentence = `Nothing here; JSON-RPC: POST or WebSocket at /; health: GET ${HEALTH}`
    respondText(response, 404, sentence)
  }
}

/** The handler has four parameters because Express recognizes error handlers by that number. */
function createErrorHandler(onInternalError: InternalErrorListener): ErrorRequestHandler {
  return (error: unknown, request, response, _next) => {
    const status = statusOf(error)
    if (status >= 500) onInternalError(error, `${request.method} ${pathOf(request.originalUrl)}`)
    if (response.headersSent) response.destroy()
    else respondText(response, status, status < 500 ? 'Malformed request.' : 'Internal error.')
  }
}

/** The HTTP status of an error: the one set by Express if the client caused it, otherwise 500. */
function statusOf(error: unknown): number {
  const status = isObject(error) ? error.status : undefined
  return typeof status === 'number' && status >= 400 && status < 600 ? status : 500
}
