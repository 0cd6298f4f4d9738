import { address } from '../../json/params.ts'
import type { AbiEntry } from '../../primitives/abi.ts'
import { AbiError } from '../../primitives/abi.ts'
import { encodeArguments } from '../../primitives/abiEncode.ts'
import { InvalidParamsError, ProviderError, RefusedError } from '../../primitives/errors.ts'
import { type Hex, toHex } from '../../primitives/hex.ts'
import { either, listOf, type Reader, text } from '../../primitives/reader.ts'
import type { ReadArgument, ReadParams, ReadResult } from '../apiTypes/accountTypes.ts'
import { isRead } from '../contractRows.ts'
import type { Naming } from '../naming.ts'
import { defineQuery, fields } from '../query.ts'

/** Deepest nesting of arguments. */
const DEEPEST = 8

const ARGUMENT: Reader<ReadArgument> = either<ReadArgument>(
  'texts, or lists of texts',
  text(),
  (value, context) => ARGUMENTS(value, context),
)

const ARGUMENTS = listOf(ARGUMENT, 'a list of arguments')

const PARAMS: Reader<ReadParams> = fields({
  address: address(),
  function: text('the signature of a function'),
  args: ARGUMENTS,
})

/** Calls a function that only reads, on the sealed state and on the pending one. */
export default defineQuery('read', PARAMS, async (dashboard, params, { signal }) => {
  const { dispatch } = dashboard.node
  const { naming } = dashboard.work(signal)
  const { name, abi } = await naming.contractAt(params.address)
  const entry = abi.find((one) => one.kind === 'function' && one.signature === params.function)
  if (entry === undefined) {
    throw new RefusedError(
      name === null
        ? `No contract is known at ${params.address}: it has no code, or no artifact has its code.`
        : `${name} at ${params.address} has no function ${params.function}.`,
    )
  }
  if (!isRead(entry)) {
    throw new RefusedError(`${entry.name} may write; here are called only functions that read.`)
  }
  const data = calldata(entry, params.args, dashboard.naming.selectorOf(entry))
  const caller = { signal, origin: undefined, subscribe: () => undefined }
  const ask = async (block: 'latest' | 'pending'): Promise<ReadResult> => {
    const request = { method: 'eth_call', params: [{ to: params.address, data }, block] }
    try {
      // The method answers bytes.
      return await returned(naming, entry, (await dispatch.request(request, caller)) as Hex)
    } catch (error) {
      if (!(error instanceof ProviderError)) throw error
      const output = typeof error.data === 'string' ? error.data : '0x'
      // What a call fails with are bytes.
      return { failure: await naming.failure(error.message, output as Hex, abi) }
    }
  }
  const [sealed, pending] = [await ask('latest'), await ask('pending')]
  return { sealed, pending, names: naming.names }
})

async function returned(naming: Naming, entry: AbiEntry, output: Hex): Promise<ReadResult> {
  const values = await naming.outputs(entry, output)
  if (values !== null) return { values }
  const message = `What it returned does not fit ${entry.signature}.`
  return { failure: await naming.failure(message, output, []) }
}

function calldata(entry: AbiEntry, args: readonly ReadArgument[], selector: Hex): Hex {
  if (args.some((one) => depthOf(one) > DEEPEST)) {
    throw new InvalidParamsError(`arguments are nested more than ${DEEPEST} deep`)
  }
  try {
    const encoded = toHex(encodeArguments(entry.inputs, args))
    return `${selector}${encoded.slice(2)}`
  } catch (error) {
    if (error instanceof AbiError) throw new InvalidParamsError(error.message, { cause: error })
    throw error
  }
}

function depthOf(given: ReadArgument): number {
  return typeof given === 'string' ? 0 : 1 + Math.max(0, ...given.map(depthOf))
}
