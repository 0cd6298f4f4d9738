import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import type { WebSocket } from 'ws'
import { lazy } from '../primitives/memo.ts'
import type { InternalErrorListener, TextHandler } from '../rpc/jsonRpc.ts'
import { MAX_STRANGERS, type ServerLimits, TOKEN_TIME } from './limits.ts'
import { refuseUpgrade } from './respond.ts'
import { SocketConnection } from './socketConnection.ts'

export interface SocketUse {
  readonly handler: TextHandler
  /** Called before the first message. */
  readonly onConnect?: ((connection: SocketConnection) => void) | undefined
  /**
   * Reason why a client is refused that is not admitted in time. Default: all are admitted at once
   */
  readonly strangerRefusal?: string | undefined
}

/** @param refuseFull - answers a client beyond `maxSockets`. Default: with status 503 */
export function createSocketEndpoint(
  limits: ServerLimits,
  onInternalError: InternalErrorListener,
  refuseFull = (socket: Duplex) => refuseUpgrade(socket, '503 Service Unavailable', full(limits)),
) {
  const connections = new Set<SocketConnection>()
  /** Connections that are not admitted yet, oldest first; they do not count as clients. */
  const strangers = new Set<SocketConnection>()
  let upgrading = 0
  let pings: NodeJS.Timeout | undefined
  let isClosing = false

  // Loaded on the first connection, because many nodes never have one.
  const loadServer = lazy(async () => {
    const { WebSocketServer } = await import('ws')
    return new WebSocketServer({
      noServer: true,
      clientTracking: false,
      maxPayload: limits.maxBodySize,
      // Compressing local traffic costs time and memory and saves neither.
      perMessageDeflate: false,
    })
  })

  function connect(
    socket: WebSocket,
    stream: Duplex,
    origin: string | undefined,
    { handler, onConnect, strangerRefusal }: SocketUse,
  ): void {
    const connection = new SocketConnection(socket, stream, origin, limits.maxBuffered)
    connections.add(connection)
    // A connection counts until it is closed, because until then it can hold unread data.
    socket.once('close', () => connections.delete(connection))
    if (strangerRefusal !== undefined) awaitAdmission(connection, socket, strangerRefusal)
    // After a broken frame or socket, ws itself closes the connection with the right code.
    socket.on('error', () => {})
    socket.on('message', (data) => connection.receive(data.toString(), handler))
    onConnect?.(connection)
    pings ??= setInterval(() => {
      for (const each of connections) each.ping()
    }, limits.pingInterval).unref()
  }

  function awaitAdmission(connection: SocketConnection, socket: WebSocket, refusal: string): void {
    const [oldest] = strangers
    if (oldest !== undefined && strangers.size >= MAX_STRANGERS) {
      strangers.delete(oldest)
      connections.delete(oldest)
      oldest.cut()
    }
    strangers.add(connection)
    const late = setTimeout(() => {
      if (strangers.has(connection)) connection.refuse(refusal)
    }, TOKEN_TIME).unref()
    socket.once('close', () => {
      clearTimeout(late)
      strangers.delete(connection)
    })
  }

  const isFull = () => connections.size - strangers.size + upgrading >= limits.maxSockets

  async function accept(
    request: IncomingMessage,
    socket: Duplex,
    head: Buffer,
    use: SocketUse,
  ): Promise<void> {
    upgrading++
    try {
      const server = await loadServer()
      if (isClosing) {
        refuseUpgrade(socket, '503 Service Unavailable', 'The node is stopping.')
        return
      }
      server.handleUpgrade(request, socket, head, (client) => {
        connect(client, socket, request.headers.origin, use)
      })
    } catch (error) {
      onInternalError(error, 'WebSocket upgrade')
      refuseUpgrade(socket, '500 Internal Server Error', 'The node cannot open a WebSocket.')
    } finally {
      upgrading--
    }
  }

  return {
    upgrade(request: IncomingMessage, socket: Duplex, head: Buffer, use: SocketUse): void {
      if (isFull()) refuseFull(socket)
      else void accept(request, socket, head, use)
    },
    /** Admits a client, unless others have all places: it is then disconnected with code 1013. */
    admit(connection: SocketConnection): boolean {
      const isAdmitted = !isFull()
      if (isAdmitted) strangers.delete(connection)
      else connection.refuse(full(limits), 1013)
      return isAdmitted
    },
    /** Breaks every connection off; new ones are accepted. */
    cut(): void {
      for (const connection of connections) connection.cut()
    },
    /** Closes every connection and accepts no more. */
    close(): void {
      isClosing = true
      clearInterval(pings)
      for (const connection of connections) connection.close()
    },
  }
}

function full({ maxSockets }: ServerLimits): string {
  return `The node has ${maxSockets} WebSocket connections, which is its limit; close another first.`
}
