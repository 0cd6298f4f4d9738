import { optionTable, type ProfileName } from '../../devnet/options/optionTable.ts'
import { profileTable, sources } from '../../devnet/options/profileTable.ts'

/** The table of the README, made from the table that the node reads, and its sources below it. */
export function profilesMarkdown(): string {
  const { choices } = optionTable.profile
  const numbers = new Map(Object.keys(sources).map((name, index) => [name, index + 1]))
  const rows = Object.values(profileTable).map(({ title, cells }) => {
    const shown = choices.map((name) => cellOf(cells, name, numbers))
    return `| ${[title, ...shown].join(' | ')} |`
  })
  return [
    `| | ${choices.map((name) => `\`${name}\``).join(' | ')} |`,
    `|---|${choices.map(() => '---|').join('')}`,
    ...rows,
    '',
    ...Object.values(sources).map((source, index) => `${index + 1}. ${source}`),
    '',
  ].join('\n')
}

type Cells = Readonly<Record<ProfileName, readonly [value: unknown, source: string]>>

function cellOf(cells: Cells, name: ProfileName, numbers: ReadonlyMap<string, number>): string {
  const [value, source] = cells[name]
  return `${shown(value)} <sup>${numbers.get(source)}</sup>`
}

function shown(value: unknown): string {
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  if (Array.isArray(value))
    return value.length === 0 ? 'none' : value.map((one) => `\`${one}\``).join(', ')
  return String(value)
}
