import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import { OptionError } from '../primitives/errors.ts'

/** A token from the environment must be hard to guess and fit into a header and a URL. */
const TOKEN = /^[A-Za-z0-9._~-]{16,}$/

export const newToken = () => randomBytes(32).toString('base64url')

export const isToken = (text: string) => TOKEN.test(text)

/** The token of a part of the node that only its user may use. */
export class AccessToken {
  readonly #variable: string
  #text: string | undefined

  /** @param variable - environment variable that may set it */
  constructor(variable: string) {
    this.#variable = variable
  }

  /** From the environment, or random for this run. */
  get text(): string {
    this.#text ??= process.env[this.#variable] ?? newToken()
    return this.#text
  }

  /** Checks the token from the environment. @throws {OptionError} */
  check(): void {
    const given = process.env[this.#variable]
    if (given === undefined || isToken(given)) return
    throw new OptionError(
      `${this.#variable} must have at least 16 characters, of letters, digits and . _ ~ -`,
    )
  }

  /** True if `given` is the token. Compares in constant time. */
  is(given: string): boolean {
    const digest = (text: string) => createHash('sha256').update(text).digest()
    return timingSafeEqual(digest(given), digest(this.text))
  }
}
