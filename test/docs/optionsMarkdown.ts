import type { OptionDefinition, ValueDefinition } from '../../devnet/options/optionDefinition.ts'
import { optionGroups } from '../../devnet/options/optionTable.ts'
import { optionFlag } from '../../devnet/options/optionText.ts'
import { walletOptionTable } from '../../devnet/options/walletOptions.ts'

const headings: Record<keyof typeof optionGroups, string> = {
  clocks: 'Clocks',
  chain: 'Chain',
  fork: 'Fork of another chain',
  state: 'State on disk',
  accounts: 'Accounts',
  server: 'Server',
  wallet: 'Mock wallet',
  limits: 'Limits, each with its reason',
  output: 'Output (of the task only)',
}

/** The options of the node, a table a group: from the table of the command line and the checks. */
export function optionsMarkdown(): string {
  const groups: Readonly<Record<string, Readonly<Record<string, OptionDefinition>>>> = optionGroups
  return Object.entries(headings)
    .map(([group, heading]) => {
      const rows = Object.entries(groups[group] ?? {}).map(
        ([name, option]) => `| ${flags(name, option)} | ${defaultOf(option)} | ${cell(option)} |`,
      )
      return [`**${heading}**`, '', ...table(rows), ''].join('\n')
    })
    .join('\n')
}

function flags(name: string, { alias }: OptionDefinition): string {
  const spellings = alias === undefined ? [name] : [name, alias]
  return spellings.map((spelling) => `\`${optionFlag(spelling)}\``).join(', ')
}

/** The table of the wallet's page, made from the table that the wallet's options are checked by. */
export function walletOptionsMarkdown(): string {
  const options: [string, ValueDefinition][] = Object.entries(walletOptionTable)
  const rows = options.map(
    ([name, option]) => `| \`${name}\` | ${defaultOf(option)} | ${cell(option)} |`,
  )
  return [...table(rows), ''].join('\n')
}

function table(rows: readonly string[]): string[] {
  return ['| Option | Default | What it does |', '|---|---|---|', ...rows]
}

function defaultOf(option: ValueDefinition): string {
  if (option.defaultText !== undefined) return option.defaultText
  if (option.type === 'flag') return 'off'
  if (option.type === 'list' || option.type === 'path') return 'none'
  // As help and errors write it, and as it can be typed on the command line and in a program.
  return `\`${option.default}\``
}

function cell({ description }: ValueDefinition): string {
  return description.replaceAll('|', '\\|')
}
