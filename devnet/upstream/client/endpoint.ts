import { createHash } from 'node:crypto'
import { unescape as decoded } from 'node:querystring'
import { OptionError, presentable } from '../../primitives/errors.ts'

/** Stands in the place of a secret. */
const MASK = '***'

/** Characters of the shortest text that counts as secret: to hide `v2` would spoil messages. */
const SHORTEST_SECRET = 4

/** Address that requests are sent to. Only its origin may be shown: the rest may hold keys. */
export class Endpoint {
  readonly origin: string
  readonly path: string
  /**
   * Names the endpoint in the disk cache: 128 bits of a hash of the URL, which reveal no key in its
   * path. Without user, password and headers: they say who asks, not whom, and a password may be
   * guessed.
   */
  readonly key: string
  readonly headers: Readonly<Record<string, string>>
  /** Longest first, because one may be a part of another. */
  readonly #secrets: readonly string[]

  /** @throws {OptionError} if the URL is none, or neither http nor https */
  constructor(text: string, headers: Readonly<Record<string, string>> = {}) {
    const url = URL.parse(text)
    if (url === null) throw new OptionError('The URL of the upstream is not valid.')
    if (url.protocol !== 'http:' && url.protocol !== 'https:') {
      throw new OptionError(
        `The URL of the upstream must begin with http:// or https://, not with ${url.protocol}//.`,
      )
    }
    const { username, password, pathname, search } = url
    this.origin = url.origin
    this.path = pathname + search
    const digest = createHash('sha256').update(this.origin + this.path)
    this.key = digest.digest('hex').slice(0, 32)
    // Unlike decodeURIComponent, it takes a bare % for itself.
    const user = [username, password].map((part) => decoded(part)).join(':')
    this.headers = {
      'content-type': 'application/json',
      ...(user === ':' ? {} : { authorization: `Basic ${Buffer.from(user).toString('base64')}` }),
      ...checkedHeaders(headers),
    }
    const values = [this.headers.authorization ?? '', ...Object.values(headers)]
    const secrets = new Set([
      ...[url.href, text, username, password, ...user.split(':'), search],
      ...pathname.split('/'),
      ...url.searchParams.values(),
      // `Bearer` and `Basic` stand before a secret.
      ...values.flatMap((value) => [value, ...value.split(' ')]),
    ])
    this.#secrets = [...secrets]
      .filter((secret) => secret.length >= SHORTEST_SECRET)
      .toSorted((a, b) => b.length - a.length)
  }

  /** A text of the upstream or the system, fit to be shown: it cannot control a terminal. */
  clean(text: string): string {
    return presentable(this.mask(text))
  }

  /** A text without secrets: upstreams repeat keys in errors. */
  mask(text: string): string {
    let masked = text
    for (const secret of this.#secrets) masked = masked.replaceAll(secret, MASK)
    return masked
  }

  /** True if a text holds a secret, and so must not be written to a file. */
  readonly hasSecret = (text: string): boolean => this.mask(text) !== text

  /** Parsed JSON whose texts are {@link mask | masked}; `undefined` if there is too much of it. */
  maskJson(json: unknown): unknown {
    let left = LARGEST_DATA
    const masked = (value: unknown): unknown => {
      if (typeof value === 'string') {
        left -= value.length
        return left < 0 ? '' : this.mask(value)
      }
      if (typeof value !== 'object' || value === null) return value
      // Each member takes some characters. A list is not copied if it has too many of them.
      left -= Array.isArray(value) ? value.length : 1
      if (left < 0) return null
      if (Array.isArray(value)) return value.map(masked)
      const fields = Object.entries(value).map(([name, each]) => [masked(name), masked(each)])
      return Object.fromEntries(fields)
    }
    const result = masked(json)
    return left < 0 ? undefined : result
  }
}

/** Maximum characters of the data of an error; longer data is left out. No revert has so many. */
const LARGEST_DATA = 1 << 20

/** Field names and values that HTTP allows (RFC 9110 §5). */
const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/
const HEADER_VALUE = /^[\t\x20-\x7e\x80-\xff]*$/

/** The headers in lower case; the message of an error names none of their values. */
function checkedHeaders(headers: Readonly<Record<string, string>>): Record<string, string> {
  const checked: Record<string, string> = {}
  for (const [index, [name, value]] of Object.entries(headers).entries()) {
    if (!HEADER_NAME.test(name) || !HEADER_VALUE.test(value)) {
      throw new OptionError(`Header ${index + 1} of the upstream is not valid in HTTP.`)
    }
    checked[name.toLowerCase()] = value
  }
  return checked
}
