import { address } from '../../json/params.ts'
import { DevnetError, RefusedError } from '../../primitives/errors.ts'
import { type Hex, isBytes } from '../../primitives/hex.ts'
import { listOf, optional, type Reader, text } from '../../primitives/reader.ts'
import type { DecodedArgument } from '../../rpc/naming/types.ts'
import { FUNCTION_CALL, type FunctionCall, type KnownCall, knownCall } from '../contractCalls.ts'
import { isRead } from '../contractRows.ts'
import type { Failure } from '../naming.ts'
import { askOwn } from '../ownView.ts'
import { defineQuery, fields } from '../query.ts'

const MOST_CALLS = 40

/** ms for a call among others, and for all of them. One that is alone has the node's own limit. */
const CALL_TIME = 1000
const ALL_TIME = 3000

const LENGTH = { min: 1, max: MOST_CALLS, length: `1 to ${MOST_CALLS} calls` }

export type ReadResult =
  | { readonly values: readonly DecodedArgument[] }
  | { readonly failure: Failure }
  /** It took so long that it was given up, as a call among others. */
  | { readonly isLate: true }

const CALLS: Reader<readonly FunctionCall[]> = listOf(FUNCTION_CALL, 'a list of calls', LENGTH)

const PARAMS = fields({
  address: address(),
  calls: CALLS,
  /** `state` of an earlier answer to the same question. */
  known: optional(text()),
})

/** Calls functions that only read, on the sealed state and on the pending one. */
export default defineQuery(PARAMS, async (dashboard, params, { signal }) => {
  const { context } = dashboard.node
  const { naming } = dashboard.work(signal)
  // Before the calls: what changes meanwhile changes the next answer.
  const state = dashboard.stateMark.current
  if (state === params.known) return { state, results: null, names: {} }
  const known: KnownCall[] = []
  for (const call of params.calls) {
    const found = await knownCall(dashboard, naming, params.address, call)
    const { name } = found.entry
    if (!isRead(found.entry)) {
      throw new RefusedError(`${name} may write; call only functions that read here.`)
    }
    known.push(found)
  }
  const isAlone = known.length === 1
  const end = isAlone ? signal : AbortSignal.any([signal, AbortSignal.timeout(ALL_TIME)])
  // The page asks again and again: console.log prints for a person's first question only.
  const isQuiet = !isAlone || params.known !== undefined
  const shown = isQuiet
    ? { ...context, observer: { ...context.observer, printed: () => undefined } }
    : context
  const results: { readonly sealed: ReadResult; readonly pending: ReadResult }[] = []
  for (const { entry, data, abi } of known) {
    const until = isAlone ? signal : AbortSignal.any([end, AbortSignal.timeout(CALL_TIME)])
    const ask = async (block: 'latest' | 'pending'): Promise<ReadResult> => {
      if (until.aborted) return { isLate: true }
      try {
        const request = { to: params.address, data }
        // The method answers bytes.
        const output = (await askOwn(shown, until)('eth_call', request, block)) as Hex
        const values = await naming.outputs(entry, output, params.address)
        if (values !== null) return { values }
        const message =
          output === '0x'
            ? 'It returned nothing, as an address without code does.'
            : `What it returned does not fit ${entry.signature}.`
        return { failure: await naming.failure(message, output, []) }
      } catch (error) {
        if (until.aborted && !signal.aborted) return { isLate: true }
        if (!(error instanceof DevnetError)) throw error
        const output = isBytes(error.data) ? error.data : '0x'
        return { failure: await naming.failure(error.message, output, abi) }
      }
    }
    results.push({ sealed: await ask('latest'), pending: await ask('pending') })
  }
  signal.throwIfAborted()
  // Late calls are asked again even if nothing changes.
  const isLate = results.some(({ pending }) => 'isLate' in pending)
  return {
    /** Names all that the calls could see; empty if one of them was too late. */
    state: isLate ? '' : state,
    /** In the order of the calls; `null` if nothing has changed since `known`. */
    results,
    names: naming.names,
  }
})
