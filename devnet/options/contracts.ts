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
  /**
   * Reads what its compiler knows of it, to show the line at which it failed and the variables that
   * it changed; called only then. Default: unknown
   */
  readonly compiled?: (() => Promise<CompiledContract | undefined>) | undefined
}

/** A part of the compiler's output for a contract. */
export interface CompiledContract {
  /** Of its code as it is deployed, as Solidity writes it. */
  readonly deployedSourceMap: string
  /** Of its init code. */
  readonly creationSourceMap: string
  /** By their numbers in the source maps. */
  readonly sources: ReadonlyMap<number, CompiledSource>
  /** Answer of solc of that name. Default: nobody has it */
  readonly storageLayout?: unknown
}

export interface CompiledSource {
  /** E.g. `contracts/Token.sol`. */
  readonly name: string
  /** Absolute path of the file; `undefined` if there is none. */
  readonly path: string | undefined
  readonly text: string
  readonly definitions: readonly Definition[]
}

/** A contract, or a function or modifier of a contract or a file. */
export interface Definition {
  readonly kind: 'contract' | 'function' | 'modifier'
  /** Name of the contract that it is or belongs to; `null` for a function of a file. */
  readonly contract: string | null
  /** E.g. `transfer`, `constructor` or `receive`; empty for a contract. */
  readonly name: string
  /** In bytes of the text as UTF-8. */
  readonly start: number
  readonly end: number
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
