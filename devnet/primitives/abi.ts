import { WORD } from './bytes.ts'
import { type Hex, toHex } from './hex.ts'
import { isObject } from './json.ts'

/** A parameter of a function, an event, an error or a constructor. */
export interface AbiParameter {
  /** Canonical, such as `uint256` or `(address,uint256)[]`. */
  readonly type: string
  /** Empty if it has none. */
  readonly name: string
  /** Of a tuple, or of the tuples in an array; otherwise empty. */
  readonly components: readonly AbiParameter[]
  /** True if it is a topic of an event. Default: false */
  readonly indexed?: boolean
}

export interface AbiEntry {
  readonly kind: string
  /** Empty for a constructor. */
  readonly name: string
  readonly inputs: readonly AbiParameter[]
  /** Canonical, such as `transfer(address,uint256)`. */
  readonly signature: string
  /** Results of a function. Default: nothing */
  readonly outputs?: readonly AbiParameter[]
  /** Of a function: `view`, `pure`, `payable` or `nonpayable`. Default: unknown */
  readonly mutability?: string
  /** True for an event whose first topic is not the hash of its signature. Default: false */
  readonly anonymous?: true
}

/** Deepest nesting of tuples that is read. */
const MAX_LEVELS = 16
/** Longest type that is read, in characters. It bounds how deep arrays nest. */
const MAX_TYPE_LENGTH = 64
/** Number of entries, and of parameters with their components, that are read. */
const MOST_ENTRIES = 5000
const MOST_PARAMETERS = 50_000

const NAMED: ReadonlySet<string> = new Set(['function', 'error', 'event'])

/**
 * The entries of an ABI in JSON. What is malformed, or too much, is left out: the JSON may be of
 * any program.
 */
export function readAbi(abi: readonly unknown[]): readonly AbiEntry[] {
  const rest = { left: MOST_PARAMETERS }
  return abi.slice(0, MOST_ENTRIES).flatMap((entry) => {
    if (!isObject(entry) || typeof entry.type !== 'string') return []
    const { type: kind, name = '' } = entry
    const inputs = readParameters(entry.inputs ?? [], 0, rest)
    if (typeof name !== 'string' || inputs === undefined) return []
    if (name === '' && NAMED.has(kind)) return []
    const signature = `${name}(${typesOf(inputs)})`
    const plain = { kind, name, inputs, signature }
    if (kind !== 'function')
      return [entry.anonymous === true ? { ...plain, anonymous: true } : plain]
    const { stateMutability: mutability } = entry
    const outputs = readParameters(entry.outputs ?? [], 0, rest) ?? []
    const more = typeof mutability === 'string' ? { outputs, mutability } : { outputs }
    return [{ ...plain, ...more }]
  })
}

type Rest = { left: number }

function readParameters(values: unknown, level: number, rest: Rest): AbiParameter[] | undefined {
  if (!Array.isArray(values) || level > MAX_LEVELS) return undefined
  rest.left -= values.length
  if (rest.left < 0) return undefined
  const parameters = values.map((value) =>
    isObject(value) ? readParameter(value, level, rest) : undefined,
  )
  return parameters.every((parameter) => parameter !== undefined) ? parameters : undefined
}

function readParameter(
  { type, name = '', indexed, components: given = [] }: Readonly<Record<string, unknown>>,
  level: number,
  rest: Rest,
): AbiParameter | undefined {
  if (typeof type !== 'string' || typeof name !== 'string') return undefined
  if (type.length > MAX_TYPE_LENGTH) return undefined
  const topic = indexed === true ? { indexed } : {}
  if (!type.startsWith('tuple')) {
    // Solidity's ABIs are canonical; those written by hand may say `uint`.
    const canonical = type.replace(/^(u?int)(?=\[|$)/, '$1256')
    return { type: canonical, name, components: [], ...topic }
  }
  const components = readParameters(given, level + 1, rest)
  if (components === undefined) return undefined
  const canonical = `(${typesOf(components)})${type.slice('tuple'.length)}`
  return { type: canonical, name, components, ...topic }
}

function typesOf(parameters: readonly AbiParameter[]): string {
  return parameters.map(({ type }) => type).join()
}

/** A decoded parameter, or an element of an array (without a name). */
export interface AbiValue {
  readonly name: string
  readonly type: string
  /** Bytes and addresses in lower-case hexadecimal; a list for arrays and tuples. */
  readonly value: Hex | string | bigint | boolean | readonly AbiValue[]
  /** Number of bytes, elements or components that were left out because of the limits. */
  readonly omitted: number
}

/** Data, or an argument, that does not fit its ABI. */
export class AbiError extends Error {}

export interface AbiLimits {
  readonly elements: number
  /** Values of all arrays and tuples together. */
  readonly values: number
  /** Bytes of all strings and byte strings together. */
  readonly bytes: number
}

/**
 * Decodes ABI-encoded parameters. What exceeds the limits is not even looked at, so that the work
 * is bounded whatever the data says.
 *
 * @returns `undefined` if the data does not fit the types, or a type is unknown
 */
export function decodeParameters(
  parameters: readonly AbiParameter[],
  data: Uint8Array,
  limits: AbiLimits,
): readonly AbiValue[] | undefined {
  const decoder = new Decoder(data, limits)
  let head = 0
  try {
    return parameters.map((parameter) => {
      const value = decoder.valueAt(parameter, head, 0)
      head += headSize(parameter)
      return value
    })
  } catch (error) {
    if (error instanceof AbiError) return undefined
    throw error
  }
}

class Decoder {
  readonly #data: Buffer
  readonly #elements: number
  #values: number
  #bytes: number

  constructor(data: Uint8Array, { elements, values, bytes }: AbiLimits) {
    this.#data = Buffer.from(data.buffer, data.byteOffset, data.length)
    this.#elements = elements
    this.#values = values
    this.#bytes = bytes
  }

  /** @param base - from where offsets count: the first head of the same tuple or array */
  valueAt(parameter: AbiParameter, head: number, base: number): AbiValue {
    const start = isDynamic(parameter) ? base + this.#length(head) : head
    const { name, type, components } = parameter
    const array = arrayOf(parameter)
    if (array !== undefined) return { name, type, ...this.#array(type, array, start) }
    if (type.startsWith('(')) return { name, type, ...this.#list(components, start) }
    if (type === 'string' || type === 'bytes') return { name, type, ...this.#text(type, start) }
    return { name, type, value: elementary(type, this.#word(start)), omitted: 0 }
  }

  #array(type: string, { element, size }: ArrayType, start: number): List {
    const [length, base] = size === undefined ? [this.#length(start), start + WORD] : [size, start]
    const elementSize = headSize(element)
    // Without this, a word of data could ask for any number of empty elements.
    if (elementSize === 0 && length > 0) throw new AbiError(`${type} has elements without data`)
    if (base + length * elementSize > this.#data.length) throw new AbiError(`${type} is cut off`)
    const first = Array<AbiParameter>(Math.min(length, this.#elements)).fill(element)
    const { value, omitted } = this.#list(first, base)
    return { value, omitted: omitted + length - first.length }
  }

  #list(parameters: readonly AbiParameter[], base: number): List {
    const value: AbiValue[] = []
    let head = base
    for (const parameter of parameters) {
      if (--this.#values < 0) break
      value.push(this.valueAt(parameter, head, base))
      head += headSize(parameter)
    }
    return { value, omitted: parameters.length - value.length }
  }

  #text(type: 'string' | 'bytes', start: number): Pick<AbiValue, 'value' | 'omitted'> {
    const length = this.#length(start)
    const bytes = this.#data.subarray(start + WORD, start + WORD + length)
    if (bytes.length < length) throw new AbiError(`${type} is cut off`)
    const shown = bytes.subarray(0, Math.max(0, this.#bytes))
    this.#bytes -= shown.length
    const omitted = length - shown.length
    if (type === 'bytes') return { value: toHex(shown), omitted }
    // `stream` leaves out a character of which only the beginning is shown.
    const decoder = new TextDecoder(undefined, { ignoreBOM: true })
    return { value: decoder.decode(shown, { stream: omitted > 0 }), omitted }
  }

  #word(at: number): Buffer {
    const word = this.#data.subarray(at, at + WORD)
    if (word.length < WORD) throw new AbiError('the data is cut off')
    return word
  }

  /** An offset or a length, which cannot be more than there is data. */
  #length(at: number): number {
    const value = BigInt(toHex(this.#word(at)))
    if (value > this.#data.length) throw new AbiError('an offset or length exceeds the data')
    return Number(value)
  }
}

type List = { readonly value: readonly AbiValue[] } & Pick<AbiValue, 'omitted'>

interface ArrayType {
  readonly element: AbiParameter
  /** `undefined` if the data says it. */
  readonly size: number | undefined
}

/** The element of an array; `undefined` if the parameter is none. */
export function arrayOf({ type, components }: AbiParameter): ArrayType | undefined {
  const end = /\[(\d*)\]$/.exec(type)
  if (end === null) return undefined
  const element: AbiParameter = { type: type.slice(0, end.index), name: '', components }
  return { element, size: end[1] === '' ? undefined : Number(end[1]) }
}

/** By its type, which has those of all components. */
export const isDynamic = ({ type }: AbiParameter): boolean =>
  /\[\]|(?:^|[(,])(?:string|bytes)(?![^[,)])/.test(type)

/** Bytes that a parameter takes where its tuple begins. */
export function headSize(parameter: AbiParameter): number {
  return isDynamic(parameter) ? WORD : staticSize(parameter)
}

function staticSize(parameter: AbiParameter): number {
  const array = arrayOf(parameter)
  if (array !== undefined) return (array.size ?? 0) * staticSize(array.element)
  if (!parameter.type.startsWith('(')) return WORD
  return parameter.components.reduce((sum, component) => sum + staticSize(component), 0)
}

function elementary(type: string, word: Buffer): Hex | bigint | boolean {
  const value = BigInt(toHex(word))
  const unfit = () => new AbiError(`${toHex(word)} is not of type ${type}`)
  if (type === 'address') {
    if (value >> 160n !== 0n) throw unfit()
    return toHex(word.subarray(12))
  }
  if (type === 'bool') {
    if (value > 1n) throw unfit()
    return value === 1n
  }
  const [, kind = '', digits = ''] = /^(u?int|bytes|function)(\d*)$/.exec(type) ?? []
  const size = kind === 'function' ? 24 : Number(digits)
  if (kind === 'uint' || kind === 'int') {
    if (!(size >= 8 && size <= 256 && size % 8 === 0)) throw new AbiError(`no type ${type}`)
    const read = kind === 'uint' ? BigInt.asUintN(size, value) : BigInt.asIntN(size, value)
    if (BigInt.asUintN(256, read) !== value) throw unfit()
    return read
  }
  if (!(size >= 1 && size <= WORD)) throw new AbiError(`no type ${type.slice(0, 50)}`)
  if (word.subarray(size).some((byte) => byte !== 0)) throw unfit()
  return toHex(word.subarray(0, size))
}
