import type { ContractSource, Hex } from '../../devnet/index.ts'
import { type AbiEntry, type CallNames, lazy, loadNaming } from '../../devnet/pluginApi.ts'
import { type Ask, isAnswer } from '../rpc-client.ts'

/** The part of a call from which its names are found. */
export interface NamedCall {
  /** `null` if the call creates a contract. */
  readonly to: Hex | null
  /** Calldata, or the init code of a creation. */
  readonly data: Hex
}

/** Names that a call refers to, as text. */
export interface NameTexts {
  /** `undefined` for an unknown contract; `A or B` if several have the same code. */
  readonly contract: string | undefined
  /** Canonical signature; `undefined` for a creation, or if the contract has no such function. */
  readonly function: string | undefined
  /** Signature of the error that the call reverted with; `undefined` if no contract has it. */
  readonly error: string | undefined
  /** That error with its arguments, e.g. `TooMuch(wanted: 5, left: 0)`. */
  readonly errorText: string | undefined
  /**
   * The arguments, e.g. `to: Account #1, amount: 5`, if they were asked for; `undefined` if the
   * data does not fit.
   */
  readonly arguments?: string | undefined
}

/**
 * Names for a call and for the error data it reverted with; `undefined` if `to` has no code.
 *
 * @param options - `arguments`: decodes them too, and names the addresses in them. Default: false
 */
export type FindNames = (
  call: NamedCall,
  errorData?: Hex,
  options?: { readonly arguments: boolean },
) => Promise<NameTexts | undefined>

/** Number of addresses that are looked up for the arguments of a call. */
const MAX_NAMED = 8

/**
 * Finds names in the contracts of a project, which are read when the first name is needed.
 *
 * @param askNode - for the code at an address, and that behind a proxy
 * @param accounts - names of known accounts, by their addresses in lower case
 */
export function createContractNames(
  askNode: Ask,
  contracts: ContractSource | undefined,
  accounts: ReadonlyMap<string, string> = new Map(),
): FindNames {
  const { load, find } = createFinder(askNode, contracts)
  return async (call, errorData = '0x', options = { arguments: false }) => {
    const { EntryLookup, source, argumentsText, decodeArguments } = await load()
    const names = await find(call)
    if (names.isEmpty) return undefined
    const { abi, data } = names
    const lookup = new EntryLookup(source)

    /** Arguments in a line, with known addresses by name. */
    async function argumentsOf(entry: AbiEntry): Promise<string | undefined> {
      const inside = await lookup.inside(entry, abi)
      const list = decodeArguments((address) => address, entry.inputs, data, { find: inside })
      if (list === null) return undefined
      const addresses = argumentsText(list).match(/0x[0-9a-f]{40}\b/g) ?? []
      const known = new Map<string, string | null>(accounts)
      for (const address of new Set(addresses.slice(0, MAX_NAMED))) {
        // The pattern guarantees the type.
        const to = address as Hex
        if (!known.has(to)) known.set(to, (await find({ to, data: '0x' })).contract)
      }
      return argumentsText(list, (text) => known.get(text) ?? text)
    }

    const called = names.isStandard ? undefined : names.entry
    const fallback = abi.some(({ kind }) => kind === 'fallback') ? 'fallback()' : undefined
    const error = await lookup.error(errorData, abi)
    return {
      contract: names.contract ?? undefined,
      function: call.to === null ? undefined : (called?.signature ?? fallback),
      error: error?.signature ?? undefined,
      errorText: error?.signature ? error.text : undefined,
      ...(options.arguments && called !== undefined
        ? { arguments: await argumentsOf(called) }
        : {}),
    }
  }
}

/** Loads the naming when the first name is needed. */
function createFinder(askNode: Ask, contracts: ContractSource | undefined) {
  const load = lazy(async () => {
    const naming = await loadNaming(contracts)
    // The methods that it asks with answer bytes.
    const read = async (...request: Parameters<Ask>) => (await askNode(...request)) as Hex
    return { ...naming, finder: new naming.ContractFinder(naming.source, read) }
  })

  async function find({ to, data }: NamedCall): Promise<CallNames> {
    const { finder, standardNames, source } = await load()
    try {
      return await finder.namesOf(to, data)
    } catch (error) {
      // The node answers an error: a fork's upstream may refuse or be gone.
      if (isAnswer(error)) return standardNames(source, data)
      throw error
    }
  }

  return { load, find }
}

/** A call that failed, in the node's words. */
interface FailedCall {
  readonly message: string
  readonly data: Hex
  readonly call: NamedCall
}

/** The node's message, with a custom error and its arguments if the project has it. */
export async function decodedMessage(
  ask: Ask,
  contracts: ContractSource,
  { message, data, call }: FailedCall,
): Promise<string> {
  // Without data, nothing is to be decoded, and nothing loaded.
  if (data === '0x') return message
  const { load, find } = createFinder(ask, contracts)
  const { EntryLookup, failureText, source } = await load()
  const { abi } = await find(call)
  return failureText(message, await new EntryLookup(source).error(data, abi))
}
