import type { Hex } from '../primitives/hex.ts'
import { isObject } from '../primitives/json.ts'
import { type Reader, refuse } from '../primitives/reader.ts'

export interface KnownContract {
  readonly name: string
  /** In JSON, as compilers emit it. Entries that are malformed are ignored. */
  readonly abi: readonly unknown[]
  /** Length of its init code in bytes; the arguments of the constructor follow. */
  readonly initCodeLength: number
  /** The file that declares it, e.g. `contracts/Token.sol`. Default: unknown */
  readonly source?: string | undefined
}

/**
 * Finds contracts by their code, to name what the wallet's page and the dashboard show. If several
 * fit, all are named.
 */
export interface ContractSource {
  /** Their source, e.g. a folder. Default: unknown */
  readonly folder?: string | undefined
  deployedAs(code: Hex): Promise<readonly KnownContract[]>
  /** The contracts that this code creates: the data of a transaction without `to`. */
  createdBy(code: Hex): Promise<readonly KnownContract[]>
  /** All contracts, for errors that a contract passes on from another one. */
  all(): Promise<readonly KnownContract[]>
}

export const readContractSource: Reader<ContractSource> = (value, context) => {
  const names = ['deployedAs', 'createdBy', 'all'] as const
  if (isObject(value) && names.every((name) => typeof value[name] === 'function')) {
    // What the functions return is checked when they are called.
    return value as unknown as ContractSource
  }
  return refuse(context, value, `an object with the functions ${names.join(', ')}`)
}
