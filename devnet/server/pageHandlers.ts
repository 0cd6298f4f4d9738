import { readFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import type { Request, RequestHandler } from 'express'
import { isSystemError } from '../primitives/files.ts'
import { packageRoot } from '../primitives/packageRoot.ts'
import { readBundle, respondFile } from './pageFile.ts'
import { respondText } from './respond.ts'

/** Refusal of pages of other sites that load a page, or a file of it. */
export const NOT_HERE = 'Other pages may link to this one, but not load it.'

/** Path of a page's scripts and style sheets, whose names end with a hash of what they hold. */
export const PART = /^\/[a-z]+\/[a-zA-Z]+-[A-Z0-9]{8}\.(?:js|css)$/

/**
 * Serves a page that may command something, without CORS headers: any site may link to it, and
 * none may load it. Nothing keeps it, so that it names the scripts of this version.
 *
 * @param room - the room of `devnet/` that it is of
 */
export function pageHandler(room: string, status = 200): RequestHandler {
  return (request, response) => {
    if (isLoadedElsewhere(request)) respondText(response, 403, NOT_HERE)
    else {
      const headers = { ...pageHeaders('html'), 'Cache-Control': 'no-store' }
      respondFile(response, { body: readBundle(room, 'page.html'), headers }, {}, status)
    }
  }
}

/**
 * Serves the scripts and style sheets of a page, at {@link PART}. Browsers keep them, as another
 * version has other names; those of an earlier version are not there.
 */
export function pagePartHandler(room: string): RequestHandler {
  return async (request, response) => {
    if (isLoadedElsewhere(request)) return respondText(response, 403, NOT_HERE)
    const name = request.path.slice(request.path.lastIndexOf('/') + 1)
    const part = await packedPart(room, name)
    if (part === undefined) {
      const sentence = 'Nothing here: another version of the node has other files. Load the page.'
      return respondText(response, 404, sentence, { 'Cache-Control': 'no-store' })
    }
    const isPacked = request.acceptsEncodings('gzip') === 'gzip'
    const headers = {
      ...pageHeaders(name.endsWith('.css') ? 'css' : 'js'),
      'Cache-Control': 'max-age=31536000, immutable',
      Vary: 'Accept-Encoding',
      ...(isPacked ? { 'Content-Encoding': 'gzip' } : {}),
    }
    respondFile(response, { body: isPacked ? part.packed : part.body, headers })
  }
}

interface Part {
  readonly body: Uint8Array
  readonly packed: Uint8Array
}

/** Those that were asked for, by their paths: a dozen, each packed once. */
const parts = new Map<string, Part>()
const pack = promisify(gzip)

async function packedPart(room: string, name: string): Promise<Part | undefined> {
  const path = `${room}/browser/${name}`
  const known = parts.get(path)
  if (known !== undefined) return known
  try {
    const body = await readFile(new URL(`dist/devnet/${path}`, packageRoot))
    // On a thread, as ticks have to be on time.
    const part = { body, packed: await pack(body, { level: 9 }) }
    parts.set(path, part)
    return part
  } catch (error) {
    if (isSystemError(error, 'ENOENT')) return undefined
    throw error
  }
}

function pageHeaders(ending: keyof typeof CONTENT_TYPES): Readonly<Record<string, string>> {
  return {
    'Content-Type': `${CONTENT_TYPES[ending]}; charset=utf-8`,
    'Content-Security-Policy': POLICY,
    'X-Frame-Options': 'DENY',
    'X-Content-Type-Options': 'nosniff',
    'Referrer-Policy': 'no-referrer',
    'Cross-Origin-Opener-Policy': 'same-origin',
    'Cross-Origin-Resource-Policy': 'same-origin',
  }
}

/**
 * True if a page of another site loads a file, as a script, an image or a frame: not even that a
 * devnet runs here is its business. It may link to a page, though.
 */
function isLoadedElsewhere({ headers }: Request): boolean {
  const site = headers['sec-fetch-site'] ?? 'none'
  if (site === 'same-origin' || site === 'none') return false
  return headers['sec-fetch-dest'] !== 'document'
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
