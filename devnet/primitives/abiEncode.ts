import { AbiError, type AbiParameter, arrayOf, headSize, isDynamic } from './abi.ts'
import { integerOf, valueProblem } from './abiText.ts'
import { WORD } from './bytes.ts'

/**
 * An argument as text: `0x…`, a number as {@link integerOf} takes it, `true` or `false`; a list for
 * arrays and tuples.
 */
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
    const { length } = given
    // Before a list of that length is made: the type may say any.
    if (array.size !== undefined && array.size !== length) {
      throw new AbiError(`${type} takes ${array.size} values, not ${length}`)
    }
    const list = encodeList(Array<AbiParameter>(length).fill(array.element), given, type)
    return array.size === undefined ? Buffer.concat([word(BigInt(length)), list]) : list
  }
  if (typeof given !== 'string') throw new AbiError(`${type} wants one value`)
  const problem = valueProblem(type, given)
  if (problem !== undefined) throw new AbiError(problem)
  if (type === 'string') return withLength(Buffer.from(given))
  const text = given.trim()
  if (type === 'bytes') return withLength(bytesOf(text))
  if (type.startsWith('bytes')) {
    const bytes = bytesOf(text)
    return Buffer.concat([bytes, Buffer.alloc(WORD - bytes.length)])
  }
  if (type === 'address') return word(BigInt(text))
  if (type === 'bool') return word(text === 'true' ? 1n : 0n)
  return word(BigInt.asUintN(8 * WORD, integerOf(text) ?? 0n))
}

function bytesOf(text: string): Buffer {
  return Buffer.from(text.slice(2), 'hex')
}

function withLength(bytes: Buffer): Buffer {
  const padding = (WORD - (bytes.length % WORD)) % WORD
  return Buffer.concat([word(BigInt(bytes.length)), bytes, Buffer.alloc(padding)])
}

function word(value: bigint): Buffer {
  return Buffer.from(value.toString(16).padStart(2 * WORD, '0'), 'hex')
}
