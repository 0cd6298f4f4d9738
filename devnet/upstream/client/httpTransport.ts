import { OptionError } from '../../primitives/errors.ts'
import { boundedText } from '../../primitives/foreign.ts'
import type { Endpoint } from './endpoint.ts'

export interface HttpAnswer {
  readonly status: number
  /** The header `Retry-After`; `undefined` if there is none. */
  readonly retryAfter: string | undefined
  readonly body: string
}

/** Sends bodies of JSON-RPC. */
export interface Transport {
  /** @throws {Error} if there is no whole answer */
  post(body: string, signal: AbortSignal): Promise<HttpAnswer>
  /** Ends all connections at once. */
  close(): Promise<void>
}

/** ms until a connection must stand. */
const CONNECT_TIMEOUT = 10_000

/** ms that an unused connection stays open, unless the upstream says otherwise. */
const KEEP_ALIVE = 30_000

/**
 * Bytes of the longest answer. A batch of the largest contracts has 5 MB, and few traces more than
 * this; without a bound, an upstream that does not end takes all memory.
 */
const LARGEST_ANSWER = 16 << 20

/**
 * The transport to an upstream, through a proxy if the environment names one. undici is loaded
 * here, so plain chains never load it. Node's own `fetch` is the same code without timeouts and
 * limits.
 *
 * @param parameters.timeout - ms that an upstream may be silent
 * @param parameters.connections - most connections at a time
 */
export async function openHttpTransport(
  { origin, path, headers }: Endpoint,
  { timeout, connections }: { readonly timeout: number; readonly connections: number },
): Promise<Transport> {
  const { EnvHttpProxyAgent } = await import('undici')
  const agent = new EnvHttpProxyAgent({
    httpProxy: proxyIn('http_proxy', 'HTTP_PROXY'),
    httpsProxy: proxyIn('https_proxy', 'HTTPS_PROXY'),
    connections,
    connect: { timeout: Math.min(CONNECT_TIMEOUT, timeout) },
    headersTimeout: timeout,
    bodyTimeout: timeout,
    keepAliveTimeout: KEEP_ALIVE,
  })
  return {
    async post(body, signal) {
      const method = 'POST'
      const answer = await agent.request({ origin, path, method, headers, body, signal })
      const retryAfter = answer.headers['retry-after']
      return {
        status: answer.statusCode,
        retryAfter: Array.isArray(retryAfter) ? retryAfter[0] : retryAfter,
        body: await boundedText(answer.body, LARGEST_ANSWER),
      }
    },
    close: () => agent.destroy(),
  }
}

/**
 * The proxy that one of these variables names; empty for none. As in curl and Go, it may be without
 * `http://`, which undici wants.
 *
 * @throws {OptionError} if it is no address; shows none of it, as it may hold a password
 */
function proxyIn(...names: readonly string[]): string {
  const name = names.find((one) => process.env[one] !== undefined) ?? ''
  const given = process.env[name]?.trim() ?? ''
  if (given === '') return ''
  try {
    const url = new URL(/^\w+:\/\//.test(given) ? given : `http://${given}`)
    // undici does so too.
    decodeURIComponent(url.username + url.password)
    if (/^(?:https?|socks5?):$/.test(url.protocol)) return url.href
  } catch {
    // It is no URL.
  }
  throw new OptionError(`${name} names no proxy: want an address such as http://127.0.0.1:3128.`)
}
