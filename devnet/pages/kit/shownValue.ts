import { count } from '../../primitives/amounts.ts'

export {
  compare,
  count,
  etherText,
  exactAmount,
  exactEther,
  exactGwei,
  gwei,
  listedEther,
  tokenAmount,
} from '../../primitives/amounts.ts'

/** A space at which no line ends. */
const NO_BREAK = '\u00a0'

/** A count with its noun, e.g. `1 transaction` or `2,400 transactions`. */
export function plural(value: number, noun: string, many = `${noun}s`): string {
  return `${count(value)} ${value === 1 ? noun : many}`
}

/** A duration in ms with its unit: `90 ms`, `4.2 s`, `3 min`, `2 h`, `5 d`. */
export function duration(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`
  if (ms < 60_000) return `${(ms / 1_000).toFixed(1).replace(/\.0$/, '')} s`
  if (ms < 3_600_000) return `${Math.floor(ms / 60_000)} min`
  if (ms < 86_400_000) return `${Math.floor(ms / 3_600_000)} h`
  return `${Math.floor(ms / 86_400_000)} d`
}

/** Time since a moment, e.g. `4 s`, of a clock in ms. */
export function age(ms: number): string {
  return ms < 1_000 ? 'now' : duration(Math.floor(ms / 1_000) * 1_000)
}

/** The time of day of a moment in ms, e.g. `08:00:00`. */
export function timeOfDay(ms: number): string {
  return new Date(ms).toLocaleTimeString('en-GB')
}

/** Date and time of a moment in ms, e.g. `2027-01-15 08:00:00`. */
export function dateTime(ms: number): string {
  return `${new Date(ms).toLocaleDateString('sv-SE')} ${timeOfDay(ms)}`
}

/** A share in percent, e.g. `43 %`, in one piece. */
export function percent(part: number, whole: number): string {
  if (whole === 0 || part === 0) return `0${NO_BREAK}%`
  const share = (100 * part) / whole
  return share < 1 ? `<${NO_BREAK}1${NO_BREAK}%` : `${Math.round(share)}${NO_BREAK}%`
}
