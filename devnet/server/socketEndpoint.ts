import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import type { WebSocket, WebSocketServer } from 'ws'
import type { InternalErrorListener, TextHandler } from '../rpc/jsonRpc.ts'
import type { ServerLimits } from './limits.ts'
import { refuseUpgrade } from './respond.ts'
import { SocketConnection } from './socketConnection.ts'

/** What a connection is for. */
export interface SocketDoor {
  readonly handler: TextHandler
  /** Is told of the connection before its first message. */
  readonly onConnect?: ((connection: SocketConnection) => void) | undefined
}

/** JSON-RPC over WebSocket. */
export interface SocketEndpoint {
  /** @param door - in place of the handler that the endpoint was made with */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer, door?: SocketDoor): void
  /** Says good-bye to every client, and admits no more. */
  close(): void
}

/** Makes the endpoint of one server. */
export function createSocketEndpoint(
  dispatch: TextHandler,
  limits: ServerLimits,
  onInternalError: InternalErrorListener,
): SocketEndpoint {
  const connections = new Set<SocketConnection>()
  let upgrading = 0
  let server: Promise<WebSocketServer> | undefined
  let pings: NodeJS.Timeout | undefined
  let isClosing = false

  /** Loaded when the first client comes: many nodes never have one. */
  async function load(): Promise<WebSocketServer> {
    const { WebSocketServer } = await import('ws')
    return new WebSocketServer({
      noServer: true,
      clientTracking: false,
      maxPayload: limits.maxBodySize,
      // Compression of local traffic costs time and memory, and saves neither.
      perMessageDeflate: false,
    })
  }

  function connect(
    socket: WebSocket,
    stream: Duplex,
    origin: string | undefined,
    { handler, onConnect }: SocketDoor,
  ): void {
    const connection = new SocketConnection(socket, stream, origin, limits.maxBuffered)
    connections.add(connection)
    // Not before: one that is being dropped still holds what it has not read.
    socket.once('close', () => connections.delete(connection))
    socket.on('error', leaveToClose)
    socket.on('message', (data) => connection.receive(data.toString(), handler))
    onConnect?.(connection)
    pings ??= setInterval(pingAll, limits.pingInterval).unref()
  }

  function pingAll(): void {
    for (const connection of connections) connection.ping()
  }

  async function accept(
    request: IncomingMessage,
    socket: Duplex,
    head: Buffer,
    door: SocketDoor,
  ): Promise<void> {
    upgrading++
    try {
      server ??= load()
      const loaded = await server
      if (isClosing) {
        refuseUpgrade(socket, '503 Service Unavailable', 'The node is stopping.')
        return
      }
      loaded.handleUpgrade(request, socket, head, (client) => {
        connect(client, socket, request.headers.origin, door)
      })
    } catch (error) {
      server = undefined
      onInternalError(error, 'WebSocket upgrade')
      refuseUpgrade(socket, '500 Internal Server Error', 'The node cannot open a WebSocket.')
    } finally {
      upgrading--
    }
  }

  return {
    upgrade(request, socket, head, door = { handler: dispatch }) {
      if (connections.size + upgrading >= limits.maxSockets) {
        const sentence = `The node has ${limits.maxSockets} WebSocket connections, which is its limit; close another first.`
        refuseUpgrade(socket, '503 Service Unavailable', sentence)
        return
      }
      void accept(request, socket, head, door)
    },
    close() {
      isClosing = true
      clearInterval(pings)
      for (const connection of connections) connection.close()
    },
  }
}

/** A broken frame or socket; ws closes the connection with the code that says why, and reports that too. */
function leaveToClose(): void {}
