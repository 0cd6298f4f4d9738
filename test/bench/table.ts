import type { Peer } from './peers.ts'
import type { Row, ScenarioResult, Value } from './results.ts'

/** The results of all scenarios as one text table. */
export function table(results: readonly ScenarioResult[], peers: readonly Peer[]): string {
  const others = peers.filter(({ name }) => name !== 'ours')
  const compared = others.length < peers.length ? others : []
  const head = [
    '',
    'unit',
    ...peers.map(({ name }) => name),
    ...compared.map(({ name }) => `ours / ${name}`),
  ]
  const notes: string[] = []
  const lines: (string | readonly string[])[] = [head]
  for (const { name, about, rows } of results) {
    lines.push('', `${name}: ${about}`)
    for (const row of rows) {
      lines.push([
        `  ${row.metric}`,
        row.unit,
        ...peers.map((peer) => shown(row.values[peer.name], notes)),
        ...compared.map((peer) => shownRatio(row, peer)),
      ])
    }
  }
  const widths = head.map((_, column) =>
    Math.max(...lines.map((line) => (typeof line === 'string' ? 0 : (line[column]?.length ?? 0)))),
  )
  const text = lines.map((line) =>
    typeof line === 'string'
      ? line
      : line
          .map((cell, column) => {
            const width = widths[column] ?? 0
            return column < 2 ? cell.padEnd(width) : cell.padStart(width)
          })
          .join('  ')
          .trimEnd(),
  )
  return [
    'Medians. Ratios are oriented: more than 1 is better for ours, whether the number should be high or low.',
    '',
    ...text,
    ...(notes.length > 0 ? ['', ...notes.map((note, index) => `${mark(index)} ${note}`)] : []),
  ].join('\n')
}

function shown(value: Value | undefined, notes: string[]): string {
  if (value === undefined) return '–'
  const { median, note } = value
  if (note === undefined) return rounded(median)
  if (!notes.includes(note)) notes.push(note)
  return `${mark(notes.indexOf(note))}${rounded(median)}`
}

function shownRatio({ better, ratios }: Row, { name }: Peer): string {
  const ratio = ratios[name]
  return better === 'neither' || ratio === undefined ? '–' : `${rounded(ratio)} ×`
}

/** Three digits that count, and groups of three. */
function rounded(value: number): string {
  return value.toLocaleString('en', { maximumSignificantDigits: 3 })
}

function mark(index: number): string {
  return '*'.repeat(index + 1)
}
