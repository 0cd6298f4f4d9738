import { optionTable, type ProfileName } from '../../devnet/options/optionTable.ts'
import { type Profile, profileTitles } from '../../devnet/options/profile.ts'
import { profileSources } from '../../devnet/options/profileSources.ts'
import { cellOf, parentOf } from '../../devnet/options/profileTable.ts'

const { choices } = optionTable.profile
const numbers = new Map(Object.keys(profileSources).map((name, index) => [name, index + 1]))

/** The tables of the profiles, made from the one that the node reads, with its sources. */
export function profilesMarkdown(): string {
  const { aware, ...titles } = profileTitles
  // The keys are those of the titles.
  const rows = Object.keys(titles) as (keyof typeof titles)[]
  return [
    ...head(''),
    line('As', (name) => code(parentOf(name))),
    ...rows.map((row) =>
      line(titles[row], (name) => textOf(cellOf(name, row).value) + mark(name, row)),
    ),
    '',
    ...head(aware),
    ...awareMethods().map((method) =>
      line(code(method), (name) => textOf(isAware(name, method)) + mark(name, 'aware')),
    ),
    '',
    ...Object.values(profileSources).map((source, index) => `${index + 1}. ${source}`),
    '',
  ].join('\n')
}

function head(title: string): string[] {
  return [line(title, code), `|---|${choices.map(() => '---|').join('')}`]
}

function line(title: string, cell: (name: ProfileName) => string): string {
  return `| ${[title, ...choices.map(cell)].join(' | ')} |`
}

/** The number of a cell's source; none for one that is its parent's. */
function mark(name: ProfileName, row: keyof Profile): string {
  const { owner, source } = cellOf(name, row)
  return owner === name ? ` <sup>${numbers.get(source)}</sup>` : ''
}

/** Each method that any profile names. */
function awareMethods(): string[] {
  const named = choices.flatMap((name) => {
    const { value } = cellOf(name, 'aware')
    return value === 'all' ? [] : value
  })
  return [...new Set(named)]
}

function isAware(name: ProfileName, method: string): boolean {
  const { value } = cellOf(name, 'aware')
  return value === 'all' || value.includes(method)
}

function code(text: string | undefined): string {
  return text === undefined ? '' : `\`${text}\``
}

function textOf(value: unknown): string {
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  if (!Array.isArray(value)) return String(value)
  return value.length === 0 ? 'none' : value.map((one) => `\`${one}\``).join(', ')
}
