import type { OptionDefinition } from './optionTable.ts'

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
