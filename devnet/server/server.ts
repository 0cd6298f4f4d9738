import {
  createServer as createHttpServer,
  type Server as HttpServer,
  type IncomingMessage,
} from 'node:http'
import type { Socket } from 'node:net'
import { type InternalErrorListener, printInternalError, type TextHandler } from '../rpc/jsonRpc.ts'
import { createAccess, isWildcard, normalHost, urlHost } from './access.ts'
import { createHttpEndpoint } from './httpEndpoint.ts'
import { httpTimeouts, type ServerLimits, STOP_GRACE, withDefaults } from './limits.ts'
import { listen } from './listen.ts'
import { createPages, type Page } from './pages.ts'
import { refuseUpgrade, respondPreflight, respondText } from './respond.ts'
import { createSites, type SiteMount } from './sites.ts'
import { createSocketEndpoint } from './socketEndpoint.ts'

/** Options of {@link createServer}; those that are also options of the devnet have the same names. */
export interface ServerOptions extends Partial<ServerLimits> {
  readonly hostname: string
  /** 0 picks a free one. */
  readonly port: number
  readonly dispatch: TextHandler
  /** Origins whose pages may call the node, beside loopback pages and browser extensions; `*` for all. Default: none. */
  readonly allowOrigin?: readonly string[] | undefined
  /** Names by which the node may be called, beside those of this machine. Default: none. */
  readonly allowHost?: readonly string[] | undefined
  /** What `GET /health` answers beside `status: 'ok'`. Default: nothing. */
  readonly health?: (() => object) | undefined
  /** Default: none. */
  readonly pages?: readonly Page[] | undefined
  /** Parts of the server with endpoints of their own. Default: none. */
  readonly sites?: readonly SiteMount[] | undefined
  /** Is told of every defect. Default: prints it to stderr. */
  readonly onInternalError?: InternalErrorListener | undefined
}

/** Where a server listens. */
export interface ServerAddress {
  /** With an address that a client on this machine can use, e.g. `http://127.0.0.1:8545`. */
  readonly url: string
  readonly hostname: string
  readonly port: number
}

/**
 * One port with JSON-RPC over POST and WebSocket, and pages. It can be started again after it has stopped, and does not
 * keep the process alive.
 */
export interface Server {
  /** @throws {ListenError} when it cannot listen there; @throws {Error} when it is not idle or stopped */
  start(): Promise<ServerAddress>
  /** Gives up what is under way, and closes every connection within half a second; idempotent. */
  stop(): Promise<void>
}

/** What exists while the server runs. */
interface Running {
  readonly address: ServerAddress
  stop(): Promise<void>
}

/** Makes a server; it does nothing before it is started. */
export function createServer(options: ServerOptions): Server {
  let starting: Promise<Running> | undefined
  let stopping: Promise<void> | undefined

  async function stop(): Promise<void> {
    try {
      // A start that fails is reported to who started; then there is nothing to stop.
      const running = await starting?.catch(() => undefined)
      await running?.stop()
    } finally {
      starting = undefined
      stopping = undefined
    }
  }

  return {
    async start() {
      if (starting !== undefined) {
        throw new Error('The server has been started: stop it before it is started again.')
      }
      const run = startServer(options)
      starting = run
      try {
        return (await run).address
      } catch (error) {
        starting = undefined
        throw error
      }
    },
    stop() {
      stopping ??= stop()
      return stopping
    },
  }
}

async function startServer(options: ServerOptions): Promise<Running> {
  const { hostname, port, dispatch, onInternalError = printInternalError } = options
  const limits = withDefaults(options)
  const access = createAccess({
    hostname,
    allowedHosts: options.allowHost ?? [],
    allowedOrigins: options.allowOrigin ?? [],
  })
  const rpc = createHttpEndpoint(dispatch, limits.maxBodySize)
  const sockets = createSocketEndpoint(dispatch, limits, onInternalError)
  const pages = createPages(options.pages ?? [], options.health, onInternalError)
  const sites = createSites(options.sites ?? [], onInternalError)

  const server = createHttpServer({ ...httpTimeouts, shouldUpgradeCallback: isWebSocket })
  const open = new Set<Socket>()
  server.on('connection', (socket: Socket) => {
    open.add(socket)
    socket.once('close', () => open.delete(socket))
    socket.unref()
  })
  server.on('request', (request, response) => {
    const { method, url, headers } = request
    const refusal = access.refusal(headers.host, headers.origin)
    if (refusal !== undefined) respondText(response, 403, refusal)
    else if (sites.owns(url)) sites.handle(request, response)
    else if (pages.owns(url)) pages.handle(request, response)
    else if (method === 'POST') rpc.handle(request, response)
    else if (method === 'OPTIONS') respondPreflight(request, response)
    else pages.handle(request, response)
  })
  server.on('upgrade', (request, socket, head) => {
    // node:http no longer looks after it: a client that hangs up now would end the process.
    socket.on('error', () => socket.destroy())
    const { host, origin } = request.headers
    const refusal = access.refusal(host, origin)
    if (refusal !== undefined) refuseUpgrade(socket, '403 Forbidden', refusal)
    else if (sites.owns(request.url)) sites.upgrade(request, socket, head)
    else sockets.upgrade(request, socket, head)
  })

  const bound = await listen(server, port, hostname)
  server.unref()
  const host = isWildcard(hostname) ? loopbackOf(hostname) : hostname
  return {
    address: { url: `http://${urlHost(host)}:${bound.port}`, hostname, port: bound.port },
    async stop() {
      rpc.close()
      sockets.close()
      sites.close()
      await closeServer(server, open)
    },
  }
}

/** Other protocols may be offered in an upgrade too, as Java's client does with h2c; those requests are answered as they are. */
function isWebSocket(request: IncomingMessage): boolean {
  return request.headers.upgrade?.toLowerCase() === 'websocket'
}

function loopbackOf(wildcard: string): string {
  return normalHost(wildcard) === '[::]' ? '::1' : '127.0.0.1'
}

/** Idle connections end at once, others when they have been answered, and all when the grace is over. */
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
