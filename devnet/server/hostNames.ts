import { isIPv4, isIPv6 } from 'node:net'

const HOST_HEADER = /^(\[[0-9a-f:.]+\]|[a-z0-9_](?:[a-z0-9._-]*[a-z0-9_])?)\.?(?::\d{1,5})?$/

/** The host of a Host header in its normal form, without port; `undefined` where it is malformed. */
export function hostOfHeader(header: string): string | undefined {
  const host = HOST_HEADER.exec(header.toLowerCase())?.[1]
  return host === undefined ? undefined : normalHost(host)
}

/** One spelling for each host: lower case, an IPv6 address in brackets, shortened, without its zone. */
export function normalHost(host: string): string {
  const name = host.toLowerCase()
  const literal = name.replace(/^\[|\]$/g, '').replace(/%.*$/, '')
  return isIPv6(literal) ? new URL(`http://[${literal}]`).hostname : name
}

/** Whether a normal host can only be this machine: what the name resolves to is fixed (RFC 6761). */
export function isLoopback(host: string): boolean {
  if (host === 'localhost' || host === '[::1]' || host.endsWith('.localhost')) return true
  return host.startsWith('127.') && isIPv4(host)
}

/** Whether a normal host is an IP address: no name server was asked, so none could lie. */
export function isAddress(host: string): boolean {
  return host.startsWith('[') || isIPv4(host)
}

/** Whether a server that listens there listens on every address of the machine. */
export function isWildcard(hostname: string): boolean {
  const host = normalHost(hostname)
  return host === '0.0.0.0' || host === '[::]'
}

/** A host as it stands in a URL. */
export function urlHost(hostname: string): string {
  return isIPv6(hostname) || hostname.includes('%') ? `[${hostname}]` : hostname
}
