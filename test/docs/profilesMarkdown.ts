import { optionTable, type ProfileName } from '../../devnet/options/optionTable.ts'
import { profileTable, sources } from '../../devnet/options/profileTable.ts'

const { choices } = optionTable.profile
const numbers = new Map(Object.keys(sources).map((name, index) => [name, index + 1]))

/** The tables of the README, made from the table that the node reads, with its sources. */
export function profilesMarkdown(): string {
  const { aware, ...rows } = profileTable
  return [
    ...table('', Object.values(rows)),
    '',
    ...table(aware.title, methodRows(aware.cells)),
    '',
    ...Object.values(sources).map((source, index) => `${index + 1}. ${source}`),
    '',
  ].join('\n')
}

type Cells = Readonly<Record<ProfileName, readonly [value: unknown, source: string]>>

interface Row {
  readonly title: string
  readonly cells: Cells
}

function table(title: string, rows: readonly Row[]): string[] {
  return [
    `| ${title} | ${choices.map((name) => `\`${name}\``).join(' | ')} |`,
    `|---|${choices.map(() => '---|').join('')}`,
    ...rows.map(({ title, cells }) => {
      const shown = choices.map((name) => {
        const [value, source] = cells[name]
        return `${textOf(value)} <sup>${numbers.get(source)}</sup>`
      })
      return `| ${[title, ...shown].join(' | ')} |`
    }),
  ]
}

/** One row for each method that any profile names. */
function methodRows(cells: (typeof profileTable.aware)['cells']): Row[] {
  const named = choices.flatMap((name) => (cells[name][0] === 'all' ? [] : cells[name][0]))
  return [...new Set(named)].map((method) => ({
    title: `\`${method}\``,
    cells: Object.fromEntries(
      choices.map((name) => {
        const [methods, source] = cells[name]
        return [name, [methods === 'all' || methods.includes(method), source]]
      }),
      // Every profile has a cell.
    ) as Record<ProfileName, [boolean, string]>,
  }))
}

function textOf(value: unknown): string {
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  if (!Array.isArray(value)) return String(value)
  return value.length === 0 ? 'none' : value.map((one) => `\`${one}\``).join(', ')
}
