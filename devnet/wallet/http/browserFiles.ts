import { type BrowserFile, readBundle } from '../../server/pageFile.ts'
import type { ProviderSettings } from '../provider/settings.ts'

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
  return `;((PROVIDER_SETTINGS) => {\n${readBundle('wallet', 'provider.js')}})(${text})\n`
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
