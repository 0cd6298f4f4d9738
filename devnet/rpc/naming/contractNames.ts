import type { CompiledContract, ContractSource, KnownContract } from '../../options/contracts.ts'
import { type AbiEntry, readAbi } from '../../primitives/abi.ts'
import { shorten } from '../../primitives/errors.ts'
import { type Hex, toHex } from '../../primitives/hex.ts'
import { isObject } from '../../primitives/json.ts'
import { memoize } from '../../primitives/memo.ts'
import { ownContracts } from './ownContracts.ts'
import { STANDARD_ABI } from './standardAbi.ts'

/** The function or contract that a transaction calls or creates, as far as it is known. */
export type CallNames = ReturnType<typeof namesOf>

/** Longest name of a contract that is shown, in characters. */
const MAX_NAME = 80

export interface NamingSource {
  /** The option `contracts`. */
  readonly contracts: ContractSource | undefined
  selectorOf(entry: AbiEntry): Hex
  /** The first topic of an event that is not anonymous. */
  topicOf(entry: AbiEntry): Hex
  /** The entries of a contract by their kind and selector, as one key. */
  bySelector(abi: readonly AbiEntry[]): ReadonlyMap<string, readonly AbiEntry[]>
  /** Called if the option's functions fail. */
  onInternalError(error: unknown): void
}

/** Makes the source of a node. */
export function createNaming({
  keccak256,
  ...given
}: Pick<NamingSource, 'contracts' | 'onInternalError'> & {
  readonly keccak256: (message: Uint8Array) => Uint8Array
}): NamingSource {
  const topicOf = memoize(({ signature }: AbiEntry) => toHex(keccak256(Buffer.from(signature))))
  const selectorOf = memoize((entry: AbiEntry): Hex => `0x${topicOf(entry).slice(2, 10)}`)
  const bySelector = memoize((abi: readonly AbiEntry[]) =>
    Map.groupBy(abi, (entry) => entry.kind + selectorOf(entry)),
  )
  return { ...given, topicOf, selectorOf, bySelector }
}

/** Asks a node for bytes, with a method such as `eth_getCode` and all its parameters. */
export type ReadBytes = (method: string, ...params: readonly unknown[]) => Promise<Hex>

/** Facts that the selector of a call tells without a look at the contract. */
export function standardNames(source: NamingSource, data: Hex): CallNames {
  return namesOf(source, data, NOTHING)
}

/** The contracts that an address can be. */
export interface FoundContracts {
  readonly found: readonly KnownContract[]
  /** Address of the code, if not there: behind a proxy or a delegation. */
  readonly behind: Hex | undefined
  /** True if it is behind a delegation (EIP-7702). */
  readonly isDelegated?: boolean
  /** True if there is no code. */
  readonly isEmpty?: boolean
}

const NOTHING: FoundContracts = { found: [], behind: undefined }

/** Slots of proxies with the address of their implementation (EIP-1967), and of their beacon. */
const IMPLEMENTATION_SLOT = '0x360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc'
const BEACON_SLOT = '0xa3f0ad74e5423aebfd80d3ef4346578335a9a72aeaee59ff6cb3582b35133d50'
/** Call of `implementation()`. */
const ASK_BEACON = '0x5c60da1b'

/** Code that only names other code: of a delegating account (EIP-7702), of a clone (EIP-1167). */
const POINTERS = [
  /^0xef0100([0-9a-f]{40})$/,
  /^0x363d3d373d3d3d363d73([0-9a-f]{40})5af43d82803e903d91602b57fd5bf3$/,
]

/** Finds contracts by their code, behind proxies too. */
export class ContractFinder {
  readonly #source: NamingSource
  readonly #read: ReadBytes

  constructor(source: NamingSource, read: ReadBytes) {
    this.#source = source
    this.#read = read
  }

  /** @param to - `null` or `undefined`: the call creates a contract */
  async namesOf(to: Hex | null | undefined, data: Hex): Promise<CallNames> {
    const source = this.#source
    if (!to) return creationNames(source, data)
    if (source.contracts === undefined) return standardNames(source, data)
    return namesOf(source, data, await this.contractsAt(to, calledBy(source, data)))
  }

  /**
   * The contracts whose code may be at an address, or behind the proxy there.
   *
   * @param isFitting - accepts the contracts of the code; if not, a proxy's target is looked up
   */
  async contractsAt(
    address: Hex,
    isFitting: (found: FoundContracts) => boolean = ({ found }) => found.length > 0,
  ): Promise<FoundContracts> {
    const code = await this.#read('eth_getCode', address, 'pending')
    if (code === '0x') return { ...NOTHING, isEmpty: true }
    const direct = await this.#contractsWith(code, address)
    if (isFitting(direct)) return direct
    const behind = await this.#implementationOf(address)
    const isBetter = direct.found.length === 0 || isFitting(behind)
    return isBetter && behind.found.length > 0 ? behind : direct
  }

  /** The contracts that the code at an address can be of, those behind a proxy after it. */
  async allAt(address: Hex): Promise<readonly FoundContracts[]> {
    const code = await this.#read('eth_getCode', address, 'pending')
    if (code === '0x') return []
    const direct = await this.#contractsWith(code, address)
    const all = direct.behind === undefined ? [await this.#implementationOf(address)] : []
    return [...all, direct].filter(({ found, behind }) => found.length > 0 || behind !== undefined)
  }

  async #contractsWith(code: Hex, address: Hex): Promise<FoundContracts> {
    for (const pointer of POINTERS) {
      const target = pointer.exec(code)?.[1]
      if (target === undefined) continue
      return { ...(await this.#behind(`0x${target}`)), isDelegated: code.startsWith('0xef01') }
    }
    return { found: await this.#deployedAs(code, address), behind: undefined }
  }

  async #implementationOf(proxy: Hex): Promise<FoundContracts> {
    const read = async (...request: [string, ...unknown[]]) =>
      addressIn(await this.#read(...request, 'pending'))
    const implementation = await read('eth_getStorageAt', proxy, IMPLEMENTATION_SLOT)
    if (implementation !== undefined) return this.#behind(implementation)
    const beacon = await read('eth_getStorageAt', proxy, BEACON_SLOT)
    if (beacon === undefined) return NOTHING
    const behind = await read('eth_call', { to: beacon, data: ASK_BEACON })
    return behind === undefined ? NOTHING : this.#behind(behind)
  }

  async #behind(address: Hex): Promise<FoundContracts> {
    const code = await this.#read('eth_getCode', address, 'pending')
    return { found: await this.#deployedAs(code, address), behind: address }
  }

  async #deployedAs(code: Hex, address: Hex): Promise<readonly KnownContract[]> {
    if (code === '0x') return []
    const found = await askContracts(this.#source, (contracts) => contracts.deployedAs(code))
    const own = ownContracts.get(address.toLowerCase())
    return own === undefined || found.length > 0 ? found : [own]
  }
}

/** Tells whether one of the contracts found has the function that `data` calls. */
export const calledBy = (source: NamingSource, data: Hex) => (one: FoundContracts) =>
  findEntry(source, abiOf(one.found), 'function', data) !== undefined

/** The names of a call to a contract that may be any of these. */
export function namesOf(source: NamingSource, data: Hex, given: FoundContracts) {
  const { found, behind, isDelegated = false, isEmpty = false } = given
  const abi = abiOf(found)
  const own = findEntry(source, abi, 'function', data)
  return {
    /** `null` if the contract is unknown; `A or B` if several have the same code. */
    contract: nameOf(found),
    isProxied: behind !== undefined,
    /** True if the account called delegates to the contract (EIP-7702). */
    isDelegated,
    /** True if the account called has no code, as far as that is known. */
    isEmpty,
    /** The function, or the constructor of a contract that is created. */
    entry: own ?? (isEmpty ? undefined : findEntry(source, STANDARD_ABI, 'function', data)),
    /** True if `entry` is known by its selector alone, not from the contract's ABI. */
    isStandard: own === undefined,
    /** The encoded arguments. */
    data: `0x${data.slice(SELECTOR_LENGTH)}` as const,
    /** The contract's ABI; empty if the contract is unknown. */
    abi,
  }
}

/** For contracts without a constructor of their own. */
const NO_CONSTRUCTOR: AbiEntry = { kind: 'constructor', name: '', inputs: [], signature: '()' }

/** @param code - init code, with the arguments of the constructor */
export async function creationNames(source: NamingSource, code: Hex): Promise<CallNames> {
  const found = await askContracts(source, (contracts) => contracts.createdBy(code))
  const abi = abiOf(found)
  const own = abi.find(({ kind }) => kind === 'constructor')
  const entry = found.length === 0 ? undefined : (own ?? NO_CONSTRUCTOR)
  const data: Hex = `0x${code.slice(2 + 2 * (found[0]?.initCodeLength ?? 0))}`
  const isOwn = { isProxied: false, isDelegated: false, isEmpty: false, isStandard: false }
  return { contract: nameOf(found), ...isOwn, entry, data, abi }
}

/** Length of a selector in hexadecimal, with `0x`. */
const SELECTOR_LENGTH = 10

/** The function or error of an ABI that `data` begins with. */
export function findEntry(
  source: NamingSource,
  abi: readonly AbiEntry[],
  wanted: string,
  data: Hex,
): AbiEntry | undefined {
  if (data.length < SELECTOR_LENGTH) return undefined
  const selector = data.slice(0, SELECTOR_LENGTH).toLowerCase()
  return abi.find((entry) => entry.kind === wanted && source.selectorOf(entry) === selector)
}

/** The ABIs of contracts with the same code, as one. */
export function abiOf(found: readonly KnownContract[]): readonly AbiEntry[] {
  return found.flatMap(({ abi }) => entriesOf(abi))
}

export const entriesOf = memoize(readAbi)

/** `null` if there are none, `A or B` if they have several names. */
export function nameOf(found: readonly Pick<KnownContract, 'name'>[]): string | null {
  if (found.length === 0) return null
  const name = [...new Set(found.map((one) => one.name))].join(' or ')
  return shorten(name, MAX_NAME)
}

/** Asks the option `contracts`. A program's own functions may fail: then no contract is known. */
export async function askContracts(
  { contracts, onInternalError }: NamingSource,
  question: (contracts: ContractSource) => Promise<unknown>,
): Promise<readonly KnownContract[]> {
  if (contracts === undefined) return []
  try {
    const answer = await question(contracts)
    return Array.isArray(answer) ? answer.filter(isContract) : []
  } catch (error) {
    onInternalError(new Error('The option contracts failed', { cause: error }))
    return []
  }
}

/**
 * Asks the first of these contracts that can tell what its compiler knows.
 *
 * @returns what `read` makes of it; `undefined` if none can tell, or it is malformed
 */
export async function askCompiler<Read>(
  { onInternalError }: NamingSource,
  contracts: readonly KnownContract[],
  read: (compiled: CompiledContract) => Read,
): Promise<Read | undefined> {
  try {
    const compiled = await contracts.find((one) => one.compiled !== undefined)?.compiled?.()
    return compiled === undefined ? undefined : read(compiled)
  } catch (error) {
    onInternalError(new Error('The compiler output of a contract cannot be read', { cause: error }))
    return undefined
  }
}

function isContract(value: unknown): value is KnownContract {
  return (
    isObject(value) &&
    typeof value.name === 'string' &&
    Array.isArray(value.abi) &&
    typeof value.initCodeLength === 'number' &&
    (value.source === undefined || typeof value.source === 'string') &&
    (value.compiled === undefined || typeof value.compiled === 'function')
  )
}

/** The address in a word; `undefined` if it is zero, or the data is no word. */
function addressIn(data: Hex): Hex | undefined {
  const address = /^0x0{24}([0-9a-f]{40})$/.exec(data)?.[1]
  return address === undefined || /^0*$/.test(address) ? undefined : `0x${address}`
}
