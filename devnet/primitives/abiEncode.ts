import { AbiError, type AbiParameter, arrayOf, headSize, isDynamic } from './abi.ts'
import { WORD } from './bytes.ts'
import { isBytes } from './hex.ts'

/** An argument as text: `0x…` or decimal, `true` or `false`; a list for arrays and tuples. */
export type AbiArgument = string | readonly AbiArgument[]

/**
 * Encodes arguments that are given as text.
 *
 * @throws {AbiError} if one does not fit its type, in words for whoever typed it
 */
export function encodeArguments(
  parameters: readonly AbiParameter[],
  given: readonly AbiArgument[],
): Uint8Array {
  return encodeList(parameters, given, 'the function')
}

function encodeList(
  parameters: readonly AbiParameter[],
  given: readonly AbiArgument[],
  whole: string,
): Buffer {
  if (given.length !== parameters.length) {
    throw new AbiError(`${whole} takes ${parameters.length} values, not ${given.length}`)
  }
  let tail = parameters.reduce((sum, parameter) => sum + headSize(parameter), 0)
  const heads: Buffer[] = []
  const tails: Buffer[] = []
  for (const [index, parameter] of parameters.entries()) {
    const encoded = encode(parameter, given[index] ?? '')
    if (!isDynamic(parameter)) heads.push(encoded)
    else {
      heads.push(word(BigInt(tail)))
      tails.push(encoded)
      tail += encoded.length
    }
  }
  return Buffer.concat([...heads, ...tails])
}

function encode(parameter: AbiParameter, given: AbiArgument): Buffer {
  const { type, components } = parameter
  const array = arrayOf(parameter)
  if (array !== undefined || type.startsWith('(')) {
    if (typeof given === 'string') throw new AbiError(`${type} wants a list`)
    if (array === undefined) return encodeList(components, given, type)
    const size = array.size ?? given.length
    const list = encodeList(Array<AbiParameter>(size).fill(array.element), given, type)
    return array.size === undefined ? Buffer.concat([word(BigInt(size)), list]) : list
  }
  if (typeof given !== 'string') throw new AbiError(`${type} wants one value`)
  if (type === 'string') return withLength(Buffer.from(given))
  if (type === 'bytes') return withLength(bytesOf(type, given))
  return elementary(type, given.trim())
}

function elementary(type: string, given: string): Buffer {
  const [, kind = '', digits = ''] = /^(u?int|bytes)(\d+)$/.exec(type) ?? []
  const size = Number(digits)
  if (kind === 'bytes') {
    const bytes = bytesOf(type, given)
    if (bytes.length !== size)
      throw new AbiError(`${type} wants ${size} bytes, not ${bytes.length}`)
    return Buffer.concat([bytes, Buffer.alloc(WORD - size)])
  }
  if (kind !== '') return integer(kind === 'int', size, type, given)
  if (type === 'address') {
    if (!isBytes(given, 20)) throw new AbiError('address wants 0x and 40 digits')
    return word(BigInt(given))
  }
  if (type === 'bool') {
    if (given !== 'true' && given !== 'false') throw new AbiError('bool wants true or false')
    return word(given === 'true' ? 1n : 0n)
  }
  throw new AbiError(`no type ${type}`)
}

function integer(isSigned: boolean, bits: number, type: string, given: string): Buffer {
  if (!/^(?:-?\d{1,78}|0x[0-9a-f]{1,64})$/i.test(given))
    throw new AbiError(`${type} wants a number`)
  const value = BigInt(given)
  const fitting = isSigned ? BigInt.asIntN(bits, value) : BigInt.asUintN(bits, value)
  if (fitting !== value) throw new AbiError(`${given} does not fit into ${type}`)
  return word(BigInt.asUintN(8 * WORD, value))
}

function bytesOf(type: string, given: string): Buffer {
  if (isBytes(given)) return Buffer.from(given.slice(2), 'hex')
  throw new AbiError(`${type} wants 0x and an even number of digits`)
}

function withLength(bytes: Buffer): Buffer {
  const padding = (WORD - (bytes.length % WORD)) % WORD
  return Buffer.concat([word(BigInt(bytes.length)), bytes, Buffer.alloc(padding)])
}

function word(value: bigint): Buffer {
  return Buffer.from(value.toString(16).padStart(2 * WORD, '0'), 'hex')
}
