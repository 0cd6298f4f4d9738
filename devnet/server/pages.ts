import type { IncomingMessage, ServerResponse } from 'node:http'
import type { ErrorRequestHandler, Express, Router } from 'express'
import type { InternalErrorListener } from '../rpc/jsonRpc.ts'
import { pathOf, respondText } from './respond.ts'

/** A part of the site beside JSON-RPC, such as `/wallet`. */
export interface Page {
  /** Where it lives; JSON-RPC is not answered there or below. */
  readonly path: string
  /** Adds the routes, once, when a browser first asks for any page. */
  readonly mount: (router: Router) => void | Promise<void>
}

/** Everything that is not JSON-RPC. */
export interface Pages {
  /** Whether a request target belongs to a page. */
  owns(target: string | undefined): boolean
  handle(request: IncomingMessage, response: ServerResponse): void
}

const HEALTH = '/health'

/** Pages on express, which is loaded when one is first asked for. `health` adds to the body of `GET /health`. */
export function createPages(
  pages: readonly Page[],
  health: (() => object) | undefined,
  onInternalError: InternalErrorListener,
): Pages {
  const paths = [HEALTH, ...pages.map((page) => page.path)]
  let app: Promise<Express> | undefined

  async function load(): Promise<Express> {
    const { default: express } = await import('express')
    const site = express()
    site.disable('x-powered-by')
    site.get(HEALTH, (_request, response) => {
      response.json({ status: 'ok', ...health?.() })
    })
    for (const { path, mount } of pages) {
      const router = express.Router()
      await mount(router)
      site.use(path, router)
    }
    site.use(respondNotFound, createErrorHandler(onInternalError))
    return site
  }

  async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      app ??= load()
      const site = await app
      site(request, response)
    } catch (error) {
      app = undefined
      onInternalError(error, 'page')
      respondText(response, 500, 'The node cannot show this page.')
    }
  }

  return {
    owns(target) {
      const path = pathOf(target)
      if (path === '/') return false
      return paths.some((own) => path === own || path.startsWith(`${own}/`))
    },
    handle(request, response) {
      void respond(request, response)
    },
  }
}

function respondNotFound(request: IncomingMessage, response: ServerResponse): void {
  const path = pathOf(request.url)
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    const sentence = `${request.method} is not answered here: JSON-RPC takes POST.`
    respondText(response, 405, sentence, { Allow: path === HEALTH ? 'GET' : 'GET, POST' })
  } else if (path === '/') {
    respondText(response, 200, `JSON-RPC: POST or WebSocket here; health: GET ${HEALTH}`)
  } else {
    respondText(
      response,
      404,
      `Nothing here; JSON-RPC: POST or WebSocket at /; health: GET ${HEALTH}`,
    )
  }
}

/** Express wants all four parameters, or takes it for an ordinary handler. */
function createErrorHandler(onInternalError: InternalErrorListener): ErrorRequestHandler {
  return (error: unknown, request, response, _next) => {
    const status = statusOf(error)
    if (status >= 500) onInternalError(error, `${request.method} ${pathOf(request.originalUrl)}`)
    if (response.headersSent) response.destroy()
    else respondText(response, status, status < 500 ? 'Malformed request.' : 'Internal error.')
  }
}

/** Express and its parsers give the errors that the client caused a status. */
function statusOf(error: unknown): number {
  if (typeof error !== 'object' || error === null || !('status' in error)) return 500
  const { status } = error
  return typeof status === 'number' && status >= 400 && status < 600 ? status : 500
}
