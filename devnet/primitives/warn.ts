import { inspect } from 'node:util'
import { printableLines } from './printable.ts'

/** Logs a problem that does not stop the node. */
export function warn(sentence: string): void {
  tell(`hardhat-pending-node: ${sentence}`)
}

/** Writes lines for a person to stderr. Whatever strangers wrote in them controls no terminal. */
export function tell(text: string): void {
  console.error(printableLines(text).join('\n'))
}

/** Logs a defect with its stack. @param where - begins the line */
export function tellDefect(where: string, error: unknown): void {
  tell(`${where}: ${inspect(error)}`)
}

/** Logs a defect that no request has caused. */
export function reportInternalError(error: unknown): void {
  tellDefect('hardhat-pending-node: internal error, please report it', error)
}
