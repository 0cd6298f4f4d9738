import { visibleLines } from '../../primitives/visible.ts'

/** Writes a quantity in decimal: `0x7a69` as `31337`. Anything else is returned unchanged. */
export function decimal(quantity: string): string {
  return /^0x[0-9a-f]+$/i.test(quantity) ? String(BigInt(quantity)) : quantity
}

export function originText(origin: string | null): string {
  return origin ?? 'a program without an origin (not a browser)'
}

/** A remaining time in minutes and seconds, e.g. `0:09`. */
export function minutes(ms: number): string {
  const seconds = Math.max(0, Math.ceil(ms / 1000))
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`
}

/** Maximum length of JSON that is shown indented, since indentation can multiply the length. */
const LONGEST_INDENTED = 64 * 1024
/** Maximum length of JSON that is shown at all, in characters. */
const LONGEST_SHOWN = 512 * 1024

/** A JSON value in readable form. */
export function pretty(value: unknown): string {
  const text = JSON.stringify(value) ?? ''
  if (text.length <= LONGEST_INDENTED) return visibleLines(JSON.stringify(value, null, 2) ?? '')
  const rest = text.length - LONGEST_SHOWN
  const shown = visibleLines(text.slice(0, LONGEST_SHOWN))
  return rest > 0 ? `${shown}\n… and ${rest} more characters` : shown
}
