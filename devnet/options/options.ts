import { OptionError, plainText } from '../primitives/errors.ts'
import { isObject } from '../primitives/json.ts'
import { type ContractSource, readContractSource } from './contracts.ts'
import { readOptions, type Value } from './optionCheck.ts'
import type { OptionDefinition, ValueCheck } from './optionDefinition.ts'
import type { OptionName, ProfileName } from './optionTable.ts'
import { optionGroups, optionTable, secondSpellings } from './optionTable.ts'
import { optionFlag, optionFromText, optionVariable } from './optionText.ts'
import { profileOf } from './profileTable.ts'
import { resolveWalletOptions, type WalletOptions, type WalletSettings } from './walletOptions.ts'

/** The options of `createDevnet`, except for `wallet`, which has a table of its own. */
const inputTable = {
  ...optionTable,
  keepAlive: { type: 'flag' },
  coverage: { type: 'flag' },
  contracts: { type: 'custom', read: readContractSource },
  readOwnWrites: { type: 'flag' },
  likeHardhat: { type: 'flag' },
} as const

type Table = typeof optionTable

/** Options of a devnet, all present and in range; `devnet/options/README.md` describes each one. */
export type Options = {
  readonly [Name in keyof typeof inputTable]: Value<(typeof inputTable)[Name]>
} & {
  /** The mock wallet; `false` for none. */
  readonly wallet: WalletSettings | false
}

/** A bigint may be given as a number. */
type Given<V> = V extends bigint ? bigint | number : V

/**
 * Options as a user gives them: what is left out or `undefined` takes its default. An amount in wei
 * may be a number.
 */
export type OptionsInput = {
  // Mapping over `keyof Table`, not over an alias, lets editors find an option in the table.
  readonly [Name in keyof Table]?: Given<Value<Table[Name]>> | undefined
} & {
  /** The mock wallet, with more options than the command line has; `false` for none. */
  readonly wallet?: WalletOptions | false | undefined
  /**
   * Keeps the process alive until `stop()`; otherwise it ends when nothing else is left to do. A
   * node started from the command line always keeps it alive. Default: false
   */
  readonly keepAlive?: boolean | undefined
  /**
   * Reports the statements that contracts instrumented by Hardhat execute, as `coverage` events.
   * Unless they are given, code size and the gas of a transaction have no limit then, and a block
   * and a call 1,000 million gas, because instrumented contracts need more. Default: false
   */
  readonly coverage?: boolean | undefined
  /**
   * Runs a tick before a read of `pending`, and before a look-up of a transaction by hash, if
   * transactions wait for one: each read finds what was sent before it. On by default in networks
   * of the Hardhat plugin in this process. Default: false
   */
  readonly readOwnWrites?: boolean | undefined
  /**
   * Takes what Hardhat's own network takes: quantities as integers or decimal text, and calls,
   * estimates and access lists by accounts that cannot pay for them, which get what they lack for
   * the call. On by default in networks of the Hardhat plugin in this process. Default: false
   */
  readonly likeHardhat?: boolean | undefined
  /**
   * Finds contracts and their ABIs by code, to decode calls, events and errors on the wallet's page
   * and on the dashboard. Default: none; with Hardhat, the artifacts of the project
   */
  readonly contracts?: ContractSource | undefined
}

/**
 * Checks the options given and adds the defaults.
 *
 * @throws {OptionError} if one is unknown, malformed or out of range
 */
export function resolveOptions(input: OptionsInput = {}): Options {
  if (!isObject(input)) throw new OptionError('The options must be an object, such as { port: 0 }.')
  return isResolved(input) ? input : resolve(input, (name) => name)
}

/**
 * Results of `resolve`, each with what was given. They must not be resolved again: defaults would
 * pass for given values.
 */
const inputs = new WeakMap<object, Readonly<Record<string, unknown>>>()

function isResolved(input: OptionsInput): input is Options {
  return inputs.has(input)
}

/** True if the user gave an option a value; otherwise it has its default. */
export function isGiven(options: Options, name: OptionName): boolean {
  return inputs.get(options)?.[name] !== undefined
}

/**
 * Options from the arguments of the command line, where all but the flags are text. Always sets
 * `keepAlive`.
 *
 * @param environment - holds the secrets that are not among the arguments, so that no list of
 * processes shows them: each under its {@link optionVariable}. Default: none
 * @throws {OptionError} if one is unknown, malformed or out of range
 */
export function parseOptions(
  args: Readonly<Record<string, unknown>>,
  environment: Readonly<Record<string, string | undefined>> = {},
): Options {
  const input: Record<string, unknown> = { keepAlive: true }
  for (const [spelling, given] of Object.entries(args)) {
    const { name, value: meant } = secondSpellings.get(spelling) ?? { name: spelling }
    // A task gives each of its flags.
    const value = meant === undefined ? given : given === true ? meant : undefined
    if (value === undefined) continue
    if (input[name] !== undefined) {
      throw new OptionError(`${optionFlag(name)} is given twice.`)
    }
    const isText = typeof value === 'string' && isOptionName(name)
    // Seconds, as in anvil. What is no number is left for the check to quote.
    const milliseconds = spelling === 'blockTime' && Math.round(Number(plainText(value)) * 1000)
    input[name] = milliseconds || (isText ? optionFromText(optionTable[name], value) : value)
  }
  const labels = new Map<string, string>()
  for (const [name, definition] of Object.entries<OptionDefinition>(optionTable)) {
    if (!('secret' in definition) || input[name] !== undefined) continue
    const variable = optionVariable(name)
    // An empty one is as good as none, as in most programs.
    if (!environment[variable]) continue
    input[name] = optionFromText(definition, environment[variable])
    labels.set(name, variable)
  }
  return resolve(input, (name) => labels.get(name) ?? optionFlag(name))
}

/**
 * Checks one option on its own, not how it combines with others.
 *
 * @throws {OptionError} if it is unknown, malformed or out of range
 */
export function checkOption(name: string, value: unknown): void {
  if (name === 'wallet') resolveWallet(value, {})
  else readOptions(inputTable, { [name]: value }, (text) => text, ['wallet'])
}

/**
 * The value of one option that is given elsewhere, such as in a request.
 *
 * @param value - text as on the command line, or as in `createDevnet`
 * @param label - what the user calls it
 * @throws {OptionError} if it is malformed or out of range
 */
export function readOption<Name extends OptionName>(
  name: Name,
  value: unknown,
  label: string,
): Options[Name] {
  const given = typeof value === 'string' ? optionFromText(optionTable[name], value) : value
  const values = readOptions({ [name]: optionTable[name] }, { [name]: given }, () => label)
  // It passed the check of its definition.
  return values[name] as Options[Name]
}

/** @param label - returns an option's name as the user writes it, e.g. `--chain-id` */
function resolve(
  { wallet, ...input }: Readonly<Record<string, unknown>>,
  label: (name: string) => string,
): Options {
  const values = readOptions(inputTable, input, label, ['wallet'])
  for (const [name, value] of Object.entries({ ...ofProfile(values), ...roomForHits(input) })) {
    if (input[name] === undefined) values[name] = value
  }
  // Each value is either its definition's default or passed the check of its definition.
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
  checkProfile(options, label)
  checkGenesis(input, options, label)
  checkState(options, label)
  checkFork(options, label)
  checkClashes(options, label)
  const result = Object.freeze({
    ...options,
    wallet: options.noWallet ? false : resolveWallet(wallet, options),
    finalizedDepth,
    tickBudget: tickBudget(options, input.tickBudget !== undefined),
  })
  inputs.set(result, input)
  return result
}

/** The defaults of the profile. */
function ofProfile({ profile }: Readonly<Record<string, unknown>>): Partial<Options> {
  // It passed the check of its definition.
  const row = profileOf(profile as ProfileName)
  const { tickInterval, sealInterval, slices, order, receipts, latest } = row
  return { tickInterval, sealInterval, slices, order, receipts, latest }
}

/** A network has its own habits: only this node's own profile may be given others. */
function checkProfile(options: Options, label: (name: string) => string): void {
  const { profile } = options
  if (profile === 'plain') return
  for (const name of ['receipts', 'latest'] as const) {
    const own = profileOf(profile)[name]
    if (options[name] === own) continue
    throw new OptionError(
      `${label(name)} cannot be ${options[name]} with ${label('profile')} ${profile}, on which it is ${own}: leave it out, or use the profile plain.`,
    )
  }
}

/** Limits of instrumented contracts, unless the user sets them. */
const COVERAGE_GAS = 1_000_000_000

/** The limits that coverage lifts. */
function roomForHits(input: Readonly<Record<string, unknown>>): Partial<Options> {
  if (input.coverage !== true) return {}
  return {
    codeSizeLimit: 0,
    transactionGasCap: 0,
    callGasLimit: COVERAGE_GAS,
    // A genesis file decides it.
    ...(input.genesis === undefined ? { gasLimit: COVERAGE_GAS } : {}),
  }
}

/** The wallet options of the command line are defaults for those in `wallet`. */
function resolveWallet(given: unknown, options: Partial<Options>): WalletSettings | false {
  if (given === false) return false
  const { walletPolicy, walletProfile: profile, walletAtomic: atomic, walletPort: port } = options
  return resolveWalletOptions(given, { policy: walletPolicy, profile, atomic, port })
}

/** Options that the genesis file decides cannot be given together with it. */
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

function checkState(
  { state, dumpState, stateInterval }: Options,
  label: (name: string) => string,
): void {
  const saves = state !== undefined || dumpState !== undefined
  if (saves || stateInterval === optionTable.stateInterval.default) return
  throw new OptionError(
    `${label('stateInterval')} needs ${label('state')} or ${label('dumpState')}: the file to save to.`,
  )
}

const forkOptionNames = Object.keys(optionGroups.fork).filter(isOptionName)

/** Without `fork`, nothing is read. */
function checkFork(options: Options, label: (name: string) => string): void {
  const { fork, forkBlockNumber: block, state, loadState } = options
  if (options.forkAtTransaction !== undefined && block !== optionTable.forkBlockNumber.default) {
    throw new OptionError(
      `${label('forkAtTransaction')} cannot be combined with ${label('forkBlockNumber')}: the transaction names its block.`,
    )
  }
  if (fork === undefined) {
    // The file may be there, or not yet.
    if (options.forkRecording !== undefined) return
    for (const name of forkOptionNames) {
      const { type, default: standard }: ValueCheck = optionTable[name]
      const value = options[name]
      // A task gives the default of each option that is left out.
      const isStandard = type === 'list' ? String(value) === '' : value === standard
      if (isStandard || value === false) continue
      throw new OptionError(`${label(name)} needs ${label('fork')}: the URL to read from.`)
    }
    return
  }
  if (!URL.canParse(fork)) {
    throw new OptionError(`${label('fork')} must be ${optionTable.fork.expected}.`)
  }
  const isFixed = typeof block === 'bigint' ? block >= 0n : block.startsWith('0x')
  // A state file names the block, if it exists by then.
  if (options.forkOffline && !isFixed && (state ?? loadState) === undefined) {
    throw new OptionError(
      `${label('forkOffline')} needs ${label('forkBlockNumber')}: the number or the hash of the block.`,
    )
  }
}

const FOLLOWED = 'the node that is followed decides on the chain'

/** Options that exclude each other, and why. */
const CLASHES: readonly (readonly [OptionName, keyof Options, reason?: string])[] = [
  ['quiet', 'verbose'],
  ['open', 'noDashboard'],
  ['state', 'loadState', 'it loads from its own file'],
  ['state', 'dumpState', 'it saves to its own file'],
  ['loadState', 'genesis', 'either file begins a chain'],
  ['genesis', 'fork', 'a chain stands on a genesis block or on a fork block'],
  ['forkCache', 'noForkCache', 'it names the folder of the cache'],
  ['forkRecording', 'forkCache', 'a recording takes the place of the cache'],
  ['forkRecording', 'forkOffline', 'a recording that is there asks nobody'],
  ['forkRecording', 'genesis', 'a chain stands on a genesis block or on a fork block'],
  ['follow', 'genesis', FOLLOWED],
  ['follow', 'fork', FOLLOWED],
  ['follow', 'forkRecording', FOLLOWED],
  ['follow', 'state', FOLLOWED],
  ['follow', 'loadState', FOLLOWED],
  ['follow', 'dumpState', FOLLOWED],
  ['follow', 'timestamp', FOLLOWED],
  ['follow', 'instant', FOLLOWED],
  ['follow', 'coverage', FOLLOWED],
  ['follow', 'readOwnWrites', FOLLOWED],
]

function checkClashes(options: Options, label: (name: string) => string): void {
  const isSet = (name: keyof Options) => options[name] !== undefined && options[name] !== false
  for (const [one, other, reason] of CLASHES) {
    if (!isSet(one) || !isSet(other)) continue
    const why = reason === undefined ? '' : `: ${reason}`
    throw new OptionError(`${label(one)} cannot be combined with ${label(other)}${why}.`)
  }
}

/** The tick budget in effect: a tick must be over when the next one is due. */
function tickBudget(options: Options, given: boolean): number {
  if (options.tickInterval === 0) return options.tickBudget
  const room = given ? options.tickInterval : Math.floor(options.tickInterval * 0.9)
  return Math.max(1, Math.min(options.tickBudget, room))
}

function isOptionName(name: string): name is OptionName {
  return Object.hasOwn(optionTable, name)
}
