/* Amounts in words, the same on every page and in the terminal. */

const ETHER_DECIMALS = 18
const GWEI_DECIMALS = 9

/** Significant digits of an amount that is not shown in full, and its decimals at least. */
const SIGNIFICANT = 6
const FEWEST_DECIMALS = 4

/** Amounts below this many wei are shown in wei. */
const FEW_WEI = 10_000n

/** wei, of less than which lists show no digits. */
const LITTLE = 10n ** 12n
const ETHER = 10n ** 18n

/** Significant digits of a difference that two amounts show. */
const DIFFERENCE = 3

export const UNLIMITED = 'unlimited'

/** Marks the digits of an amount without limit. */
export const UNLIMITED_NOTE = ` (${UNLIMITED})`

/** A number with separators, e.g. `48,960`. */
export function count(value: number | bigint): string {
  // The first call of `toLocaleString` takes 20 ms, in which a tick would wait.
  const isWhole = typeof value === 'bigint' || Number.isSafeInteger(value)
  return isWhole ? String(value).replace(/\B(?=(?:\d{3})+$)/g, ',') : value.toLocaleString('en-US')
}

/**
 * True for the largest value of an integer, which means "unlimited".
 *
 * @param bits - of the integer's type, e.g. 160 for an allowance of Permit2
 */
export function isUnlimited(amount: bigint, bits = 256): boolean {
  return amount === 2n ** BigInt(bits) - 1n
}

/** All digits of an amount in whole units, e.g. `1,000.5` of 1,000,500,000 with 6 decimals. */
export function exactAmount(amount: bigint, decimals: number): string {
  return cut(amount, decimals, decimals)
}

/** An amount in whole units to six significant digits and four decimals, e.g. `9,999.9987`. */
function shortAmount(amount: bigint, decimals: number): string {
  const [whole, fraction] = partsOf(amount < 0n ? -amount : amount, decimals)
  if (whole !== '0')
    return cut(amount, decimals, Math.max(FEWEST_DECIMALS, SIGNIFICANT - whole.length))
  return cut(amount, decimals, leadingZeros(fraction) + SIGNIFICANT)
}

/** All digits of an amount of wei in ether, e.g. `1,000.5`. */
export function exactEther(wei: bigint): string {
  return exactAmount(wei, ETHER_DECIMALS)
}

/** An amount of wei with its unit: `0 ETH`, `3 wei`, `0.000000132742 ETH`, `9,999.9987 ETH`. */
export function etherText(wei: bigint, symbol = 'ETH'): string {
  if (isFewWei(wei)) return `${count(wei).replace('-', '−')} wei`
  return `${shortAmount(wei, ETHER_DECIMALS)} ${symbol}`
}

/** An amount of wei for a list, with six decimals at most: `0.000012 ETH`, `<0.000001 ETH`. */
export function listedEther(wei: bigint, symbol = 'ETH'): string {
  if (isFewWei(wei) || wei <= 0n || wei >= ETHER) return etherText(wei, symbol)
  return `${wei < LITTLE ? '<0.000001' : cut(wei, ETHER_DECIMALS, SIGNIFICANT)} ${symbol}`
}

function isFewWei(wei: bigint): boolean {
  return wei !== 0n && wei < FEW_WEI && wei > -FEW_WEI
}

/** All digits of an amount of wei in gwei, e.g. `1.061186515`. */
export function exactGwei(wei: bigint): string {
  return exactAmount(wei, GWEI_DECIMALS)
}

/** An amount of wei in gwei to four decimals, or all of them if it is less, e.g. `1.0612 gwei`. */
export function gwei(wei: bigint): string {
  return `${cut(wei, GWEI_DECIMALS, wei < 10n ** 6n ? GWEI_DECIMALS : FEWEST_DECIMALS)} gwei`
}

/** Decimals and symbol of a token, as far as it tells them. */
export interface TokenUnit {
  /** 0 to 77; `null` if unknown. */
  readonly decimals: number | null
  /** Untrusted text. */
  readonly symbol: string | null
}

/** An amount of a token: `70 USDT`, `unlimited USDT`, `5 units of a token` without decimals. */
export function tokenAmount(amount: bigint, { decimals, symbol }: TokenUnit): string {
  const name = symbol ?? 'of a token'
  if (isUnlimited(amount)) return `${UNLIMITED} ${name}`
  if (decimals === null)
    return `${count(amount).replace('-', '−')} units${symbol === null ? '' : ' of'} ${name}`
  return `${exactAmount(amount, decimals)} ${name}`
}

/** Two amounts with the digits that tell them apart. */
export interface Compared {
  /** The beginning of both. */
  readonly same: string
  /** The rest of each. */
  readonly before: string
  readonly after: string
}

/**
 * Compares two amounts in whole units, with as many digits as show their difference:
 * `9,999.9` + `975` and `9,999.9` + `968`.
 */
export function compare(before: bigint, after: bigint, decimals: number): Compared {
  const difference = after > before ? after - before : before - after
  const [whole, fraction] = partsOf(difference, decimals)
  const needed = whole === '0' ? leadingZeros(fraction) + DIFFERENCE : FEWEST_DECIMALS
  const [first, second] = [before, after].map((amount) => {
    const digits = SIGNIFICANT - partsOf(amount, decimals)[0].length
    return cut(amount, decimals, Math.max(needed, digits))
  }) as [string, string]
  const isAsLong = first.split('.')[0]?.length === second.split('.')[0]?.length
  let equal = 0
  while (isAsLong && equal < first.length && first[equal] === second[equal]) equal++
  return { same: first.slice(0, equal), before: first.slice(equal), after: second.slice(equal) }
}

/** The digits before and after the point, the latter all. */
function partsOf(amount: bigint, decimals: number): readonly [string, string] {
  const digits = String(amount).padStart(decimals + 1, '0')
  const point = digits.length - decimals
  return [digits.slice(0, point), digits.slice(point)]
}

function leadingZeros(digits: string): number {
  return digits.length - digits.replace(/^0+/, '').length
}

/** An amount with at most so many digits after the point; what is cut off is not rounded. */
function cut(amount: bigint, decimals: number, digits: number): string {
  if (amount < 0n) return `−${cut(-amount, decimals, digits)}`
  const [whole, fraction] = partsOf(amount, decimals)
  const shown = fraction.slice(0, Math.max(0, digits)).replace(/0+$/, '')
  return shown === '' ? count(BigInt(whole)) : `${count(BigInt(whole))}.${shown}`
}
