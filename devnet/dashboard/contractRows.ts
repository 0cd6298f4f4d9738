import type { KnownContract } from '../options/contracts.ts'
import type { AbiEntry, AbiParameter } from '../primitives/abi.ts'
import { shorten } from '../primitives/errors.ts'
import { entriesOf } from '../rpc/naming/contractNames.ts'
import type { ContractFunction, ContractRow } from './apiTypes/accountTypes.ts'
import type { Dashboard } from './dashboard.ts'

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

/** A contract without the places where it is deployed. */
export function interfaceOf(
  { naming }: Dashboard,
  contract: KnownContract,
): Pick<ContractRow, 'functions' | 'events' | 'errors'> {
  const entries = entriesOf(contract.abi)
  const ofKind = (wanted: string) =>
    entries.filter(({ kind }) => kind === wanted).slice(0, MOST_ENTRIES)
  return {
    functions: ofKind('function').map(
      (entry): ContractFunction => ({
        signature: shorten(entry.signature, MAX_TEXT),
        selector: naming.selectorOf(entry),
        inputs: entry.inputs.map(shown),
        outputs: (entry.outputs ?? []).map(shown),
        isRead: isRead(entry),
        isPayable: entry.mutability === 'payable',
      }),
    ),
    events: ofKind('event').map(namedSignature),
    errors: ofKind('error').map(namedSignature),
  }
}

export function isRead({ mutability }: AbiEntry): boolean {
  return mutability === 'view' || mutability === 'pure'
}

function shown({ name, type }: AbiParameter): { name: string; type: string } {
  return { name: shorten(name, MAX_TEXT), type: shorten(type, MAX_TEXT) }
}

function namedSignature({ name, inputs }: AbiEntry): string {
  const list = inputs.map((input) =>
    input.name === '' ? input.type : `${input.type} ${input.name}`,
  )
  return shorten(`${name}(${list.join(', ')})`, MAX_TEXT)
}
