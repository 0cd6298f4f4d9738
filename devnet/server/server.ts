import type { Server as HttpServer, IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { createServer as createHttpServer } from '../primitives/http.ts'
import { lazy } from '../primitives/memo.ts'
import { reportInternalError } from '../primitives/warn.ts'
import type { InternalErrorListener, TextHandler } from '../rpc/jsonRpc.ts'
import {
  type AccessOptions,
  createAccess,
  isWildcard,
  normalHost,
  pageOrigin,
  takeTarget,
  urlHost,
} from './access.ts'
import { createApp, type LazyRoutes } from './app.ts'
import { createHttpEndpoint } from './httpEndpoint.ts'
import { httpTimeouts, type ServerLimits, STOP_GRACE, withDefaults } from './limits.ts'
import { listen } from './listen.ts'
import { oneByOne } from './requestTurns.ts'
import { pathOf, refuseUpgrade, respondPreflight, respondText } from './respond.ts'
import { createSocketEndpoint, type SocketUse } from './socketEndpoint.ts'

/** Options of {@link startServer}, named like those of the devnet. */
export interface ServerOptions extends AccessOptions, Partial<ServerLimits> {
  /** 0 picks a free one. */
  readonly port: number
  /** The option that chose the port, for errors. Default: `--port` */
  readonly portOption?: string | undefined
  readonly dispatch: TextHandler
  /** The branch at a path below `/branch`; `undefined` if there is none. Default: none is */
  readonly branchAt?: ((path: string) => SocketUse | undefined) | undefined
  /** Fields that `GET /health` adds to `status: 'ok'`. Default: none. */
  readonly health?: (() => object) | undefined
  /** Pages besides `/health`. Default: none. */
  readonly routes?: readonly LazyRoutes[] | undefined
  /** Called with every internal error. Default: prints it to stderr. */
  readonly onInternalError?: InternalErrorListener | undefined
}

export type Server = Awaited<ReturnType<typeof startServer>>

/**
 * Serves JSON-RPC over POST and WebSocket, and pages, on one port. Does not keep the process alive.
 *
 * @throws {ListenError} if it cannot listen
 */
export async function startServer(options: ServerOptions) {
  const { hostname, port, dispatch, onInternalError = reportInternalError } = options
  const limits = withDefaults(options)
  const access = createAccess(options)
  const rpc = createHttpEndpoint(limits.maxBodySize)
  const sockets = createSocketEndpoint(limits, onInternalError)
  const app = createApp(options.routes ?? [], options.health, onInternalError)

  const server = createHttpServer({ ...httpTimeouts, shouldUpgradeCallback: isWebSocket })
  const open = new Set<Socket>()
  server.on('connection', (socket: Socket) => {
    open.add(socket)
    socket.once('close', () => open.delete(socket))
    socket.unref()
  })
  /** The status of a refusal, and its reason as a sentence; `undefined` for an admitted request. */
  function refusalOf(request: IncomingMessage): readonly [string, string] | undefined {
    const malformed = takeTarget(request)
    if (malformed !== undefined) return ['400 Bad Request', malformed]
    const refusal = access.refusal(request.headers.host, pageOrigin(request.headers))
    return refusal === undefined ? undefined : ['403 Forbidden', refusal]
  }

  /** The chain that answers at a path; `undefined` if none does. */
  function useAt(target: string | undefined): SocketUse | undefined {
    const path = pathOf(target)
    return path.startsWith('/branch') ? options.branchAt?.(path) : { handler: dispatch }
  }

  const handle = (request: IncomingMessage, response: ServerResponse): void => {
    const refusal = refusalOf(request)
    const { method, url } = request
    if (refusal !== undefined) respondText(response, Number.parseInt(refusal[0], 10), refusal[1])
    else if (app.owns(url)) app.handle(request, response)
    else if (method === 'POST') {
      const use = useAt(url)
      if (use === undefined) respondText(response, 404, NO_BRANCH)
      else rpc.handle(request, response, use.handler)
    } else if (method === 'OPTIONS') respondPreflight(request, response)
    else app.handle(request, response)
  }
  server.on('request', oneByOne(handle))
  server.on('upgrade', (request, socket, head) => {
    // Without this, a hang-up ends the process: node:http no longer handles the socket's errors.
    socket.on('error', () => socket.destroy())
    const refusal = refusalOf(request)
    if (refusal !== undefined) refuseUpgrade(socket, ...refusal)
    else if (!app.upgrade(request, socket, head)) {
      const use = useAt(request.url)
      if (use === undefined) refuseUpgrade(socket, '404 Not Found', NO_BRANCH)
      else sockets.upgrade(request, socket, head, use)
    }
  })

  const bound = await listen(server, { port, hostname, portOption: options.portOption ?? '--port' })
  server.unref()
  const loopback = normalHost(hostname) === '[::]' ? '::1' : '127.0.0.1'
  const host = isWildcard(hostname) ? loopback : hostname
  return {
    // The host is for clients on this machine.
    address: { url: `http://${urlHost(host)}:${bound.port}`, hostname, port: bound.port },
    /** Breaks off the WebSockets for JSON-RPC, and those of routes that say so. */
    cutSockets() {
      sockets.cut()
      app.cut()
    },
    /** Cancels requests under way and closes every connection within half a second; idempotent. */
    stop: lazy(async () => {
      rpc.close()
      sockets.close()
      app.close()
      await closeServer(server, open)
    }),
  }
}

const NO_BRANCH = 'There is no such branch: it was dropped, or preconf_branch never opened it.'

/** Requests that offer another protocol, e.g. h2c by Java's client, are answered over HTTP/1.1. */
function isWebSocket(request: IncomingMessage): boolean {
  return request.headers.upgrade?.toLowerCase() === 'websocket'
}

/** Closes idle connections at once, busy ones once answered, and all after the grace period. */
async function closeServer(server: HttpServer, open: ReadonlySet<Socket>): Promise<void> {
  const grace = setTimeout(() => {
    for (const socket of open) socket.destroy()
  }, STOP_GRACE)
  try {
    await new Promise<void>((resolve, reject) => {
      server.close((error) => (error === undefined ? resolve() : reject(error)))
    })
  } finally {
    clearTimeout(grace)
  }
}
