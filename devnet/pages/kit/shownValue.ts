const ETHER = 10n ** 18n
const GWEI = 10n ** 9n
/** A space at which no line ends. */
const NO_BREAK = '\u00a0'
/** Digits of an amount that a list shows; its title has all of them. */
const SIGNIFICANT = 6

/** A number with separators, e.g. `48,960`. */
export function count(value: number | bigint): string {
  return value.toLocaleString('en-US')
}

/** A count with its noun, e.g. `1 transaction` or `2,400 transactions`. */
export function plural(value: number, noun: string, many = `${noun}s`): string {
  return `${count(value)} ${value === 1 ? noun : many}`
}

/** All digits of an amount of wei in ether, e.g. `1,000.5`. */
export function exactEther(wei: bigint): string {
  return decimals(wei, ETHER, 18)
}

/** An amount of wei in ether to six significant digits, e.g. `9,999.99`. */
export function ether(wei: bigint): string {
  if (wei < 0n) return `−${ether(-wei)}`
  const whole = String(wei / ETHER)
  if (wei / ETHER > 0n) return decimals(wei, ETHER, Math.max(0, SIGNIFICANT - whole.length))
  const fraction = String(wei % ETHER).padStart(18, '0')
  const leading = fraction.length - fraction.replace(/^0+/, '').length
  return decimals(wei, ETHER, Math.min(18, leading + SIGNIFICANT))
}

/** An amount of wei in whole coins to four decimals, the rest cut off, e.g. `9,999.9987`. */
export function coins(wei: bigint): string {
  return decimals(wei, ETHER, 4)
}

/** All digits of an amount of wei in gwei, e.g. `1.061186515`. */
export function exactGwei(wei: bigint): string {
  return decimals(wei, GWEI, 9)
}

/** An amount of wei in gwei to four decimals, or all of them if it is less, e.g. `1.0612 gwei`. */
export function gwei(wei: bigint): string {
  return `${decimals(wei, GWEI, wei < GWEI / 1_000n ? 9 : 4)} gwei`
}

function decimals(amount: bigint, unit: bigint, digits: number): string {
  const width = String(unit).length - 1
  const fraction = String(amount % unit)
    .padStart(width, '0')
    .slice(0, digits)
    .replace(/0+$/, '')
  return fraction === '' ? count(amount / unit) : `${count(amount / unit)}.${fraction}`
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
