import { address } from '../json/params.ts'
import { type AbiEntry, AbiError } from '../primitives/abi.ts'
import { encodeArguments } from '../primitives/abiEncode.ts'
import { integerOf, valueProblem } from '../primitives/abiText.ts'
import { InvalidParamsError, RefusedError } from '../primitives/errors.ts'
import { type Hex, quantity, toHex } from '../primitives/hex.ts'
import { either, listOf, type Output, orElse, type Reader, text } from '../primitives/reader.ts'
import type { Dashboard } from './dashboard.ts'
import type { Naming } from './naming.ts'
import { fields } from './query.ts'

/** Deepest nesting of arguments. */
const DEEPEST = 8

export type ReadArgument = string | readonly ReadArgument[]

/** Built level by level, which bounds the depth for any input. */
function argument(levels: number): Reader<ReadArgument> {
  const lists = levels === 0 ? [] : [listOf(argument(levels - 1), 'a list of arguments')]
  const what = `texts, or lists of texts nested at most ${DEEPEST} deep`
  return either<ReadArgument>(what, text(), ...lists)
}

const ARGUMENTS: Reader<readonly ReadArgument[]> = listOf(argument(DEEPEST), 'a list of arguments')

const CALL_FIELDS = {
  /** Canonical, e.g. `balanceOf(address)`. */
  function: text('the signature of a function'),
  /**
   * In the order of its parameters: text for elementary types (`0x…`, `12`, `1e18`, `0.5 ether`,
   * `true`), lists for arrays and tuples, nested at most 8 deep.
   */
  args: ARGUMENTS,
}

export const FUNCTION_CALL = fields(CALL_FIELDS)

export type FunctionCall = Output<typeof FUNCTION_CALL>

export const ENCODE_PARAMS = fields({ address: address(), ...CALL_FIELDS })

/** A transaction of any account: the node signs for its own, and impersonates others for it. */
export const SEND_PARAMS = fields({
  address: address(),
  ...CALL_FIELDS,
  from: address(),
  /** In wei or with a unit. */
  value: orElse(text('an amount of wei, such as 5 or 0.5 ether'), '0'),
})

export type SendParams = NonNullable<(typeof SEND_PARAMS)['given']>

/** A call of a function of a contract that the node knows. */
export interface KnownCall {
  readonly entry: AbiEntry
  readonly data: Hex
  /** Of the contract, and of that behind it. */
  readonly abi: readonly AbiEntry[]
}

/**
 * Finds the function, and encodes the arguments.
 *
 * @throws {RefusedError} if the contract or the function is unknown
 * @throws {InvalidParamsError} if an argument does not fit, in words for whoever typed it
 */
export async function knownCall(
  { naming: source }: Dashboard,
  naming: Naming,
  at: Hex,
  { function: signature, args }: FunctionCall,
): Promise<KnownCall> {
  const { name, abi } = await naming.contractAt(at)
  const entry = abi.find((one) => one.kind === 'function' && one.signature === signature)
  if (entry === undefined) {
    throw new RefusedError(
      name === null
        ? `No contract is known at ${at}: it has no code, or no artifact has its code.`
        : `${name} at ${at} has no function ${signature}.`,
    )
  }
  try {
    const encoded = toHex(encodeArguments(entry.inputs, args))
    return { entry, data: `${source.selectorOf(entry)}${encoded.slice(2)}`, abi }
  } catch (error) {
    if (error instanceof AbiError) throw new InvalidParamsError(error.message, { cause: error })
    throw error
  }
}

/** The request of a transaction that calls a contract. @throws {InvalidParamsError} */
export function transactionRequest({ address: to, from, value = '0' }: SendParams, input: Hex) {
  const problem = valueProblem('uint256', value)
  if (problem !== undefined) throw new InvalidParamsError(`value: ${problem}`)
  return { from, to, value: quantity(integerOf(value) ?? 0n), input }
}
