import { visibleLines } from './visible.ts'

/** `0x7a69` as `31337`; what is no quantity stays as it is. */
export function decimal(quantity: string): string {
  return /^0x[0-9a-f]+$/i.test(quantity) ? String(BigInt(quantity)) : quantity
}

/** The ends of an address or hash, which is enough to tell the known ones apart. */
export function short(hex: string): string {
  return hex.length > 14 ? `${hex.slice(0, 8)}…${hex.slice(-4)}` : hex
}

/** Who asks, as a person says it. */
export function originText(origin: string | null): string {
  return origin ?? 'a program without an origin (no browser)'
}

/** A time of the clock, e.g. `14:03:09`. */
export function timeOfDay(ms: number): string {
  return new Date(ms).toLocaleTimeString([], { hour12: false })
}

/** `4.2 s`, `90 ms`. */
export function duration(ms: number): string {
  return ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`
}

/** How long is left, e.g. `0:09`. */
export function minutes(ms: number): string {
  const seconds = Math.max(0, Math.ceil(ms / 1000))
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`
}

/** Characters of JSON that are indented, which can multiply them, and that are shown at all beside the summary. */
const LONGEST_INDENTED = 64 * 1024
const LONGEST_SHOWN = 512 * 1024

/** Any value of JSON, to be read. */
export function pretty(value: unknown): string {
  const text = JSON.stringify(value) ?? ''
  if (text.length <= LONGEST_INDENTED) return visibleLines(JSON.stringify(value, null, 2) ?? '')
  const rest = text.length - LONGEST_SHOWN
  const shown = visibleLines(text.slice(0, LONGEST_SHOWN))
  return rest > 0 ? `${shown}\n… and ${rest} characters more` : shown
}
