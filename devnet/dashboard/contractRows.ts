import type { KnownContract } from '../options/contracts.ts'
import type { AbiEntry, AbiParameter } from '../primitives/abi.ts'
import { shorten } from '../primitives/errors.ts'

/** Longest name or signature, in characters. */
const MAX_TEXT = 300

/** Number of functions, events or errors of one contract that are listed. */
const MOST_ENTRIES = 300

/** The name of a contract with its source; `null` without a contract. */
export function fullNameOf(contract: KnownContract | undefined): string | null {
  if (contract === undefined) return null
  const { name, source } = contract
  return shorten(source === undefined ? name : `${source}:${name}`, MAX_TEXT)
}

export interface Parameter {
  readonly name: string
  /** Canonical, e.g. `uint256` or `(address,uint256)[]`. */
  readonly type: string
  /** Of a tuple, or of the tuples in an array; of a function with over 100 of them, none. */
  readonly components: readonly Parameter[]
}

/** Number of parameters of one function that are described, components of tuples included. */
const MOST_PARAMETERS = 100

export type ContractFunction = ReturnType<typeof interfaceOf>['functions'][number]

/** Interface of a contract, of which the page makes forms. */
export function interfaceOf(entries: readonly AbiEntry[]) {
  let omitted = 0
  const ofKind = (wanted: string) => {
    const all = entries.filter(({ kind }) => kind === wanted)
    omitted += Math.max(0, all.length - MOST_ENTRIES)
    return all.slice(0, MOST_ENTRIES)
  }
  return {
    functions: ofKind('function').map((entry) => ({
      /** Canonical, e.g. `balanceOf(address)`. */
      signature: shorten(entry.signature, MAX_TEXT),
      inputs: toRows(entry.inputs, sizeOf(entry.inputs) <= MOST_PARAMETERS),
      /** True if it only reads, so that `read` takes it. */
      isRead: isRead(entry),
      isPayable: entry.mutability === 'payable',
    })),
    /** Canonical signatures with names, such as `Transfer(address from, uint256 value)`. */
    events: ofKind('event').map(namedSignature),
    errors: ofKind('error').map(namedSignature),
    /** Number of functions, events and errors that are not listed. */
    omitted,
  }
}

export function isRead({ mutability }: AbiEntry): boolean {
  return mutability === 'view' || mutability === 'pure'
}

function toRows(parameters: readonly AbiParameter[], isWhole: boolean): readonly Parameter[] {
  return parameters.slice(0, MOST_PARAMETERS).map(({ name, type, components }) => ({
    name: shorten(name, MAX_TEXT),
    type: shorten(type, MAX_TEXT),
    components: isWhole ? toRows(components, isWhole) : [],
  }))
}

function sizeOf(parameters: readonly AbiParameter[]): number {
  return parameters.reduce((sum, { components }) => sum + 1 + sizeOf(components), 0)
}

function namedSignature({ name, inputs }: AbiEntry): string {
  const list = inputs.map((input) =>
    input.name === '' ? input.type : `${input.type} ${input.name}`,
  )
  return shorten(`${name}(${list.join(', ')})`, MAX_TEXT)
}
