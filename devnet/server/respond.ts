import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'

/** Responds with one sentence of text. Adds no CORS headers, so refused pages cannot read it. */
export function respondText(
  response: ServerResponse,
  status: number,
  sentence: string,
  headers: Readonly<Record<string, string>> = {},
): void {
  const body = `${sentence}\n`
  response.writeHead(status, {
    ...headers,
    'Content-Type': 'text/plain; charset=utf-8',
    'Content-Length': Buffer.byteLength(body),
  })
  response.end(body)
}

/**
 * Refuses a WebSocket upgrade with an HTTP response.
 *
 * @param reason - one sentence, as text; or an object, as JSON
 */
export function refuseUpgrade(
  socket: Duplex,
  status: string,
  reason: string | { readonly message: string },
): void {
  const isText = typeof reason === 'string'
  const body = `${isText ? reason : JSON.stringify(reason)}\n`
  const type = isText ? 'text/plain; charset=utf-8' : 'application/json'
  socket.once('finish', () => socket.destroy())
  socket.end(
    `HTTP/1.1 ${status}\r\n` +
      'Connection: close\r\n' +
      `Content-Type: ${type}\r\n` +
      `Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  )
}

/** The path of a request target, without its query. */
export function pathOf(target: string | undefined): string {
  if (target === undefined || target === '/') return '/'
  const query = target.indexOf('?')
  return query === -1 ? target : target.slice(0, query)
}

/** Headers that let a page of an allowed origin read an answer, without credentials. */
export function corsHeaders(origin: string): Record<string, string> {
  return { 'Access-Control-Allow-Origin': origin, Vary: 'Origin' }
}

/** Answers a CORS preflight for JSON-RPC from a page of an allowed origin (Fetch standard). */
export function respondPreflight(request: IncomingMessage, response: ServerResponse): void {
  const { origin } = request.headers
  const headers: Record<string, string> = { Allow: 'POST, OPTIONS' }
  if (origin !== undefined) {
    Object.assign(headers, corsHeaders(origin), {
      'Access-Control-Allow-Methods': 'POST',
      'Access-Control-Allow-Headers': 'content-type',
      // In seconds; Chrome's maximum.
      'Access-Control-Max-Age': '7200',
    })
    if (request.headers['access-control-request-private-network'] === 'true') {
      headers['Access-Control-Allow-Private-Network'] = 'true'
    }
  }
  response.writeHead(204, headers)
  response.end()
}
