import type { IncomingMessage, ServerResponse } from 'node:http'

// Chrome keeps it no longer than this.
const PREFLIGHT_MAX_AGE_SECONDS = 7200

/** Headers that let a page at an allowed origin read an answer; without credentials, as the node has none. */
export function corsHeaders(origin: string): Record<string, string> {
  return { 'Access-Control-Allow-Origin': origin, Vary: 'Origin' }
}

/** Answers OPTIONS for JSON-RPC: what a page at an allowed origin may send (Fetch standard, CORS-preflight). */
export function respondPreflight(request: IncomingMessage, response: ServerResponse): void {
  const { origin } = request.headers
  const headers: Record<string, string> = { Allow: 'POST, OPTIONS' }
  if (origin !== undefined) {
    Object.assign(headers, corsHeaders(origin), {
      'Access-Control-Allow-Methods': 'POST',
      'Access-Control-Allow-Headers': 'content-type',
      'Access-Control-Max-Age': String(PREFLIGHT_MAX_AGE_SECONDS),
    })
    if (request.headers['access-control-request-private-network'] === 'true') {
      headers['Access-Control-Allow-Private-Network'] = 'true'
    }
  }
  response.writeHead(204, headers)
  response.end()
}
