import { type ClientRequest, type IncomingMessage, type RequestOptions, request } from 'node:http'
import { isLoopback } from '../server/hostNames.ts'

/** How much one POST may take. */
export interface PostLimits {
  /** ms for all of it. */
  readonly timeout: number
  /** Bytes of the answer. */
  readonly maxSize: number
  readonly signal?: AbortSignal
}

/**
 * Posts JSON to a URL that a stranger chose, and resolves with the answer's text: no redirects, no credentials, no cookies,
 * no proxy, a limit for the time and for the size.
 *
 * @throws {Error} when there is no answer with status 200 within the limits
 */
export async function boundedPost(url: string, body: string, limits: PostLimits): Promise<string> {
  const target = new URL(url)
  const timeout = AbortSignal.timeout(limits.timeout)
  const signal = limits.signal === undefined ? timeout : AbortSignal.any([timeout, limits.signal])
  const response = await open(target, body, signal)
  try {
    if (response.statusCode !== 200) throw new Error(`status ${response.statusCode}`)
    let text = ''
    response.setEncoding('utf8')
    for await (const chunk of response) {
      text += chunk
      if (text.length > limits.maxSize) throw new Error(`over ${limits.maxSize} bytes`)
    }
    return text
  } finally {
    response.destroy()
  }
}

async function open(target: URL, body: string, signal: AbortSignal): Promise<IncomingMessage> {
  const isTls = target.protocol === 'https:'
  const send = isTls ? (await import('node:https')).request : request
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>()
  const options: RequestOptions = {
    method: 'POST',
    // A connection of its own: nothing is kept open to an address that a stranger named.
    agent: false,
    signal,
    headers: {
      'Content-Type': 'application/json',
      'Content-Length': Buffer.byteLength(body),
      Accept: 'application/json',
      Host: target.host,
    },
    ...addressOf(target),
  }
  const sent: ClientRequest = send(options, resolve)
  sent.on('error', reject)
  sent.end(body)
  return promise
}

/** Names below `localhost` are this machine, whatever a name server says of them (RFC 6761). */
function addressOf({ hostname, port, pathname, search }: URL): RequestOptions {
  const isBelowLocalhost = isLoopback(hostname) && hostname.endsWith('.localhost')
  return {
    hostname: isBelowLocalhost ? 'localhost' : hostname.replace(/^\[|\]$/g, ''),
    port: port === '' ? null : Number(port),
    path: `${pathname}${search}`,
  }
}
