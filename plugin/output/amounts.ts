const WEI = 1n
const GWEI = 10n ** 9n
const ETHER = 10n ** 18n

/** From this many of a unit on, the next one reads better; `hardhat node` has the same bounds. */
const MANY = 100_000n

/** An amount of wei in the unit in which it reads best: `0 ETH`, `16 wei`, `2.5 gwei`, `1.5 ETH`. */
export function amount(wei: bigint): string {
  if (wei === 0n) return '0 ETH'
  if (wei < MANY * WEI) return `${wei} wei`
  if (wei < MANY * GWEI) return `${decimal(wei, GWEI)} gwei`
  return `${decimal(wei, ETHER)} ETH`
}

/** All digits, since an amount may be what somebody looks for. */
function decimal(value: bigint, unit: bigint): string {
  const digits = String(unit).length - 1
  const fraction = String(value % unit)
    .padStart(digits, '0')
    .replace(/0+$/, '')
  return fraction === '' ? String(value / unit) : `${value / unit}.${fraction}`
}
