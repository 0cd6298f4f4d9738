import type { OptionDefinition } from '../../devnet/options/optionDefinition.ts'
import { optionGroups, shownDefault } from '../../devnet/options/optionTable.ts'
import { optionFlag } from '../../devnet/pluginApi.ts'
import {
  COMMON_OPTIONS,
  CONTROL_COMMANDS,
  type Command,
  type ControlOption,
  DEFAULT_URL,
} from '../tasks/control-commands.ts'

/** Width of the help text, in columns. */
const WIDTH = 100

/** Column at which descriptions begin. */
const INDENT = 30

/** The text of `--help`: the commands, and all options of the node in the documents' groups. */
export function help(program: string): string {
  const commands = Object.entries(CONTROL_COMMANDS)
  return [
    `Usage: ${program} [options]`,
    `       ${program} ${commands.map(([name]) => name).join('|')} [options]`,
    '',
    'Starts a local chain with a pre-confirmed pending state, which runs until Ctrl-C or SIGTERM,',
    'or controls one that is running.',
    '',
    `Commands (more: ${program} <command> --help)`,
    ...commands.flatMap(([name, { description }]) => entry(name, `${description}.`)),
    '',
    ...groupLines(),
    'About this program',
    ...entry('-h, --help', 'Print this.'),
    ...entry('-v, --version', 'Print the version.'),
  ].join('\n')
}

export function commandHelp(program: string, name: Command): string {
  const { description, options } = CONTROL_COMMANDS[name]
  const { url, json } = COMMON_OPTIONS
  const entries = Object.entries<ControlOption>(options)
  return [
    `Usage: ${program} ${name} [options]`,
    '',
    `${description}.`,
    '',
    'Options',
    ...entries.flatMap(([option, { type, value = 'number', description: about }]) =>
      entry(type === 'flag' ? `--${option}` : `--${option} <${value}>`, about),
    ),
    ...entry('--url <address>', `${url.description.slice(0, -1)} (default: ${DEFAULT_URL}).`),
    ...entry('--json', json.description),
    ...entry('-h, --help', 'Print this.'),
  ].join('\n')
}

/** The options of the node under their headings, in their order. */
function groupLines(): string[] {
  return Object.entries(optionGroups).flatMap(([group, options]) => [
    `${group.slice(0, 1).toUpperCase()}${group.slice(1)}`,
    ...Object.entries(options).flatMap(([name, option]) => optionLines(name, option)),
    '',
  ])
}

function optionLines(name: string, option: OptionDefinition): string[] {
  const { type, description, alias } = option
  const flag = [name, ...(alias === undefined ? [] : [alias])].map(optionFlag).join(', ')
  if (type === 'flag') return entry(flag, description)
  const meaning = `${description.slice(0, -1)} (default: ${shownDefault(option)}).`
  return entry(`${flag} <${type}>`, meaning)
}

/** A name with its meaning beside it, or below it if the name is long. */
function entry(name: string, meaning: string): string[] {
  const lines = wrapped(meaning).map((line) => ' '.repeat(INDENT) + line)
  const label = `  ${name}`
  if (label.length >= INDENT) return [label, ...lines]
  const [first = '', ...rest] = lines
  return [label + first.slice(label.length), ...rest]
}

/** Wraps a text to lines that fit to the right of the indentation. */
function wrapped(text: string): string[] {
  const line = new RegExp(`(.{1,${WIDTH - INDENT}})(?: |$)`, 'g')
  return [...text.matchAll(line)].map(([, words = '']) => words)
}
