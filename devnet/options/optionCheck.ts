import { OptionError, plainText } from '../primitives/errors.ts'
import { type Hex, isBytes } from '../primitives/hex.ts'
import { integerOr } from '../primitives/json.ts'
import {
  choice,
  flag,
  integerWithin,
  kindOf,
  pathText,
  type Reader,
  readWith,
  refuse,
} from '../primitives/reader.ts'
import type { ValueCheck } from './optionDefinition.ts'
import { secondSpellings } from './optionTable.ts'
import { nearestName } from './optionText.ts'

/** Type of an option's value after the check, for its definition `D`. */
export type Value<D> = D extends { type: 'custom'; read: (...args: never) => infer Result }
  ? Result | undefined
  : (D extends { default: undefined } | { type: 'path' } ? undefined : never) | Given<D>

type Given<D> = D extends { type: 'integer' }
  ? number
  : D extends { type: 'wei' }
    ? bigint
    : D extends { type: 'list' }
      ? readonly string[]
      : D extends { type: 'flag' }
        ? boolean
        : D extends { choices: readonly (infer Choice)[] }
          ? Choice
          : D extends { tags: readonly (infer Tag)[] }
            ? bigint | Hex | Tag
            : string

/**
 * The value of each option in `table`: the one given, checked, or else the default.
 *
 * @param label - returns an option's name as the user writes it, e.g. `--chain-id`
 * @param others - further names to suggest for an unknown one
 * @throws {OptionError} if a name is unknown, or a value malformed or out of range
 */
export function readOptions(
  table: Readonly<Record<string, ValueCheck>>,
  input: Readonly<Record<string, unknown>>,
  label: (name: string) => string,
  others: readonly string[] = [],
): Record<string, unknown> {
  const values: Record<string, unknown> = {}
  for (const [name, definition] of Object.entries(table)) {
    values[name] = definition.type === 'flag' ? false : definition.default
  }
  for (const [name, value] of Object.entries(input)) {
    const definition = Object.hasOwn(table, name) ? table[name] : undefined
    if (definition === undefined) {
      const nearest =
        secondSpellings.get(name)?.name ?? nearestName(name, [...Object.keys(table), ...others])
      const hint =
        nearest === undefined
          ? '; devnet/options/README.md lists all.'
          : `; did you mean ${label(nearest)}?`
      throw new OptionError(`${label(name)} is not an option${hint}`)
    }
    if (value !== undefined) values[name] = checked(definition, value, label(name))
  }
  return values
}

/** @throws {OptionError} which does not show a secret */
function checked(definition: ValueCheck, given: unknown, label: string): unknown {
  return readWith(readerOf(definition), given, ({ message, path, expected, value }) => {
    const name = pathText([label, ...path])
    if (expected === undefined) return new OptionError(`${name} ${message}.`)
    const isSecret = 'secret' in definition && definition.secret
    return new OptionError(`${name} must be ${expected}${isSecret ? '' : `, not ${quote(value)}`}.`)
  })
}

/** The reader of an option's values, as a {@link Value}. */
function readerOf(definition: ValueCheck): Reader<unknown> {
  switch (definition.type) {
    case 'integer':
      return integerWithin(definition.min, definition.max)
    case 'wei':
      return (value, context) => {
        const wei = Number.isSafeInteger(value) ? BigInt(integerOr(value, 0)) : value
        if (typeof wei === 'bigint' && wei >= 0n && wei <= definition.max) return wei
        return refuse(context, value, `an amount of wei from 0 to ${definition.max}`)
      }
    case 'flag':
      return flag()
    case 'choice':
      return choice(definition.choices, `one of ${definition.choices.join(', ')}`)
    case 'text':
      return matching(definition.pattern, definition.expected)
    case 'path':
      return (value, context) =>
        typeof value === 'string' && value !== '' && !value.includes('\0')
          ? value
          : refuse(context, value, 'the path of a file')
    case 'list': {
      const expected = `a list of ${definition.expected}`
      const entry = matching(definition.pattern, expected)
      return (value, context) =>
        Array.isArray(value)
          ? Object.freeze(value.map((one) => entry(one, context)))
          : refuse(context, value, expected)
    }
    case 'block':
      return (value, context) => {
        if (definition.tags.some((tag) => tag === value)) return value
        if (isBytes(value, 32)) return value.toLowerCase()
        const number = typeof value === 'bigint' ? Number(value) : value
        if (Number.isSafeInteger(number)) return BigInt(integerOr(number, 0))
        const tags = definition.tags.join(', ')
        return refuse(context, value, `a block number, a block hash or one of ${tags}`)
      }
    case 'custom':
      return definition.read
  }
}

function matching(pattern: RegExp, expected: string): Reader<string> {
  return (value, context) =>
    typeof value === 'string' && pattern.test(value) ? value : refuse(context, value, expected)
}

function quote(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value)
  return /^(?:object|function)$/.test(typeof value) ? kindOf(value) : plainText(value)
}
