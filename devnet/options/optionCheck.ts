import { OptionError } from '../primitives/errors.ts'
import type { Hex } from '../primitives/hex.ts'
import { isObject } from '../primitives/json.ts'
import type { ValueDefinition } from './optionDefinition.ts'
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
  table: Readonly<Record<string, ValueDefinition>>,
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
        nearest === undefined ? '; the README lists all.' : `; did you mean ${label(nearest)}?`
      throw new OptionError(`${label(name)} is not an option${hint}`)
    }
    if (value !== undefined) values[name] = checked(definition, value, label(name))
  }
  return values
}

/** Checks `value` against `definition`; returns it as a {@link Value}. @throws {OptionError} */
function checked(definition: ValueDefinition, value: unknown, label: string): unknown {
  switch (definition.type) {
    case 'integer': {
      const { min, max = Number.MAX_SAFE_INTEGER } = definition
      if (Number.isSafeInteger(value) && Number(value) >= min && Number(value) <= max) return value
      throw refused(label, `an integer from ${min} to ${max}`, value)
    }
    case 'wei': {
      const wei = Number.isSafeInteger(value) ? BigInt(Number(value)) : value
      if (typeof wei === 'bigint' && wei >= 0n && wei <= definition.max) return wei
      throw refused(label, `an amount of wei from 0 to ${definition.max}`, value)
    }
    case 'flag':
      if (typeof value === 'boolean') return value
      throw refused(label, 'true or false', value)
    case 'choice':
      if (definition.choices.some((choice) => choice === value)) return value
      throw refused(label, `one of ${definition.choices.join(', ')}`, value)
    case 'text':
      if (typeof value === 'string' && definition.pattern.test(value)) return value
      if (definition.secret) throw new OptionError(`${label} must be ${definition.expected}.`)
      throw refused(label, definition.expected, value)
    case 'path':
      if (typeof value === 'string' && value !== '' && !value.includes('\0')) return value
      throw refused(label, 'the path of a file', value)
    case 'list': {
      const expected = `a list of ${definition.expected}`
      const refusal = (wrong: unknown) =>
        definition.secret
          ? new OptionError(`${label} must be ${expected}.`)
          : refused(label, expected, wrong)
      if (!Array.isArray(value)) throw refusal(value)
      for (const entry of value) {
        if (typeof entry !== 'string' || !definition.pattern.test(entry)) throw refusal(entry)
      }
      return Object.freeze([...value])
    }
    case 'block': {
      if (definition.tags.some((tag) => tag === value)) return value
      if (typeof value === 'string' && /^0x[0-9a-f]{64}$/i.test(value)) return value.toLowerCase()
      if (Number.isSafeInteger(Number(value)) && /^(?:number|bigint)$/.test(typeof value)) {
        return BigInt(Number(value))
      }
      const tags = definition.tags.join(', ')
      throw refused(label, `a block number, a block hash or one of ${tags}`, value)
    }
    case 'custom':
      return definition.read(value, label)
  }
}

/** The error for a value that is not what was expected. */
export function refused(label: string, expected: string, value: unknown): OptionError {
  return new OptionError(`${label} must be ${expected}, not ${shown(value)}.`)
}

function shown(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value)
  if (typeof value === 'function') return 'a function'
  if (Array.isArray(value)) return 'a list'
  return isObject(value) ? 'an object' : String(value)
}
