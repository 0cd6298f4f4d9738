import {
  type OptionDefinition,
  type OptionGroup,
  optionTable,
} from '../../devnet/options/optionTable.ts'
import { optionFlag } from '../../devnet/options/optionText.ts'

const headings: Record<OptionGroup, string> = {
  clocks: 'Clocks',
  chain: 'Chain',
  state: 'State on disk',
  accounts: 'Accounts',
  server: 'Server',
  wallet: 'Mock wallet',
  limits: 'Limits, each with its reason',
  output: 'Output (of the task only)',
}

/** The options of the README: one table a group, made from the same table as the command line and the checks. */
export function optionsMarkdown(): string {
  const options: [string, OptionDefinition][] = Object.entries(optionTable)
  return Object.entries(headings)
    .map(([group, heading]) => {
      const rows = options
        .filter(([, option]) => option.group === group)
        .map(
          ([name, option]) =>
            `| \`${optionFlag(name)}\` | ${defaultOf(option)} | ${cell(option)} |`,
        )
      return [
        `**${heading}**`,
        '',
        '| Option | Default | What it does |',
        '|---|---|---|',
        ...rows,
        '',
      ].join('\n')
    })
    .join('\n')
}

function defaultOf(option: OptionDefinition): string {
  if (option.defaultText !== undefined) return option.defaultText
  if (option.type === 'flag') return 'off'
  if (option.type === 'list' || option.type === 'path') return 'none'
  const text = String(option.default)
  // As it can be typed on the command line; short numbers, such as ports, read better whole.
  const readable = /^\d{6,}$/.test(text) ? text.replace(/\B(?=(?:\d{3})+$)/g, '_') : text
  return `\`${readable}\``
}

function cell({ description }: OptionDefinition): string {
  return description.replaceAll('|', '\\|')
}
