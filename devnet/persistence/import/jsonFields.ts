import { ChainFileError } from '../../primitives/errors.ts'
import type { Hex } from '../../primitives/hex.ts'
import { isObject } from '../../primitives/json.ts'

/** An object of a JSON file, whose fields are read with errors that name file and field. Numbers as geth takes them. */
export class JsonFields {
  readonly #file: string
  /** Where the object is in the file, with a dot behind; empty for the whole. */
  readonly #path: string
  readonly #fields: Readonly<Record<string, unknown>>

  private constructor(file: string, path: string, fields: Readonly<Record<string, unknown>>) {
    this.#file = file
    this.#path = path
    this.#fields = fields
  }

  /** @throws {ChainFileError} where the text is no JSON object */
  static parse(file: string, text: string): JsonFields {
    let value: unknown
    try {
      value = JSON.parse(text)
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error)
      throw new ChainFileError(`${file} is not JSON: ${reason}`, { cause: error })
    }
    if (!isObject(value)) throw new ChainFileError(`${file} must hold a JSON object.`)
    return new JsonFields(file, '', value)
  }

  /** The error that says what is wrong with a field, or with the object where `name` is empty. */
  error(name: string, problem: string): ChainFileError {
    return new ChainFileError(`${this.#file}: ${this.#path}${name} ${problem}.`)
  }

  names(): string[] {
    return Object.keys(this.#fields)
  }

  has(name: string): boolean {
    const value = this.#fields[name]
    return value !== undefined && value !== null
  }

  /** Whether a field holds 0, however written. */
  isZero(name: string): boolean {
    const value = this.#fields[name]
    return value === 0 || (typeof value === 'string' && /^(?:0x)?0+$/i.test(value))
  }

  /** The object in a field; `undefined` where there is none. */
  object(name: string): JsonFields | undefined {
    if (!this.has(name)) return undefined
    const value = this.#fields[name]
    if (!isObject(value)) throw this.#wrong(name, 'an object')
    return new JsonFields(this.#file, `${this.#path}${name}.`, value)
  }

  /** @throws {ChainFileError} where it is missing */
  requiredObject(name: string): JsonFields {
    const object = this.object(name)
    if (object === undefined) throw this.error(name, 'is missing')
    return object
  }

  /** The objects in a list; none where there is no list. */
  objects(name: string): JsonFields[] {
    return this.#list(name).map((value, index) => {
      const path = `${this.#path}${name}.${index}`
      if (!isObject(value)) throw new ChainFileError(`${this.#file}: ${path} must be an object.`)
      return new JsonFields(this.#file, `${path}.`, value)
    })
  }

  /** Pairs of a hash of 32 bytes and an object in a list; none where there is no list. */
  pairs(name: string): [Hex, JsonFields][] {
    return this.#list(name).map((value, index) => {
      const path = `${this.#path}${name}.${index}.`
      const pair = new JsonFields(this.#file, path, { ...(Array.isArray(value) ? value : []) })
      return [pair.requiredBytes('0', 32), pair.requiredObject('1')]
    })
  }

  /** The bytes in a list, as {@link bytes} reads one; none where there is no list. */
  bytesList(name: string, length?: number): Hex[] {
    const list = new JsonFields(this.#file, `${this.#path}${name}.`, { ...this.#list(name) })
    return list.names().map((index) => list.requiredBytes(index, length))
  }

  #list(name: string): readonly unknown[] {
    if (!this.has(name)) return []
    const value = this.#fields[name]
    if (!Array.isArray(value)) throw this.#wrong(name, 'a list')
    return value
  }

  /** @throws {ChainFileError} where it is missing, or no text */
  text(name: string): string {
    const value = this.#fields[name]
    if (value === undefined) throw this.error(name, 'is missing')
    if (typeof value !== 'string') throw this.#wrong(name, 'text')
    return value
  }

  flag(name: string): boolean {
    if (!this.has(name)) return false
    const value = this.#fields[name]
    if (typeof value !== 'boolean') throw this.#wrong(name, 'true or false')
    return value
  }

  /** A number, or one as text in decimal or hexadecimal; `undefined` where there is none. */
  number(name: string, bits: 64 | 256 = 64): bigint | undefined {
    if (!this.has(name)) return undefined
    const value = this.#fields[name]
    if (typeof value === 'number' && value > Number.MAX_SAFE_INTEGER) {
      throw this.error(name, 'is too large for a JSON number: write it as text, in quotes')
    }
    const text = String(value)
    const isNumber = typeof value === 'number' || typeof value === 'string'
    if (!isNumber || !/^(?:\d+|0x[0-9a-f]+)$/i.test(text)) throw this.#wrong(name, 'a whole number')
    const number = BigInt(text)
    if (number >= 2n ** BigInt(bits)) throw this.#wrong(name, `a number below 2^${bits}`)
    return number
  }

  /** A JSON number without fraction, perhaps below 0. @throws {ChainFileError} where it is missing, or something else */
  integer(name: string): number {
    const value = this.#fields[name]
    if (value === undefined) throw this.error(name, 'is missing')
    if (!Number.isSafeInteger(value)) throw this.#wrong(name, 'a whole number')
    return Number(value)
  }

  /**
   * Bytes in hexadecimal, with 0x or without; `undefined` where there are none.
   *
   * @param length - in bytes; shorter ones get zeros in front. Default: any
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

  /** As {@link number}. @throws {ChainFileError} where it is missing */
  requiredNumber(name: string, bits: 64 | 256 = 64): bigint {
    const number = this.number(name, bits)
    if (number === undefined) throw this.error(name, 'is missing')
    return number
  }

  /** As {@link bytes}. @throws {ChainFileError} where they are missing */
  requiredBytes(name: string, length?: number): Hex {
    const bytes = this.bytes(name, length)
    if (bytes === undefined) throw this.error(name, 'is missing')
    return bytes
  }

  #wrong(name: string, expected: string): ChainFileError {
    const value = JSON.stringify(this.#fields[name])
    const shown = value.length > 80 ? `${value.slice(0, 80)}…` : value
    return this.error(name, `must be ${expected}, not ${shown}`)
  }
}

/** The digits of hexadecimal text in lower case, without 0x; `undefined` where it is none. */
export function hexDigits(value: unknown): string | undefined {
  const match = typeof value === 'string' ? /^(?:0x)?([0-9a-f]*)$/i.exec(value) : null
  return match?.[1]?.toLowerCase()
}
