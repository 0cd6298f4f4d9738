import type { ClientRequest, IncomingMessage, RequestOptions } from 'node:http'
import type { ChainProbe } from '../../options/walletOptions.ts'
import { boundedText } from '../../primitives/foreign.ts'
import { type Hex, isHex, quantityFrom } from '../../primitives/hex.ts'
import { request } from '../../primitives/http.ts'
import { isObject, parseForeign } from '../../primitives/json.ts'
import { Semaphore } from '../../primitives/serialQueue.ts'
import { isLoopback } from '../../server/access.ts'

/**
 * Posts JSON to an untrusted URL and resolves with the text of the answer. Follows no redirects,
 * sends no credentials, uses no proxy, keeps no connection open. `fetch` cannot do so: it shares
 * the process's dispatcher, which may keep connections or use a proxy (NODE_USE_ENV_PROXY), and
 * resolves names below `localhost` by DNS.
 *
 * @param limits - `timeout`: ms for the whole exchange; `maxSize`: most bytes in the answer
 * @throws {Error} if there is no answer with status 200 within the limits
 */
export async function boundedPost(
  url: string,
  body: string,
  limits: { readonly timeout: number; readonly maxSize: number; readonly signal?: AbortSignal },
): Promise<string> {
  const target = new URL(url)
  const timeout = AbortSignal.timeout(limits.timeout)
  const signal = limits.signal === undefined ? timeout : AbortSignal.any([timeout, limits.signal])
  const response = await open(target, body, signal)
  try {
    if (response.statusCode !== 200) throw new Error(`status ${response.statusCode}`)
    return await boundedText(response, limits.maxSize)
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
    // A new connection, without keep-alive or proxy.
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

/** Names below `localhost` mean this machine, whatever DNS says (RFC 6761). */
function addressOf({ hostname, port, pathname, search }: URL): RequestOptions {
  const isBelowLocalhost = isLoopback(hostname) && hostname.endsWith('.localhost')
  return {
    hostname: isBelowLocalhost ? 'localhost' : hostname.replace(/^\[|\]$/g, ''),
    port: port === '' ? null : Number(port),
    path: `${pathname}${search}`,
  }
}

/** Result of a probe, without the answer: pages must not explore servers beyond their reach. */
export type ProbeOutcome = 'match' | 'mismatch' | 'no answer' | 'not asked'

export type Probe = (url: string, chainId: Hex) => Promise<ProbeOutcome>

const LIMITS = { timeout: 3000, maxSize: 64 * 1024 } as const
/** Maximum number of probes running at once, across all sessions. */
const MAX_PROBES = 32
const QUESTION = '{"jsonrpc":"2.0","id":1,"method":"eth_chainId","params":[]}'

/**
 * Creates the function that asks RPC URLs for their chain id.
 *
 * @param given - replaces the built-in probe; `false`: ask no URL
 * @param isCi - whether the built-in probe skips public hosts, on which CI must not depend
 */
export function createProbe(given: ChainProbe | false | undefined, isCi = runsInCi()): Probe {
  const questions = new Semaphore(MAX_PROBES)

  return async (url, chainId) => {
    if (given === false) return 'not asked'
    if (given === undefined && isCi && !isLoopback(new URL(url).hostname)) return 'not asked'
    let answer: unknown
    try {
      answer = await questions.run(async () => (given ?? askAtLeisure)(url))
    } catch {
      // The reason stays hidden, see ProbeOutcome.
      return 'no answer'
    }
    const id = quantityFrom(answer)
    if (id === undefined) return 'no answer'
    return id === BigInt(chainId) ? 'match' : 'mismatch'
  }
}

/**
 * Asks an RPC for its chain id. Every failure takes the time of the slowest: a page must not learn
 * from it which ports of this machine, or of its network, are open.
 */
async function askAtLeisure(url: string): Promise<string> {
  const slowest = new Promise((resolve) => setTimeout(resolve, LIMITS.timeout).unref())
  try {
    const answer: unknown = parseForeign(await boundedPost(url, QUESTION, LIMITS))
    const result = isObject(answer) ? answer.result : undefined
    if (isHex(result) && quantityFrom(result) !== undefined) return result
    throw new Error('no chain id')
  } catch (error) {
    await slowest
    throw error
  }
}

function runsInCi(): boolean {
  const { CI } = process.env
  return CI !== undefined && CI !== '' && CI !== 'false' && CI !== '0'
}
