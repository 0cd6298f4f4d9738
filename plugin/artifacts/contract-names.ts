import type { Hex } from '../../devnet/index.ts'
import {
  type AbiEntry,
  argumentsText,
  decodeArguments,
  memoize,
  ownContracts,
  toHex,
} from '../../devnet/pluginApi.ts'
import type { Ask } from '../rpc-client.ts'
import { type Artifact, codeBytes } from './artifact.ts'
import type { ArtifactFolder } from './artifact-folder.ts'
import { errorText, SELECTOR_LENGTH } from './error-text.ts'

/** The part of a call from which its names are found. */
export interface NamedCall {
  /** `null` if the call creates a contract. */
  readonly to: Hex | null
  /** Calldata, or the init code of a creation. */
  readonly data: Hex
}

/** Names that a call refers to, from the artifacts of the project. */
export interface CallNames {
  /** `undefined` for a contract without an artifact. */
  readonly contract: string | undefined
  /** The same with its source, e.g. `project/contracts/Token.sol:Token`. */
  readonly fullName: string | undefined
  /** Canonical signature; `undefined` for a creation, or if the contract has no such function. */
  readonly function: string | undefined
  /** Signature of the error that the call reverted with; `undefined` if no artifact has it. */
  readonly error: string | undefined
  /** That error with its arguments, e.g. `TooMuch(5, 0)`. */
  readonly errorText: string | undefined
  /**
   * The arguments, e.g. `to: Account #1, amount: 5`, if they were asked for; `undefined` if the
   * data does not fit.
   */
  readonly arguments?: string | undefined
}

/** `Error(string)` and `Panic(uint256)`, which the node's message says. */
const STANDARD_ERRORS: ReadonlySet<string> = new Set(['0x08c379a0', '0x4e487b71'])

/**
 * Names for a call and for the error data it reverted with; `undefined` if `to` has no code.
 *
 * @param options - `arguments`: decodes them too, and names the addresses in them. Default: false
 */
export type FindNames = (
  call: NamedCall,
  errorData?: Hex,
  options?: { readonly arguments: boolean },
) => Promise<CallNames | undefined>

/** Number of addresses that are looked up for the arguments of a call. */
const MAX_NAMED = 8

/** Number of codes that are remembered with their contracts, so that each is compared only once. */
const MAX_CODES = 512

/** Names by their selectors. */
interface Selectors {
  readonly functions: ReadonlyMap<string, AbiEntry>
  readonly errors: ReadonlyMap<string, AbiEntry>
}

/** Code of a delegating account (EIP-7702): `0xef0100`, then the delegate's address. */
const DELEGATION = /^0xef0100([0-9a-f]{40})$/

/**
 * Finds names in the artifacts of a folder, which are read when the first name is needed.
 *
 * @param askNode - for the code at an address and for keccak-256
 * @param accounts - names of known accounts, by their addresses in lower case
 */
export function createContractNames(
  askNode: Ask,
  folder: ArtifactFolder,
  accounts: ReadonlyMap<string, string> = new Map(),
): FindNames {
  const known = new Map<Hex, Artifact>()
  const selectorsOf = memoize(hashAll)

  async function find(call: NamedCall): Promise<Artifact | undefined | null> {
    if (call.to === null) {
      const code = codeBytes(call.data)
      return (await folder.search(() => folder.createdBy(code)))[0]
    }
    const place = await placeOf(call.to)
    if (place === undefined) return undefined
    const { code } = place
    if (code === '0x') return null
    const remembered = known.get(code)
    if (remembered !== undefined) return remembered
    const bytes = codeBytes(code)
    const [found] = await folder.search(() => folder.deployedAs(bytes))
    if (found === undefined) return undefined
    const [oldest] = known.keys()
    if (known.size >= MAX_CODES && oldest !== undefined) known.delete(oldest)
    known.set(code, found)
    return found
  }

  /**
   * The code of an account, and where it is: behind a delegation, say. `undefined` if the node
   * answers an error: a fork's upstream may refuse or be gone.
   */
  async function placeOf(address: Hex): Promise<{ address: Hex; code: Hex } | undefined> {
    try {
      const code = await ask('eth_getCode', address, 'pending')
      const delegate = DELEGATION.exec(code)?.[1]
      if (delegate === undefined) return { address, code }
      const target: Hex = `0x${delegate}`
      return { address: target, code: await ask('eth_getCode', target, 'pending') }
    } catch (error) {
      if (error instanceof Error && 'code' in error && typeof error.code === 'number') {
        return undefined
      }
      throw error
    }
  }

  async function ask(...request: Parameters<Ask>): Promise<Hex> {
    // `eth_getCode` and `web3_sha3` both return hex.
    return (await askNode(...request)) as Hex
  }

  async function hashAll({ functions, errors }: Artifact): Promise<Selectors> {
    const found = { functions: new Map<string, AbiEntry>(), errors: new Map<string, AbiEntry>() }
    for (const one of functions) found.functions.set(await selectorOf(one.signature), one)
    for (const one of errors) found.errors.set(await selectorOf(one.signature), one)
    return found
  }

  async function selectorOf(signature: string): Promise<string> {
    const hash = await ask('web3_sha3', toHex(Buffer.from(signature)))
    return hash.slice(0, SELECTOR_LENGTH)
  }

  /** The error is the contract's own, or one of a contract that it called. */
  async function findError(data: Hex, own: Artifact | undefined): Promise<AbiEntry | undefined> {
    if (data.length < SELECTOR_LENGTH) return undefined
    const selector = data.slice(0, SELECTOR_LENGTH)
    if (STANDARD_ERRORS.has(selector)) return undefined
    for (const artifact of own === undefined ? folder.all() : [own, ...folder.all()]) {
      const found = (await selectorsOf(artifact)).errors.get(selector)
      if (found !== undefined) return found
    }
    return undefined
  }

  /** Arguments in a line, with known addresses by name. */
  async function argumentsOf({ inputs }: AbiEntry, data: Hex): Promise<string | undefined> {
    const list = decodeArguments((address) => address, inputs, data)
    if (list === null) return undefined
    const addresses = argumentsText(list).match(/0x[0-9a-f]{40}\b/g) ?? []
    const names = new Map(accounts)
    for (const address of new Set(addresses.slice(0, MAX_NAMED))) {
      // The pattern guarantees the type.
      const contract = names.has(address)
        ? undefined
        : await find({ to: address as Hex, data: '0x' })
      if (contract) names.set(address, contract.name)
    }
    return argumentsText(list, (text) => names.get(text) ?? text)
  }

  return async (call, errorData = '0x', options = { arguments: false }) => {
    const artifact = await find(call)
    if (artifact === null) return undefined
    const error = await findError(errorData, artifact)
    const isCall = call.to !== null
    const called = isCall
      ? artifact && (await selectorsOf(artifact)).functions.get(call.data.slice(0, SELECTOR_LENGTH))
      : artifact?.constructs
    const place = isCall && !artifact ? await placeOf(call.to) : undefined
    const own = place && ownContracts.get(place.address.toLowerCase())
    const start = isCall ? SELECTOR_LENGTH : 2 + 2 * (artifact?.creation.bytes.length ?? 0)
    return {
      contract: artifact?.name ?? own?.name,
      fullName: artifact?.fullName,
      function: isCall ? (called?.signature ?? own?.function) : undefined,
      error: error?.signature,
      errorText: error && errorText(error, errorData),
      ...(options.arguments && called !== undefined
        ? { arguments: await argumentsOf(called, `0x${call.data.slice(start)}`) }
        : {}),
    }
  }
}

/** A call that failed, in the node's words. */
interface FailedCall {
  readonly message: string
  readonly data: Hex
  readonly call: NamedCall
}

/** The node's message, with a custom error and its arguments if the artifacts have it. */
export async function decodedMessage(
  ask: Ask,
  artifacts: ArtifactFolder,
  { message, data, call }: FailedCall,
): Promise<string> {
  if (data === '0x') return message
  const names = await createContractNames(ask, artifacts)(call, data)
  if (names?.errorText !== undefined) return `${message}: ${names.errorText}`
  // In the words of Hardhat's own network.
  return message === 'execution reverted'
    ? `${message}: unrecognized custom error (return data: ${data})`
    : message
}
