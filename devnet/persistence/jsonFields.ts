import { ChainFileError, reasonOf, shorten } from '../primitives/errors.ts'
import type { Hex } from '../primitives/hex.ts'
import { isObject, parseForeignInPieces } from '../primitives/json.ts'
import type { Paced } from '../primitives/paced.ts'
import { printable } from '../primitives/printable.ts'
import { fail, flag, integer, type Reader, readWith, refuse, text } from '../primitives/reader.ts'

/**
 * An object in a genesis file or dump, whose fields are read one by one, with pauses: no reader of
 * a whole dump could pause. Errors name the file and the field. Numbers are accepted as geth
 * accepts them.
 */
export class JsonFields {
  readonly #file: string
  /** Path of the object in the file, with a trailing dot, e.g. `alloc.`; empty for the root. */
  readonly #path: string
  readonly #fields: Readonly<Record<string, unknown>>

  /** @param path - where the object is, with a trailing dot */
  constructor(file: string, path: string, fields: Readonly<Record<string, unknown>>) {
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

  error(name: string, problem: string): ChainFileError {
    return new ChainFileError(`${this.#file}: ${this.#path}${name} ${problem}.`)
  }

  names(): string[] {
    return Object.keys(this.#fields)
  }

  /** True if a field is there and not `null`. */
  has(name: string): boolean {
    const value = this.#fields[name]
    return value !== undefined && value !== null
  }

  /** True if a field holds 0 in any notation. Never throws, whatever else the field holds. */
  isZero(name: string): boolean {
    const value = this.#fields[name]
    return isNumeral(value) && /^(?:0x)?0+$/i.test(String(value))
  }

  #optional<T>(name: string, read: Reader<T>): T | undefined {
    const value = this.#fields[name]
    if (value === undefined || value === null) return undefined
    return readWith(read, value, ({ message, expected }) => {
      const wanted = `must be ${expected}, not ${shorten(JSON.stringify(value), 80)}`
      return this.error(name, expected === undefined ? message : wanted)
    })
  }

  #required<T>(name: string, read: Reader<T>): T {
    const value = this.#optional(name, read)
    if (value === undefined) throw this.error(name, 'is missing')
    return value
  }

  /** The object in a field; `undefined` if there is none. */
  object(name: string): JsonFields | undefined {
    return this.has(name) ? this.requiredObject(name) : undefined
  }

  /** @throws {ChainFileError} if it is missing */
  requiredObject(name: string): JsonFields {
    return new JsonFields(this.#file, `${this.#path}${name}.`, this.#required(name, OBJECT))
  }

  /** As {@link object}, but one without fields if there is none. */
  objectOrEmpty(name: string): JsonFields {
    const fields = this.#optional(name, OBJECT) ?? {}
    return new JsonFields(this.#file, `${this.#path}${name}.`, fields)
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
    return new JsonFields(this.#file, `${this.#path}${name}.`, { ...this.#optional(name, LIST) })
  }

  /** @throws {ChainFileError} if it is missing or not a string */
  text(name: string): string {
    return this.#required(name, TEXT)
  }

  flag(name: string): boolean {
    return this.#optional(name, FLAG) ?? false
  }

  /** A whole number below 2^`bits`, also as decimal or hex text; `undefined` if it is missing. */
  number(name: string, bits: 64 | 256 = 64): bigint | undefined {
    return this.#optional(name, NUMBERS[bits])
  }

  /** As {@link number}. @throws {ChainFileError} if it is missing */
  requiredNumber(name: string, bits: 64 | 256 = 64): bigint {
    return this.#required(name, NUMBERS[bits])
  }

  /** A whole JSON number, possibly negative. @throws {ChainFileError} if it is anything else */
  integer(name: string): number {
    return this.#required(name, INTEGER)
  }

  /**
   * Bytes in hexadecimal, with or without 0x; `undefined` if there are none.
   *
   * @param length - number of bytes; shorter values are padded with zeros in front. Default: any
   */
  bytes(name: string, length?: number): Hex | undefined {
    return this.#optional(name, hexadecimal(length))
  }

  /** As {@link bytes}. @throws {ChainFileError} if they are missing */
  requiredBytes(name: string, length?: number): Hex {
    return this.#required(name, hexadecimal(length))
  }
}

const OBJECT: Reader<Readonly<Record<string, unknown>>> = (value, context) =>
  isObject(value) ? value : refuse(context, value, 'an object')

const LIST: Reader<readonly unknown[]> = (value, context) =>
  Array.isArray(value) ? value : refuse(context, value, 'a list')

const [TEXT, FLAG, INTEGER] = [text('text'), flag(), integer({ what: 'a whole number' })]

const NUMBERS = { 64: wholeNumber(64), 256: wholeNumber(256) }

function wholeNumber(bits: number): Reader<bigint> {
  const end = 2n ** BigInt(bits)
  return (value, context) => {
    if (typeof value === 'number' && value > Number.MAX_SAFE_INTEGER) {
      fail(context, 'is too large for a JSON number: write it as text, in quotes')
    }
    if (!isNumeral(value) || !/^(?:\d+|0x[0-9a-f]+)$/i.test(String(value))) {
      return refuse(context, value, 'a whole number')
    }
    const number = BigInt(value)
    return number < end ? number : refuse(context, value, `a number below 2^${bits}`)
  }
}

function hexadecimal(length: number | undefined): Reader<Hex> {
  return (value, context) => {
    const digits = hexDigits(value) ?? refuse(context, value, 'hexadecimal')
    if (length === undefined) {
      if (digits.length % 2 === 1) refuse(context, value, 'whole bytes in hexadecimal')
      return `0x${digits}`
    }
    if (digits.length > 2 * length) refuse(context, value, `hexadecimal of ${length} bytes`)
    return `0x${digits.padStart(2 * length, '0')}`
  }
}

/** The digits of hexadecimal text in lower case, without 0x; `undefined` for anything else. */
export function hexDigits(value: unknown): string | undefined {
  const match = typeof value === 'string' ? /^(?:0x)?([0-9a-f]*)$/i.exec(value) : null
  return match?.[1]?.toLowerCase()
}

/** True if a value may be a number, and can be written: an object may have no text. */
function isNumeral(value: unknown): value is number | string {
  return typeof value === 'number' || typeof value === 'string'
}
