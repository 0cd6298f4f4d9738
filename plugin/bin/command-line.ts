import { parseArgs } from 'node:util'
import type { OptionDefinition } from '../../devnet/options/optionDefinition.ts'
import { optionTable } from '../../devnet/options/optionTable.ts'
import { nearestName, OptionError, optionFlag } from '../../devnet/pluginApi.ts'
import { COMMON_OPTIONS, CONTROL_COMMANDS, type Command } from '../tasks/control-commands.ts'
import { ignoredFlags, refusedFlags } from './anvil-flags.ts'

/** A `flag` takes no value, a `text` takes one, and a `list` may be given several times. */
type Reading = 'flag' | 'text' | 'list'

/** Readers of the options, by their names in camelCase. */
type Definitions = Readonly<Record<string, Reading>>

/** The options of the node, in all spellings, and anvil's flags without effect. */
export const nodeDefinitions: Definitions = Object.fromEntries([
  ...Object.entries(ignoredFlags),
  ...Object.entries<OptionDefinition>(optionTable).flatMap(([name, { type, alias, shorthand }]) => {
    const reading: Reading = type === 'flag' || type === 'list' ? type : 'text'
    return [
      [name, reading],
      ...(alias === undefined ? [] : [[alias, reading]]),
      ...(shorthand === undefined ? [] : [[shorthand.flag, 'flag']]),
    ]
  }),
])

/** The options of a command to a running node. */
export function controlDefinitions(command: Command): Definitions {
  const options = { ...CONTROL_COMMANDS[command].options, ...COMMON_OPTIONS }
  return Object.fromEntries(Object.entries(options).map(([name, { type }]) => [name, type]))
}

export interface CommandLine {
  /** By camelCase name: `true` for a flag, else text; a list's values with its separator. */
  readonly values: Readonly<Record<string, string | true>>
  /** Everything that is neither an option nor the value of one. */
  readonly words: readonly string[]
  readonly help: boolean
  readonly version: boolean
}

/** Names of the program and its command, for messages. */
interface Caller {
  readonly program: string
  /** `undefined` when the program starts a node. */
  readonly command?: string
}

/** Options of the binary itself; for the tasks, Hardhat provides them. */
const OWN_OPTIONS = {
  help: { type: 'boolean', short: 'h' },
  version: { type: 'boolean', short: 'v' },
} as const

/**
 * Reads a command line by the rules of `node:util`'s `parseArgs`.
 *
 * @throws {OptionError} if an option is unknown or repeated, lacks its value, or is a flag with one
 */
export function readCommandLine(
  argv: readonly string[],
  definitions: Definitions,
  caller: Caller,
): CommandLine {
  const names = new Map(Object.keys(definitions).map((name) => [optionFlag(name).slice(2), name]))
  // This only tells `parseArgs` which options take a value; the values come from the tokens below.
  const options = Object.fromEntries(
    [...names].map(([flag, name]) => {
      const type = definitions[name] === 'flag' ? 'boolean' : 'string'
      return [flag, { type } as const]
    }),
  )
  const { tokens } = parseArgs({
    args: [...argv],
    options: { ...options, ...OWN_OPTIONS },
    // The errors of strict mode do not suggest the option that was meant.
    strict: false,
    allowPositionals: true,
    tokens: true,
  })
  const values = new Map<string, string | true>()
  const words: string[] = []
  let help = false
  let version = false
  for (const token of tokens) {
    if (token.kind === 'positional') words.push(token.value)
    if (token.kind !== 'option') continue
    if (token.name === 'help') help = true
    else if (token.name === 'version') version = true
    else {
      const name = names.get(token.name)
      const reading = name === undefined ? undefined : definitions[name]
      if (name === undefined || reading === undefined) {
        throw unknownOption(token.rawName, [...names.values()], caller)
      }
      const value = readValue(token, reading)
      if (Object.hasOwn(ignoredFlags, name)) {
        if (argv.includes('--anvil')) continue
        throw new OptionError(`${token.rawName} has no effect here; --anvil accepts it.`)
      }
      const before = values.get(name)
      if (before === undefined) values.set(name, value)
      else if (reading === 'list') values.set(name, `${before}${separatorOf(name)}${value}`)
      else throw new OptionError(`${token.rawName} is given twice.`)
    }
  }
  return { values: Object.fromEntries(values), words, help, version }
}

function separatorOf(name: string): string {
  const table: Readonly<Record<string, OptionDefinition>> = optionTable
  const definition = table[name]
  return (definition?.type === 'list' ? definition.separator : undefined) ?? ','
}

interface OptionToken {
  readonly rawName: string
  readonly value: string | undefined
  readonly inlineValue: boolean | undefined
}

function readValue({ rawName, value, inlineValue }: OptionToken, reading: Reading): string | true {
  if (reading === 'flag') {
    if (value === undefined) return true
    throw new OptionError(`${rawName} takes no value.`)
  }
  // If the value is missing, `parseArgs` takes the next option as the value.
  if (value === undefined || (!inlineValue && value.startsWith('--'))) {
    throw new OptionError(`${rawName} needs a value.`)
  }
  return value
}

function unknownOption(
  rawName: string,
  names: readonly string[],
  { program, command }: Caller,
): OptionError {
  const refused = Object.entries(refusedFlags).find(([all]) => all.split(' ').includes(rawName))
  if (command === undefined && refused !== undefined) {
    return new OptionError(`${rawName}, a flag of anvil, is not an option; use ${refused[1]}.`)
  }
  const nearest = nearestName(rawName, [...names, ...Object.keys(OWN_OPTIONS)])
  const of = command === undefined ? '' : ` of ${command}`
  const ask = command === undefined ? `${program} --help` : `${program} ${command} --help`
  const hint =
    nearest === undefined ? `"${ask}" lists all.` : `did you mean ${optionFlag(nearest)}?`
  return new OptionError(`${rawName} is not an option${of}; ${hint}`)
}
