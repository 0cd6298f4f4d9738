import type { ConsoleLogEvent, TickTransaction } from '../../devnet/types.ts'
import type { CallNames } from '../artifacts/contract-names.ts'
import { calledName, errorText, printedLines } from './call-lines.ts'
import { grouped, type Paint } from './lines.ts'

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

/** Longest label and the space behind it, as wide as in `hardhat node`. */
const LABEL_WIDTH = 21

/** A transaction in full, in the form of `hardhat node`, below the line of its tick. */
export function transactionLines(
  transaction: TickTransaction,
  names: CallNames | undefined,
  printed: ConsoleLogEvent | undefined,
  paint: Paint,
): string[] {
  const { hash, from, to, data, value, gasUsed, gasLimit, contractAddress, error } = transaction
  const lines: string[] = []
  const add = (label: string, text: string) =>
    lines.push(`  ${`${label}:`.padEnd(LABEL_WIDTH)}${text}`)
  if (names !== undefined) {
    add(to === null ? 'Contract deployment' : 'Contract call', calledName({ to, data }, names))
  }
  if (contractAddress !== null) add('Contract address', contractAddress)
  add('Transaction', hash)
  add('From', from)
  if (to !== null) add('To', to)
  add('Value', amount(value))
  add('Gas used', `${grouped(gasUsed)} of ${grouped(gasLimit)}`)
  if (error !== null)
    lines.push(paint('red', `  ${'Error:'.padEnd(LABEL_WIDTH)}${errorText(error.message, names)}`))
  if (printed !== undefined) lines.push('', '  console.log:', ...printedLines(printed, '    '))
  lines.push('')
  return lines
}
