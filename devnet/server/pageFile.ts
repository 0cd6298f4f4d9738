import { readFileSync } from 'node:fs'
import type { ServerResponse } from 'node:http'
import { packageRoot } from '../primitives/packageRoot.ts'

export interface BrowserFile {
  readonly body: string | Uint8Array
  /** Headers of the response, without those for CORS. */
  readonly headers: Readonly<Record<string, string>>
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

export function respondFile(
  response: ServerResponse,
  { body, headers }: BrowserFile,
  cors: Readonly<Record<string, string>> = {},
  status = 200,
): void {
  response.writeHead(status, { ...headers, ...cors, 'Content-Length': Buffer.byteLength(body) })
  response.end(body)
}
