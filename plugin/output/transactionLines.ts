import type { ConsoleLogEvent, TickTransaction } from '../../devnet/types.ts'
import type { CallNames } from '../artifacts/contractNames.ts'
import { amount } from './amounts.ts'
import { calledName, errorText, printedLines } from './callLines.ts'
import { grouped } from './lines.ts'
import type { Paint } from './paint.ts'

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
