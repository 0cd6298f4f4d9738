import { ChainFileError, reasonOf } from '../primitives/errors.ts'
import type { Hex } from '../primitives/hex.ts'
import { isObject, parseForeignInPieces } from '../primitives/json.ts'
import type { Paced } from '../primitives/paced.ts'
import { printable } from '../primitives/printable.ts'

/**
 * An object in a genesis file or dump, whose fields are read one by one; errors name the file and
 * the field. Numbers are accepted as geth accepts them.
 *
 * Not a zod schema, which the parameters of JSON-RPC methods have: loading a dump of 20,000 blocks
 * and 50,000 accounts takes 12 s, 1.3 s of them in these readers; zod would take 2.2 s. Genesis
 * files are read here too, because their accounts have the same form.
 */
export class JsonFields {
  readonly #file: string
  /** Path of the object in the file, with a trailing dot, e.g. `alloc.`; empty for the root. */
  readonly #path: string
  readonly #fields: Readonly<Record<string, unknown>>

  private constructor(file: string, path: string, fields: Readonly<Record<string, unknown>>) {
    this.#file = file
    this.#path = path
    this.#fields = fields
  }

  /** @throws {ChainFileError} if the text is not a JSON object */
  static *parse(file: string, text: string): Paced<JsonFields> {
    let value: unknown
    try {
      value = yield* parseForeignInPieces(text)
    } catch (error) {
      const reason = printable(reasonOf(error))
      throw new ChainFileError(`${file} is not JSON: ${reason}`, { cause: error })
    }
    if (!isObject(value)) throw new ChainFileError(`${file} must hold a JSON object.`)
    return new JsonFields(file, '', value)
  }

  /** @param path - where the object is, with a trailing dot */
  static of(file: string, path: string, fields: Readonly<Record<string, unknown>>): JsonFields {
    return new JsonFields(file, path, fields)
  }

  /** The error that says what is wrong with a field. */
  error(name: string, problem: string): ChainFileError {
    return new ChainFileError(`${this.#file}: ${this.#path}${name} ${problem}.`)
  }

  names(): string[] {
    return Object.keys(this.#fields)
  }

  /** Whether a field is there and not `null`. */
  has(name: string): boolean {
    const value = this.#fields[name]
    return value !== undefined && value !== null
  }

  /** Whether a field holds 0 in any notation. Never throws, whatever else the field holds. */
  isZero(name: string): boolean {
    const value = this.#fields[name]
    return isNumeral(value) && /^(?:0x)?0+$/i.test(String(value))
  }

  /** The object in a field; `undefined` if there is none. */
  object(name: string): JsonFields | undefined {
    if (!this.has(name)) return undefined
    const value = this.#fields[name]
    if (!isObject(value)) throw this.#wrong(name, 'an object')
    return new JsonFields(this.#file, `${this.#path}${name}.`, value)
  }

  /** @throws {ChainFileError} if it is missing */
  requiredObject(name: string): JsonFields {
    return this.object(name) ?? this.#missing(name)
  }

  /** The objects in a list, one after the other; none if there is no list. */
  *objects(name: string): Generator<JsonFields, void> {
    const list = this.#list(name)
    for (const index of list.names()) yield list.requiredObject(index)
  }

  /** The `[hash, object]` pairs in a list, one after the other; none if there is no list. */
  *pairs(name: string): Generator<[Hex, JsonFields], void> {
    const list = this.#list(name)
    for (const index of list.names()) {
      const pair = list.#list(index)
      yield [pair.requiredBytes('0', 32), pair.requiredObject('1')]
    }
  }

  /** The bytes in a list, each as {@link bytes} reads it; none if there is no list. */
  bytesList(name: string, length?: number): Hex[] {
    const list = this.#list(name)
    return list.names().map((index) => list.requiredBytes(index, length))
  }

  /** A list as an object, whose fields are named by index; empty if there is no list. */
  #list(name: string): JsonFields {
    const value = this.has(name) ? this.#fields[name] : []
    if (!Array.isArray(value)) throw this.#wrong(name, 'a list')
    return new JsonFields(this.#file, `${this.#path}${name}.`, { ...value })
  }

  /** @throws {ChainFileError} if it is missing or not a string */
  text(name: string): string {
    const value = this.#fields[name] ?? this.#missing(name)
    if (typeof value !== 'string') throw this.#wrong(name, 'text')
    return value
  }

  flag(name: string): boolean {
    const value = this.#fields[name] ?? false
    if (typeof value !== 'boolean') throw this.#wrong(name, 'true or false')
    return value
  }

  /** A whole number below 2^`bits`, also as decimal or hex text; `undefined` if it is missing. */
  number(name: string, bits: 64 | 256 = 64): bigint | undefined {
    if (!this.has(name)) return undefined
    const value = this.#fields[name]
    if (typeof value === 'number' && value > Number.MAX_SAFE_INTEGER) {
      throw this.error(name, 'is too large for a JSON number: write it as text, in quotes')
    }
    if (!isNumeral(value) || !/^(?:\d+|0x[0-9a-f]+)$/i.test(String(value))) {
      throw this.#wrong(name, 'a whole number')
    }
    const number = BigInt(value)
    if (number >= 2n ** BigInt(bits)) throw this.#wrong(name, `a number below 2^${bits}`)
    return number
  }

  /** As {@link number}. @throws {ChainFileError} if it is missing */
  requiredNumber(name: string, bits: 64 | 256 = 64): bigint {
    return this.number(name, bits) ?? this.#missing(name)
  }

  /** A whole JSON number, possibly negative. @throws {ChainFileError} if it is anything else */
  integer(name: string): number {
    const value = this.#fields[name] ?? this.#missing(name)
    if (!Number.isSafeInteger(value)) throw this.#wrong(name, 'a whole number')
    return Number(value)
  }

  /**
   * Bytes in hexadecimal, with or without 0x; `undefined` if there are none.
   *
   * @param length - number of bytes; shorter values are padded with zeros in front. Default: any
   */
  bytes(name: string, length?: number): Hex | undefined {
    if (!this.has(name)) return undefined
    const digits = hexDigits(this.#fields[name])
    if (digits === undefined) throw this.#wrong(name, 'hexadecimal')
    if (length === undefined) {
      if (digits.length % 2 === 1) throw this.#wrong(name, 'whole bytes in hexadecimal')
      return `0x${digits}`
    }
    if (digits.length > 2 * length) throw this.#wrong(name, `hexadecimal of ${length} bytes`)
    return `0x${digits.padStart(2 * length, '0')}`
  }

  /** As {@link bytes}. @throws {ChainFileError} if they are missing */
  requiredBytes(name: string, length?: number): Hex {
    return this.bytes(name, length) ?? this.#missing(name)
  }

  #missing(name: string): never {
    throw this.error(name, 'is missing')
  }

  #wrong(name: string, expected: string): ChainFileError {
    const value = JSON.stringify(this.#fields[name])
    const shown = value.length > 80 ? `${value.slice(0, 80)}…` : value
    return this.error(name, `must be ${expected}, not ${shown}`)
  }
}

/** The digits of hexadecimal text in lower case, without 0x; `undefined` for anything else. */
export function hexDigits(value: unknown): string | undefined {
  const match = typeof value === 'string' ? /^(?:0x)?([0-9a-f]*)$/i.exec(value) : null
  return match?.[1]?.toLowerCase()
}

/** Whether a value may be a number, and can be written: an object may have no text. */
function isNumeral(value: unknown): value is number | string {
  return typeof value === 'number' || typeof value === 'string'
}
