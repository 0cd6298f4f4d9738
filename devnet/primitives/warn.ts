import { inspect } from 'node:util'
import { printableLines } from './printable.ts'

/** Tells in the log of the process of what does not stop a node. */
export function warn(sentence: string): void {
  tell(`hardhat-pending-node: ${sentence}`)
}

/** Writes lines for a person to stderr. Whatever strangers wrote in them controls no terminal. */
export function tell(text: string): void {
  console.error(printableLines(text).join('\n'))
}

/** Tells in the log of the process of a defect, with its stack. @param where - begins the line */
export function tellDefect(where: string, error: unknown): void {
  tell(`${where}: ${inspect(error)}`)
}

/** Tells of a defect that no request is to blame for. */
export function reportInternalError(error: unknown): void {
  tellDefect('hardhat-pending-node: internal error, please report it', error)
}
