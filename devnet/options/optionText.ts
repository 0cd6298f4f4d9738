import type { OptionDefinition } from './optionTable.ts'

/**
 * The name that `word` most likely stands for; `undefined` when none is near enough to be meant.
 * Case, dashes and underscores do not count, so that `tick-interval` finds `tickInterval`.
 */
export function nearestName(word: string, names: readonly string[]): string | undefined {
  const wanted = plain(word)
  let nearest: string | undefined
  // Of three letters one may be wrong, of ten three.
  let least = Math.floor(wanted.length / 3) + 1
  for (const name of names) {
    const distance = editDistance(wanted, plain(name))
    if (distance < least) {
      least = distance
      nearest = name
    }
  }
  return nearest
}

function plain(name: string): string {
  return name.replace(/[-_]/g, '').toLowerCase()
}

/** Levenshtein distance: how many letters must be inserted, removed or changed; two that changed places count once. */
function editDistance(from: string, to: string): number {
  let before: number[] = []
  let row = Array.from({ length: to.length + 1 }, (_, index) => index)
  for (const [line, letter] of [...from].entries()) {
    const next = [line + 1]
    for (const [column, other] of [...to].entries()) {
      const changed = (row[column] ?? 0) + (letter === other ? 0 : 1)
      const swapped =
        line > 0 && column > 0 && letter === to[column - 1] && other === from[line - 1]
          ? (before[column - 1] ?? 0) + 1
          : changed
      next.push(Math.min(changed, swapped, (row[column + 1] ?? 0) + 1, (next[column] ?? 0) + 1))
    }
    before = row
    row = next
  }
  return row[to.length] ?? 0
}

/** The option as the command line spells it: `tickInterval` is `--tick-interval`. */
export function optionFlag(name: string): string {
  return `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`
}

/**
 * Reads the value of an option from the command line: numbers in decimal, hexadecimal or as `5e9`, with `_`
 * between digits if wanted; lists separated by commas. Text that cannot be read comes back as it is, so that
 * the check of the value, which follows, names it.
 */
export function optionFromText(definition: OptionDefinition, text: string): unknown {
  switch (definition.type) {
    case 'integer': {
      const number = Number(integerFromText(text) ?? Number.NaN)
      return Number.isSafeInteger(number) ? number : text
    }
    case 'wei':
      return integerFromText(text) ?? text
    case 'list':
      return text
        .split(',')
        .map((entry) => entry.trim())
        .filter((entry) => entry !== '')
    default:
      return text
  }
}

/** The integer that `text` spells; `undefined` when it spells none. */
export function integerFromText(text: string): bigint | undefined {
  if (/^0x[0-9a-f]+$/i.test(text)) return BigInt(text)
  const match = /^(-?\d+(?:_\d+)*)(?:e(\d{1,2}))?$/i.exec(text)
  if (match?.[1] === undefined) return undefined
  return BigInt(match[1].replaceAll('_', '')) * 10n ** BigInt(match[2] ?? 0)
}
