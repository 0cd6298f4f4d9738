import type { Hex, Provider } from '../../devnet/index.ts'
import { toHex } from '../../devnet/pluginApi.ts'
import { type Artifact, codeBytes } from './artifact.ts'
import type { ArtifactFolder } from './artifact-folder.ts'

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
  /** Canonical signature; `undefined` for a creation, or if the contract has no such function. */
  readonly function: string | undefined
  /** Signature of the error that the call reverted with; `undefined` if the ABI lacks it. */
  readonly error: string | undefined
}

/** Names for a call and for the error data it reverted with; `undefined` if `to` has no code. */
export type FindNames = (call: NamedCall, errorData?: Hex) => Promise<CallNames | undefined>

/** How many codes are remembered with their contracts, so that each is compared only once. */
const MAX_CODES = 512

const NAMELESS: CallNames = { contract: undefined, function: undefined, error: undefined }

/** Code of a delegating account (EIP-7702): `0xef0100`, then the delegate's address. */
const DELEGATION = /^0xef0100([0-9a-f]{40})$/

/**
 * Finds names in the artifacts of a folder, which are read when the first name is needed.
 *
 * @param provider - a node's, asked for the code at an address and for keccak-256
 */
export function createContractNames(
  provider: Pick<Provider, 'request'>,
  folder: ArtifactFolder,
): FindNames {
  const known = new Map<Hex, Artifact>()
  const selectors = new WeakMap<Artifact, Promise<ReadonlyMap<string, string>>>()

  async function find(call: NamedCall): Promise<Artifact | undefined | null> {
    if (call.to === null) {
      const code = codeBytes(call.data)
      return (await folder.search(() => folder.createdBy(code)))[0]
    }
    const code = await codeAt(call.to)
    if (code === '0x') return null
    const remembered = known.get(code)
    if (remembered !== undefined) return remembered
    const bytes = codeBytes(code)
    const [found] = await folder.search(() => folder.deployedAs(bytes))
    if (found !== undefined) remember(code, found)
    return found
  }

  function remember(code: Hex, artifact: Artifact): void {
    const [oldest] = known.keys()
    if (known.size >= MAX_CODES && oldest !== undefined) known.delete(oldest)
    known.set(code, artifact)
  }

  async function codeAt(address: Hex): Promise<Hex> {
    const code = await ask('eth_getCode', address, 'pending')
    const delegate = DELEGATION.exec(code)?.[1]
    return delegate === undefined ? code : ask('eth_getCode', `0x${delegate}`, 'pending')
  }

  async function ask(method: string, ...params: unknown[]): Promise<Hex> {
    // `eth_getCode` and `web3_sha3` both return hex.
    return (await provider.request({ method, params })) as Hex
  }

  /** Selector → signature, for the functions and errors of a contract. */
  function selectorsOf(artifact: Artifact): Promise<ReadonlyMap<string, string>> {
    const found = selectors.get(artifact) ?? hashAll([...artifact.functions, ...artifact.errors])
    selectors.set(artifact, found)
    return found
  }

  async function hashAll(signatures: readonly string[]): Promise<ReadonlyMap<string, string>> {
    const found = new Map<string, string>()
    for (const signature of signatures) {
      const hash = await ask('web3_sha3', toHex(Buffer.from(signature)))
      found.set(hash.slice(0, 10), signature)
    }
    return found
  }

  return async (call, errorData = '0x') => {
    const artifact = await find(call)
    if (artifact === null) return undefined
    if (artifact === undefined) return NAMELESS
    const signatureOf = await selectorsOf(artifact)
    const named = (data: Hex, among: readonly string[]) => {
      const signature = signatureOf.get(data.slice(0, 10))
      return signature !== undefined && among.includes(signature) ? signature : undefined
    }
    return {
      contract: artifact.name,
      function: call.to === null ? undefined : named(call.data, artifact.functions),
      error: named(errorData, artifact.errors),
    }
  }
}
