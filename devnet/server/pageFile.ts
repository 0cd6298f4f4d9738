import { readFileSync } from 'node:fs'
import type { ServerResponse } from 'node:http'
import { packageRoot } from '../primitives/packageRoot.ts'

export interface BrowserFile {
  readonly body: string
  /** Headers of the response, without those for CORS. */
  readonly headers: Readonly<Record<string, string>>
}

/**
 * A file of a page that may command something, by its extension. It must be served without CORS
 * headers.
 */
export function pageFile(room: string, ending: keyof typeof CONTENT_TYPES): BrowserFile {
  return {
    body: readBundle(room, `page.${ending}`),
    headers: {
      'Content-Type': `${CONTENT_TYPES[ending]}; charset=utf-8`,
      'Content-Security-Policy': POLICY,
      'X-Frame-Options': 'DENY',
      'X-Content-Type-Options': 'nosniff',
      'Referrer-Policy': 'no-referrer',
      'Cross-Origin-Opener-Policy': 'same-origin',
      'Cross-Origin-Resource-Policy': 'same-origin',
      'Cache-Control': 'no-store',
    },
  }
}

/**
 * A bundle for browsers. The build writes it, so a checkout must be built first.
 *
 * @param room - the room of `devnet/` that it is of
 */
export function readBundle(room: string, name: string): string {
  try {
    const folder = new URL(`dist/devnet/${room}/browser/`, packageRoot)
    return readFileSync(new URL(name, folder), 'utf8')
  } catch (cause) {
    throw new Error(`The ${room}'s ${name} is missing: in a checkout, run "npm run build".`, {
      cause,
    })
  }
}

const CONTENT_TYPES = { html: 'text/html', css: 'text/css', js: 'text/javascript' } as const

/**
 * The page loads nothing from elsewhere, runs only its own script, cannot be framed (which could
 * trick a user into clicking), and never turns text into markup.
 */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  'img-src data:',
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ')

export function respondFile(
  response: ServerResponse,
  { body, headers }: BrowserFile,
  cors: Readonly<Record<string, string>> = {},
): void {
  response.writeHead(200, { ...headers, ...cors, 'Content-Length': Buffer.byteLength(body) })
  response.end(body)
}
