import type { ReadArgument } from '../../dashboard/contractCalls.ts'
import type { Parameter } from '../../dashboard/contractRows.ts'
import { integerOf, valueProblem } from '../../primitives/abiText.ts'
import { withExponent, withSeparators } from '../../primitives/longNumber.ts'
import { visible } from '../../primitives/visible.ts'

/** Texts of the fields of a parameter: one, or lists for arrays and tuples. */
export type FieldValue = string | readonly FieldValue[]

/** Number of elements of arrays that have fields; longer lists are written as JSON. */
export const MOST_ELEMENTS = 64

const MOST_OPTIONS = 300

const FULL_ADDRESS = /0x[0-9a-f]{40}$/i

/** Addresses by the names that a person types. */
export interface AddressBook {
  readonly options: readonly string[]
  /** The address of an option, or that at the end of a text; `undefined` if it is neither. */
  find(text: string): `0x${string}` | undefined
}

/** @param entries - addresses with their names, of which several can be alike */
export function addressBook(entries: Iterable<readonly [string, string]>): AddressBook {
  const fold = (text: string) => text.trim().toLowerCase()
  const named = [...entries].map(([address, name]) => [address, visible(name)] as const)
  const counts = new Map<string, number>()
  for (const [, name] of named) counts.set(fold(name), (counts.get(fold(name)) ?? 0) + 1)
  const options = named.map(([address, name]) => {
    // A name that ends as an address does could stand for another one.
    const isClear = counts.get(fold(name)) === 1 && !FULL_ADDRESS.test(name)
    return [isClear ? name : `${name} ${address}`, address] as const
  })
  const known = new Map(options.map(([text, address]) => [fold(text), address]))
  return {
    options: options.slice(0, MOST_OPTIONS).map(([text]) => text),
    find(text) {
      const address = FULL_ADDRESS.exec(text.trim())?.[0] ?? known.get(fold(text))
      // Both are addresses.
      return address?.toLowerCase() as `0x${string}` | undefined
    },
  }
}

/**
 * Parameters in an array or a tuple; `undefined` for one that has a single field.
 *
 * @param length - of an array that can have any
 */
export function partsOf(
  { type, components }: Parameter,
  length = 0,
): readonly Parameter[] | undefined {
  const [, element, digits] = /^(.*)\[(\d*)\]$/.exec(type) ?? []
  if (element === undefined) return components.length === 0 ? undefined : components
  const sizes = [...type.matchAll(/\[(\d+)\]/g)].map(([, size]) => Number(size))
  if (sizes.reduce((product, size) => product * size, 1) > MOST_ELEMENTS) return undefined
  const size = digits === '' ? length : Number(digits)
  return Array.from({ length: size }, (_, index) => ({
    name: `[${index}]`,
    type: element,
    components,
  }))
}

/** The empty fields of a parameter. */
export function emptyValue(parameter: Parameter): FieldValue {
  return partsOf(parameter)?.map(emptyValue) ?? (parameter.type === 'bool' ? 'false' : '')
}

/** Meaning of one field's text: an argument, or what is wrong with it. */
export function meaningOf(
  { type }: Parameter,
  text: string,
  book: AddressBook,
): { readonly argument: ReadArgument } | { readonly problem: string } {
  if (/[)\]]$/.test(type)) return listIn(text, type)
  const argument = type === 'address' ? (book.find(text) ?? text.trim()) : text
  const problem = valueProblem(type, argument)
  if (problem === undefined) return { argument }
  if (argument === '') return { problem: 'This field is empty.' }
  return { problem: type === 'address' ? 'This is no address, and no name is known.' : problem }
}

function listIn(text: string, type: string): ReturnType<typeof meaningOf> {
  try {
    const list: unknown = JSON.parse(text)
    if (Array.isArray(list)) return { argument: list.map(elementOf) }
  } catch {
    // The same words as for a value that is no list.
  }
  return { problem: `${type} is a list: write it as JSON, such as ["0x…", "5"].` }
}

function elementOf(value: unknown): ReadArgument {
  return Array.isArray(value) ? value.map(elementOf) : String(value)
}

/** The arguments in the fields of a form; `undefined` if one of them has a problem. */
export function argumentsIn(
  parameters: readonly Parameter[],
  values: readonly FieldValue[],
  book: AddressBook,
): readonly ReadArgument[] | undefined {
  const list = parameters.map((parameter, index) => {
    const value = values[index] ?? ''
    if (typeof value === 'object') {
      return argumentsIn(partsOf(parameter, value.length) ?? [], value, book)
    }
    const meaning = meaningOf(parameter, value, book)
    return 'argument' in meaning ? meaning.argument : undefined
  })
  return list.every((one) => one !== undefined) ? list : undefined
}

/** The number or the address that a text stands for, if it is written otherwise. */
export function readingOf({ type }: Parameter, text: string, book: AddressBook): string {
  const address = type === 'address' ? book.find(text) : undefined
  if (address !== undefined) return text.trim().toLowerCase() === address ? '' : address
  const value = /^u?int\d+$/.test(type) ? integerOf(text) : undefined
  if (value === undefined || /^-?\d{1,4}$/.test(text.trim())) return ''
  const exponent = withExponent(String(value))
  return `${withSeparators(String(value))}${exponent === undefined ? '' : ` = ${exponent}`}`
}
