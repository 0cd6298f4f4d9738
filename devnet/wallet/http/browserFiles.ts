import { readFileSync } from 'node:fs'
import nodeModule from 'node:module'
import type { ProviderSettings } from '../provider/settings.ts'

export type { ProviderSettings } from '../provider/settings.ts'

const FOLDER = new URL('../', import.meta.url)
/** From the sources the types have to be stripped first; in the package the modules are compiled. */
const isSource = import.meta.url.endsWith('.ts')

/**
 * Joins modules of `page/` or `provider/` into one classic script, without a bundler: what they export becomes one scope, so that
 * no two may use a name twice (a test holds that), and each comes after those whose classes it needs.
 *
 * The browser's code is written as ordinary modules, which the compiler checks and builds like all others; so the same
 * lines of this function serve the sources, where tests run, and the package, where users do.
 *
 * @param names - without ending, e.g. `provider/install`
 * @param start - what is called at the end, with its argument
 */
export function joinModules(names: readonly string[], start: string): string {
  const parts = names.map((name) => withoutLinks(readModule(name)))
  return `;(() => {\n'use strict'\n${parts.join('\n')}\n${start}\n})()\n`
}

function readModule(name: string): string {
  if (!isSource) return readFileSync(new URL(`${name}.js`, FOLDER), 'utf8')
  const text = readFileSync(new URL(`${name}.ts`, FOLDER), 'utf8')
  return nodeModule.stripTypeScriptTypes(text)
}

/** Reads a file that is served as it is. */
export function readAsset(name: string): string {
  return readFileSync(new URL(name, FOLDER), 'utf8')
}

/** Drops imports, the word `export`, and what else has a meaning in a module alone. */
function withoutLinks(text: string): string {
  return text
    .replace(/^import\s[^;']*?'[^']+';?$/gm, '')
    .replace(/^export \{\s*\};?$/gm, '')
    .replace(/^export (?=(?:async function|function|class|const)\b)/gm, '')
    .replace(/^\/\/# sourceMappingURL=.*$/gm, '')
    .replace(/[ \t]+$/gm, '')
    .replace(/\n{3,}/g, '\n\n')
    .trim()
}

/** Modules of the provider script, each after those it needs while it loads. */
const PROVIDER_MODULES = [
  'provider/settings',
  'provider/providerRpcError',
  'provider/emitter',
  'provider/channel',
  'provider/connection',
  'provider/legacy',
  'provider/provider',
  'provider/announce',
  'provider/install',
]

/** Modules of the approval page, likewise. */
const PAGE_MODULES = [
  'page/visible',
  'page/dom',
  'page/text',
  'page/controlClient',
  'page/countdown',
  'page/requestCard',
  'page/requestList',
  'page/lists',
  'page/historyList',
  'page/notice',
  'page/shortcuts',
  'page/main',
]

/** In this order: later ones refine earlier ones. */
const STYLE_SHEETS = ['page/base.css', 'page/request.css', 'page/lists.css']

/**
 * The script that puts the wallet into a page as a provider (EIP-1193, EIP-6963).
 *
 * @param settings - where the wallet is, for a script that is handed out as text, as Playwright's `addInitScript` takes
 *   it; a script that is loaded from `/wallet/provider.js` finds that out by its own address, and needs none
 *
 * @example
 * await context.addInitScript({ content: providerScript({ url: 'http://127.0.0.1:8545/wallet' }) })
 */
export function providerScript(settings: ProviderSettings = {}): string {
  // As it may be put between <script> tags, it must not hold what ends them.
  const text = JSON.stringify(settings).replaceAll('<', '\\u003c')
  return joinModules(PROVIDER_MODULES, `install(${text})`)
}

/** Headers of the script. Any page may load it: it holds nothing of the wallet, which looks at each origin by itself. */
export const providerHeaders: Readonly<Record<string, string>> = {
  'Content-Type': 'text/javascript; charset=utf-8',
  'Cache-Control': 'no-cache',
  'X-Content-Type-Options': 'nosniff',
  // Pages that isolate themselves (COEP) load nothing without it.
  'Cross-Origin-Resource-Policy': 'cross-origin',
}

/** One file of the approval page. */
export interface PageFile {
  readonly body: string
  /** With which it must be served; and without CORS headers. */
  readonly headers: Readonly<Record<string, string>>
}

/** The approval page: `html` belongs at `/wallet/`, `css` and `js` beside it as `page.css` and `page.js`. */
export function page(): { readonly html: PageFile; readonly css: PageFile; readonly js: PageFile } {
  return {
    html: { body: readAsset('page/page.html'), headers: headersOf('text/html') },
    css: { body: STYLE_SHEETS.map(readAsset).join('\n'), headers: headersOf('text/css') },
    js: { body: joinModules(PAGE_MODULES, 'main()'), headers: headersOf('text/javascript') },
  }
}

/**
 * Nothing from elsewhere, no code but the page's own file, no frame around it in which a person could be led to click,
 * no handle on its window for the page that opened it, and no text that turns into markup.
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

function headersOf(type: string): Readonly<Record<string, string>> {
  return {
    'Content-Type': `${type}; charset=utf-8`,
    'Content-Security-Policy': POLICY,
    'X-Frame-Options': 'DENY',
    'X-Content-Type-Options': 'nosniff',
    'Referrer-Policy': 'no-referrer',
    'Cross-Origin-Opener-Policy': 'same-origin',
    'Cross-Origin-Resource-Policy': 'same-origin',
    'Cache-Control': 'no-store',
  }
}
