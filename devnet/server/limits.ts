/** Limits of the edges; one client at its limit is refused or cut off, and the others are served on. */
export interface ServerLimits {
  /** Bytes in a request body or a WebSocket message. Default: 5 MiB, as in geth. */
  readonly maxBodySize: number
  /** WebSocket connections at a time. Default: 500, as in reth. */
  readonly maxSockets: number
  /**
   * Bytes that may wait for one WebSocket client to read them, beside what the last turn of the event loop brought; one
   * that is slower is dropped with code 1013, and so is one that would get four times as much in one turn. Default: 16 MiB.
   */
  readonly maxBuffered: number
  /**
   * ms between two pings of a WebSocket client; one that misses a whole interval is dropped with code 1002. Default:
   * 30,000.
   */
  readonly pingInterval: number
}

/** The limits given, and the defaults of the others. */
export function withDefaults(limits: Partial<ServerLimits>): ServerLimits {
  return {
    maxBodySize: limits.maxBodySize ?? 5 * 1024 * 1024,
    maxSockets: limits.maxSockets ?? 500,
    maxBuffered: limits.maxBuffered ?? 16 * 1024 * 1024,
    pingInterval: limits.pingInterval ?? 30_000,
  }
}

/**
 * Timeouts of node:http in ms. A client that sends its request drop by drop holds a connection for as long as these
 * allow; one that waits between requests may keep its connection, as pools of HTTP clients do.
 */
export const httpTimeouts = {
  headersTimeout: 10_000,
  requestTimeout: 60_000,
  keepAliveTimeout: 60_000,
  connectionsCheckingInterval: 5_000,
} as const

/** ms that a WebSocket client which is dropped has to read why. */
export const CLOSE_GRACE = 5_000

/** ms that requests under way and clients get to end by themselves when the server stops. */
export const STOP_GRACE = 400
