import { readFileSync } from 'node:fs'
import { packageRoot } from '../../primitives/packageRoot.ts'
import type { ProviderSettings } from '../provider/settings.ts'

export type { ProviderSettings } from '../provider/settings.ts'

/** Folder of the bundles for browsers. The build writes it, so a checkout must be built first. */
const FOLDER = new URL('dist/devnet/wallet/browser/', packageRoot)

function readBundle(name: string): string {
  try {
    return readFileSync(new URL(name, FOLDER), 'utf8')
  } catch (cause) {
    throw new Error(`The wallet's ${name} is missing: in a checkout, run "npm run build".`, {
      cause,
    })
  }
}

/**
 * Returns the script that installs the wallet's provider in a page (EIP-1193, EIP-6963).
 *
 * @param settings - must have a `url` if the text is passed on, e.g. to Playwright's
 *   `addInitScript`; loaded from `/wallet/provider.js`, the script takes it from its own address
 *
 * @example
 * await context.addInitScript({ content: providerScript({ url: 'http://127.0.0.1:8545/wallet' }) })
 */
export function providerScript(settings: ProviderSettings = {}): string {
  // The script may be put between <script> tags, so it must not contain `</script>`.
  const text = JSON.stringify(settings).replaceAll('<', '\\u003c')
  return `;((PROVIDER_SETTINGS) => {\n${readBundle('provider.js')}})(${text})\n`
}

export interface BrowserFile {
  readonly body: string
  /** Headers of the response, without those for CORS. */
  readonly headers: Readonly<Record<string, string>>
}

/** The provider script. Any page that may call the wallet may load it: it contains no secret. */
export function providerFile(): BrowserFile {
  return {
    body: providerScript(),
    headers: {
      'Content-Type': 'text/javascript; charset=utf-8',
      'Cache-Control': 'no-cache',
      'X-Content-Type-Options': 'nosniff',
      // Cross-origin isolated pages (COEP) refuse a script without this header.
      'Cross-Origin-Resource-Policy': 'cross-origin',
    },
  }
}

const CONTENT_TYPES = { html: 'text/html', css: 'text/css', js: 'text/javascript' } as const

/** A file of the approval page, by its extension. It must be served without CORS headers. */
export function pageFile(ending: keyof typeof CONTENT_TYPES): BrowserFile {
  return {
    body: readBundle(`page.${ending}`),
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
