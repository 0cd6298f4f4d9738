import { printable } from '../../devnet/pluginApi.ts'

/** Splits text into lines and makes each {@link printable}. */
export function printableLines(text: string): string[] {
  return text.split(/\r?\n/).map(printable)
}

/** The first `length` characters of `text`, and how many more there are. */
export function cut(text: string, length: number): string {
  if (text.length <= length) return text
  return `${text.slice(0, length)}… (${text.length - length} more characters)`
}
