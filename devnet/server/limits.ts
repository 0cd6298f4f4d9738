/** Limits of a server. A client that exceeds one is refused or disconnected; others go on. */
export interface ServerLimits {
  /** Maximum number of bytes per request body or WebSocket message. Default: 5 MiB, as in geth. */
  readonly maxBodySize: number
  /** Maximum number of simultaneous WebSocket connections. Default: 500, as in reth. */
  readonly maxSockets: number
  /**
   * Most unread bytes per WebSocket client, besides the messages of one turn of the event loop. A
   * client with more is disconnected with code 1013, as is one that would get more than four times
   * as much in one turn. What messages in a row share, as those of many subscriptions to one kind
   * do, counts once. Default: 16 MiB.
   */
  readonly maxBuffered: number
  /**
   * ms between two pings of a WebSocket client. One that does not answer within the interval is
   * disconnected with code 1002. Default: 30,000.
   */
  readonly pingInterval: number
}

export function withDefaults(limits: Partial<ServerLimits>): ServerLimits {
  return {
    maxBodySize: limits.maxBodySize ?? 5 * 1024 * 1024,
    maxSockets: limits.maxSockets ?? 500,
    maxBuffered: limits.maxBuffered ?? 16 * 1024 * 1024,
    pingInterval: limits.pingInterval ?? 30_000,
  }
}

/**
 * Timeouts of node:http in ms. They bound how long a client can take to send a request. Idle
 * connections are kept, for the pools of HTTP clients.
 */
export const httpTimeouts = {
  headersTimeout: 10_000,
  requestTimeout: 60_000,
  keepAliveTimeout: 60_000,
  connectionsCheckingInterval: 5_000,
} as const

/** ms that a disconnected WebSocket client has to read the reason. */
export const CLOSE_GRACE = 5_000

/** ms that a WebSocket client has to send the token, if it needs one. */
export const TOKEN_TIME = 5_000

/** Most such clients at any one time; one more takes the place of the oldest. */
export const MAX_STRANGERS = 100

/** ms that requests and clients have to finish when the server stops. */
export const STOP_GRACE = 400
