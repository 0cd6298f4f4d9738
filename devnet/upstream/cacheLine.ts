import { crc32 } from 'node:zlib'
import { parseForeign } from '../primitives/json.ts'

/** A line of a cache file: a list of the value's CRC-32 and the value. */
export function checkedLine(value: readonly unknown[]): string {
  const text = JSON.stringify(value)
  return `["${checksum(text)}",${text}]`
}

/** The value of a line; `undefined` if the line is damaged, empty or cut off. */
export function readLine(line: string): unknown {
  const [, sum, text] = /^\["([0-9a-f]{8})",(.*)\]$/.exec(line) ?? []
  if (sum === undefined || text === undefined || checksum(text) !== sum) return undefined
  try {
    return parseForeign(text)
  } catch {
    // A stranger wrote it, with the right checksum.
    return undefined
  }
}

function checksum(text: string): string {
  return crc32(text).toString(16).padStart(8, '0')
}
