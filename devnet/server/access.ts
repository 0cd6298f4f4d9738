import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { isIPv4, isIPv6 } from 'node:net'
import { shorten } from '../primitives/errors.ts'

const HOST_HEADER = /^(\[[0-9a-f:.]+\]|[a-z0-9_](?:[a-z0-9._-]*[a-z0-9_])?)\.?(?::\d{1,5})?$/

/** The host of a Host header, normalized and without port; `undefined` if it is malformed. */
function hostOfHeader(header: string): string | undefined {
  const host = HOST_HEADER.exec(header.toLowerCase())?.[1]
  return host === undefined ? undefined : normalHost(host)
}

/** Normalizes a host: lower case; IPv6 addresses in brackets, shortened, without zone. */
export function normalHost(host: string): string {
  const name = host.toLowerCase()
  const literal = name.replace(/^\[|\]$/g, '').replace(/%.*$/, '')
  return isIPv6(literal) ? new URL(`http://[${literal}]`).hostname : name
}

/** True if a normalized host always means this machine, as names under localhost do (RFC 6761). */
export function isLoopback(host: string): boolean {
  if (host === 'localhost' || host === '[::1]' || host.endsWith('.localhost')) return true
  return host.startsWith('127.') && isIPv4(host)
}

/** True if a server on this host listens on every address of the machine. */
export function isWildcard(hostname: string): boolean {
  const host = normalHost(hostname)
  return host === '0.0.0.0' || host === '[::]'
}

export function urlHost(hostname: string): string {
  return isIPv6(hostname) || hostname.includes('%') ? `[${hostname}]` : hostname
}

/** Named like the options of the devnet. */
export interface AccessOptions {
  readonly hostname: string
  /** Host names that requests may use, besides `hostname` and loopback names. Default: none */
  readonly allowHost?: readonly string[] | undefined
  /**
   * Origins besides loopback pages that may call the node; can hold `null`, or `*` for all.
   * Default: none
   */
  readonly allowOrigin?: readonly string[] | undefined
}

/**
 * Admits requests by their Host and Origin headers.
 *
 * The accounts of a dev node are unlocked, and a page on any site can send requests to `127.0.0.1`.
 * So the Origin must be one that a developer runs. A page can also make its own name resolve to
 * `127.0.0.1` (DNS rebinding), so that the browser treats node and page as one origin. Its requests
 * carry that name as Host, so the Host must be one that no attacker can own.
 *
 * @param allowsExtensions - whether browser extensions, such as wallets, may call the node
 */
export function createAccess(options: AccessOptions, allowsExtensions = true) {
  const { hostname, allowHost = [], allowOrigin = [] } = options
  const hosts = new Set([hostname, ...allowHost].map(normalHost))
  const anyAddress = isWildcard(hostname)
  const origins = new Set(allowOrigin.map((origin) => origin.toLowerCase().replace(/\/$/, '')))
  const anyOrigin = origins.has('*')

  function isHostAllowed(header: string): boolean {
    const host = hostOfHeader(header)
    if (host === undefined) return false
    if (isLoopback(host) || hosts.has(host)) return true
    // No name server can redirect an IP address.
    return anyAddress && (host.startsWith('[') || isIPv4(host))
  }

  function isOriginAllowed(origin: string): boolean {
    if (anyOrigin || origins.has(origin.toLowerCase())) return true
    if (allowsExtensions && EXTENSION.test(origin)) return true
    if (!/^https?:\/\//.test(origin) || !URL.canParse(origin)) return false
    const url = new URL(origin)
    return url.origin === origin && isLoopback(url.hostname)
  }

  // Cached, because most requests have the same two headers as the one before.
  let lastHost: string | undefined
  let lastOrigin: string | undefined

  return {
    /** The reason for refusing a request, as a sentence; `undefined` if it is admitted. */
    refusal(host: string | undefined, origin: string | undefined): string | undefined {
      if (host !== undefined && host === lastHost && origin === lastOrigin) return undefined
      if (host === undefined || !isHostAllowed(host)) {
        const name = hostOfHeader(host ?? '')
        return `Host ${quote(host)} is not allowed; start the node with --allow-host ${name ?? '<name>'} to admit it.`
      }
      if (origin !== undefined && !isOriginAllowed(origin)) {
        return `Origin ${quote(origin)} is not allowed; start the node with --allow-origin <origin> to admit it.`
      }
      lastHost = host
      lastOrigin = origin
      return undefined
    },
  }
}

const EXTENSION = /^(?:chrome|moz|safari-web)-extension:\/\/[^/]+$/

/**
 * The origin of the page that sends a request, or that has it sent: to load a script, an image or a
 * frame from another site, browsers name it only in the Referer. `null` if the page hides it, and
 * `undefined` for other clients and for links. That a devnet runs here is no business of foreign
 * pages.
 */
export function pageOrigin(headers: IncomingHttpHeaders): string | undefined {
  const { origin, referer = '', 'sec-fetch-site': site, 'sec-fetch-dest': dest } = headers
  if (origin !== undefined || site !== 'cross-site' || dest === 'document') return origin
  return URL.canParse(referer) ? new URL(referer).origin : 'null'
}

/**
 * Takes the host of an absolute target for that of the request, as servers must (RFC 9112 §3.2.2).
 *
 * @returns what is malformed, as a sentence; `undefined` for a good request
 */
export function takeTarget(request: IncomingMessage): string | undefined {
  const { rawHeaders, headers, url = '/' } = request
  // node:http keeps the first of several, and a proxy before it may have looked at another.
  const isHost = (text: string, at: number) =>
    at % 2 === 0 && text.length === 4 && text.toLowerCase() === 'host'
  if (rawHeaders.filter(isHost).length > 1) return 'A request has one Host header (RFC 9112).'
  if (url.startsWith('/') || url === '*') return undefined
  if (!URL.canParse(url)) return 'The target of a request is a path or a URL.'
  const { host, pathname, search } = new URL(url)
  headers.host = host
  request.url = pathname + search
  return undefined
}

/** Quotes a header for an error message, cut to 100 characters. */
function quote(header: string | undefined): string {
  return header === undefined ? '(none)' : JSON.stringify(shorten(header, 100))
}
