import { OptionError } from '../primitives/errors.ts'
import type { WalletOptions } from '../wallet/types.ts'
import { type OptionDefinition, type OptionName, optionTable } from './optionTable.ts'
import { nearestName, optionFlag, optionFromText } from './optionText.ts'
import { resolveWalletOptions, type WalletSettings } from './walletOptions.ts'

export { type OptionName, optionTable } from './optionTable.ts'

type Table = typeof optionTable

/** What a resolved option of definition `D` holds. */
type Value<D> = D extends { type: 'integer'; default: infer Default }
  ? Default extends undefined
    ? number | undefined
    : number
  : D extends { type: 'wei' }
    ? bigint
    : D extends { type: 'list' }
      ? readonly string[]
      : D extends { type: 'flag' }
        ? boolean
        : D extends { type: 'path' }
          ? string | undefined
          : D extends { choices: readonly (infer Choice)[] }
            ? Choice
            : string

/** Options of a devnet, all present and in range; README, "Options", says what each one does. */
export type Options = { readonly [Name in keyof Table]: Value<Table[Name]> } & {
  /** The mock wallet; `false` for none. */
  readonly wallet: WalletSettings | false
  /** Whether the node keeps its process alive while it runs. */
  readonly keepAlive: boolean
}

/** Options as a user gives them: what is left out or `undefined` takes its default. An amount in wei may be a number. */
export type OptionsInput = {
  // `keyof` here, and not its alias, lets editors show what the table says of an option.
  readonly [Name in keyof Table]?:
    | (Value<Table[Name]> extends bigint ? bigint | number : Value<Table[Name]>)
    | undefined
} & {
  /** The mock wallet, with more options than the command line has; `false` for none. */
  readonly wallet?: WalletOptions | false | undefined
  /**
   * Keeps the process alive until `stop()`; otherwise it ends when nothing else is left to do. A node that the command
   * line started always keeps it alive. Default: false
   */
  readonly keepAlive?: boolean | undefined
}

/**
 * Checks the options given and adds the defaults.
 *
 * @throws {OptionError} when one is unknown, malformed or out of range
 */
export function resolveOptions(input: OptionsInput = {}): Options {
  return isResolved(input) ? input : resolve(input, (name) => name)
}

/** What was resolved: there, what was given and what is a default look the same. */
const resolved = new WeakSet<object>()

function isResolved(input: OptionsInput): input is Options {
  return resolved.has(input)
}

/**
 * Options from the arguments of the command line, where all but the flags are text. The node keeps the process alive.
 *
 * @throws {OptionError} when one is unknown, malformed or out of range
 */
export function parseOptions(args: Readonly<Record<string, unknown>>): Options {
  const input: Record<string, unknown> = { keepAlive: true }
  for (const [name, value] of Object.entries(args)) {
    input[name] =
      typeof value === 'string' && isOptionName(name)
        ? optionFromText(optionTable[name], value)
        : value
  }
  return resolve(input, optionFlag)
}

/**
 * Checks one option alone, not how it goes with others.
 *
 * @throws {OptionError} when it is unknown, malformed or out of range
 */
export function checkOption(name: string, value: unknown): void {
  if (name === 'wallet') {
    resolveWallet(value, {})
    return
  }
  if (name === 'keepAlive') {
    resolveKeepAlive(value)
    return
  }
  if (!isOptionName(name)) throw unknownOption(name, (text) => text)
  if (value !== undefined) checked(optionTable[name], value, name)
}

/** `label` makes the name of an option into what the user calls it. */
function resolve(
  input: Readonly<Record<string, unknown>>,
  label: (name: string) => string,
): Options {
  const values: Record<string, unknown> = {}
  for (const [name, definition] of Object.entries(optionTable)) values[name] = definition.default
  for (const [name, value] of Object.entries(input)) {
    if (name === 'wallet' || name === 'keepAlive') continue
    if (!isOptionName(name)) throw unknownOption(name, label)
    if (value !== undefined) values[name] = checked(optionTable[name], value, label(name))
  }
  // Each value is either its definition's default or passed the check of its definition just above.
  const options = values as Options
  const finalizedDepth =
    input.finalizedDepth === undefined ? options.safeDepth : options.finalizedDepth
  if (finalizedDepth < options.safeDepth) {
    throw new OptionError(
      `${label('finalizedDepth')} must be at least ${label('safeDepth')} (${options.safeDepth}), not ${finalizedDepth}.`,
    )
  }
  if (options.keepBlocks > 0 && options.keepBlocks <= finalizedDepth) {
    throw new OptionError(
      `${label('keepBlocks')} must be 0 (keep all) or more than ${label('finalizedDepth')} (${finalizedDepth}), not ${options.keepBlocks}.`,
    )
  }
  if (options.quiet && options.verbose) {
    throw new OptionError(`${label('quiet')} cannot be combined with ${label('verbose')}.`)
  }
  checkGenesis(input, options, label)
  checkState(options, label)
  const result = Object.freeze({
    ...options,
    wallet: options.noWallet ? false : resolveWallet(input.wallet, options),
    keepAlive: resolveKeepAlive(input.keepAlive),
    finalizedDepth,
    tickBudget: tickBudget(options, input.tickBudget !== undefined),
  })
  resolved.add(result)
  return result
}

/** The options of the wallet; those that have a name on the command line too are defaults for it. */
function resolveWallet(given: unknown, options: Partial<Options>): WalletSettings | false {
  if (given === false) return false
  const { walletPolicy, walletProfile, walletPort } = options
  const defaults = { policy: walletPolicy, profile: walletProfile, port: walletPort }
  return resolveWalletOptions(given, defaults)
}

function resolveKeepAlive(given: unknown = false): boolean {
  if (typeof given === 'boolean') return given
  throw refused('keepAlive', 'true or false', given)
}

/** With a genesis file, what it decides cannot be given beside it. */
function checkGenesis(
  input: Readonly<Record<string, unknown>>,
  { genesis, import: blocks }: Options,
  label: (name: string) => string,
): void {
  if (genesis === undefined) {
    if (blocks === undefined) return
    throw new OptionError(
      `${label('import')} needs ${label('genesis')}: the genesis file that the blocks begin with.`,
    )
  }
  const definitions: [string, OptionDefinition][] = Object.entries(optionTable)
  for (const [name, { inGenesis }] of definitions) {
    if (inGenesis !== true || input[name] === undefined) continue
    throw new OptionError(
      `${label(name)} cannot be combined with ${label('genesis')}: the genesis file decides it.`,
    )
  }
}

/** One file for both, or one for each; a chain begins in one place. */
function checkState(
  { state, loadState, dumpState, stateInterval, genesis }: Options,
  label: (name: string) => string,
): void {
  const clash = (one: string, other: string, reason: string) =>
    new OptionError(`${label(one)} cannot be combined with ${label(other)}: ${reason}.`)
  if (state !== undefined && loadState !== undefined) {
    throw clash('state', 'loadState', 'it loads from its own file')
  }
  if (state !== undefined && dumpState !== undefined) {
    throw clash('state', 'dumpState', 'it saves to its own file')
  }
  if (loadState !== undefined && genesis !== undefined) {
    throw clash('loadState', 'genesis', 'either file begins a chain')
  }
  const saves = state !== undefined || dumpState !== undefined
  if (!saves && stateInterval !== optionTable.stateInterval.default) {
    throw new OptionError(
      `${label('stateInterval')} needs ${label('state')} or ${label('dumpState')}: the file to save to.`,
    )
  }
}

/** A tick must be over when the next is due. */
function tickBudget(options: Options, given: boolean): number {
  if (options.tickInterval === 0) return options.tickBudget
  const room = given ? options.tickInterval : Math.floor(options.tickInterval * 0.9)
  return Math.max(1, Math.min(options.tickBudget, room))
}

function isOptionName(name: string): name is OptionName {
  return Object.hasOwn(optionTable, name)
}

function unknownOption(name: string, label: (name: string) => string): OptionError {
  const nearest = nearestName(name, Object.keys(optionTable))
  const hint =
    nearest === undefined ? '; the README lists all.' : `; did you mean ${label(nearest)}?`
  return new OptionError(`${label(name)} is not an option${hint}`)
}

/** `value` if it is what `definition` asks for, in the type that {@link Options} gives it. */
function checked(definition: OptionDefinition, value: unknown, label: string): unknown {
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
      if (!Array.isArray(value)) throw refused(label, `a list of ${definition.expected}`, value)
      for (const entry of value) {
        if (typeof entry === 'string' && definition.pattern.test(entry)) continue
        throw refused(label, `a list of ${definition.expected}`, entry)
      }
      return Object.freeze([...value])
    }
  }
}

function refused(label: string, expected: string, value: unknown): OptionError {
  return new OptionError(`${label} must be ${expected}, not ${shown(value)}.`)
}

function shown(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value)
  if (typeof value === 'object' && value !== null)
    return Array.isArray(value) ? 'a list' : 'an object'
  return String(value)
}
