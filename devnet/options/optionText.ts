import { isBytes } from '../primitives/hex.ts'
import type { OptionDefinition } from './optionDefinition.ts'

/**
 * The name that is most likely meant by `word`; `undefined` if none is close enough. Case, dashes
 * and underscores are ignored, so that `tick-interval` finds `tickInterval`.
 */
export function nearestName(word: string, names: readonly string[]): string | undefined {
  const wanted = plain(word)
  let nearest: string | undefined
  // At most a third of the letters may be wrong.
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

/** Damerau-Levenshtein distance: letters to insert, remove, change, or swap with the next one. */
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

/** The environment variable that may hold a secret option of the command line. */
export function optionVariable(name: string): string {
  return `PENDING_NODE_${optionFlag(name).slice(2).replaceAll('-', '_').toUpperCase()}`
}

/**
 * Reads the value of an option from the command line: numbers in decimal, in hexadecimal or as
 * `5e9`, optionally with `_` between digits; lists by their separator. Malformed text is returned
 * unchanged, so that the check that follows can quote it.
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
        .split(definition.separator ?? ',')
        .map((entry) => entry.trim())
        .filter((entry) => entry !== '')
    case 'block':
      return isBytes(text, 32) ? text : (integerFromText(text) ?? text)
    default:
      return text
  }
}

/** The integer in `text`, e.g. `1_000`, `0x3e8` or `1e3`; `undefined` if malformed. */
export function integerFromText(text: string): bigint | undefined {
  if (/^0x[0-9a-f]+$/i.test(text)) return BigInt(text)
  const match = /^(-?\d+(?:_\d+)*)(?:e(\d{1,2}))?$/i.exec(text)
  if (match?.[1] === undefined) return undefined
  return BigInt(match[1].replaceAll('_', '')) * 10n ** BigInt(match[2] ?? 0)
}
