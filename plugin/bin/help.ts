import {
  type OptionDefinition,
  optionTable,
  shownDefault,
} from '../../devnet/options/optionTable.ts'
import { optionFlag } from '../../devnet/options/optionText.ts'
import {
  type ControlCommand,
  commonControlOptions,
  controlCommands,
  defaultUrl,
} from '../control-commands.ts'

/** Columns that every terminal has. */
const WIDTH = 100

/** Column at which descriptions begin. */
const INDENT = 30

/** What `--help` prints: the commands, and all options of the node in the groups of the README. */
export function help(program: string): string {
  const commands = Object.entries(controlCommands)
  return [
    `Usage: ${program} [options]`,
    `       ${program} ${commands.map(([name]) => name).join('|')} [--url <address>] [--json]`,
    '',
    'Starts a local chain with a pre-confirmed pending state, which runs until Ctrl-C or SIGTERM;',
    'or drives one that runs.',
    '',
    `Commands (more: ${program} <command> --help)`,
    ...commands.flatMap(([name, { description }]) => entry(name, `${description}.`)),
    '',
    ...groups().flatMap(([heading, options]) => [
      heading,
      ...options.flatMap(([name, option]) => optionLines(name, option)),
      '',
    ]),
    'About this program',
    ...entry('-h, --help', 'Print this.'),
    ...entry('-v, --version', 'Print the version.'),
  ].join('\n')
}

/** What `<command> --help` prints. */
export function commandHelp(program: string, name: ControlCommand): string {
  const { description, options } = controlCommands[name]
  const { url, json } = commonControlOptions
  return [
    `Usage: ${program} ${name} [options]`,
    '',
    `${description}.`,
    '',
    'Options',
    ...Object.entries(options).flatMap(([option, { type, description: about }]) =>
      entry(type === 'flag' ? `--${option}` : `--${option} <number>`, about),
    ),
    ...entry('--url <address>', `${url.description.slice(0, -1)} (default: ${defaultUrl}).`),
    ...entry('--json', json.description),
    ...entry('-h, --help', 'Print this.'),
  ].join('\n')
}

/** The options of the node under their headings, in the order of the table. */
function groups(): [heading: string, options: [string, OptionDefinition][]][] {
  const options: [string, OptionDefinition][] = Object.entries(optionTable)
  const byGroup = Map.groupBy(options, ([, { group }]) => group)
  return [...byGroup].map(([group, entries]) => [
    `${group.slice(0, 1).toUpperCase()}${group.slice(1)}`,
    entries,
  ])
}

function optionLines(name: string, option: OptionDefinition): string[] {
  const { type, description } = option
  const flag = optionFlag(name)
  if (type === 'flag') return entry(flag, description)
  return entry(
    `${flag} <${type}>`,
    `${description.slice(0, -1)} (default: ${shownDefault(option)}).`,
  )
}

/** A name, and beside it, or under it where it is long, what it means. */
function entry(name: string, meaning: string): string[] {
  const lines = wrapped(meaning, WIDTH - INDENT).map((line) => ' '.repeat(INDENT) + line)
  const label = `  ${name}`
  if (label.length >= INDENT) return [label, ...lines]
  const [first = '', ...rest] = lines
  return [label + first.slice(label.length), ...rest]
}

function wrapped(text: string, width: number): string[] {
  const lines: string[] = []
  let line = ''
  for (const word of text.split(' ')) {
    if (line !== '' && line.length + 1 + word.length > width) {
      lines.push(line)
      line = word
    } else line = line === '' ? word : `${line} ${word}`
  }
  return [...lines, line]
}
