import { endOfString } from './json.ts'

/** Most values of one request, which take some 30 ms to parse and to read. */
export const MOST_VALUES = 12_500

/** In front of a field or an item that is hexadecimal, such as a slot. */
const HEXADECIMAL = /\s*"0x/y

/**
 * True if a JSON text, or a request in it if it is a batch, has more than {@link MOST_VALUES} side
 * by side: so many small ones take far longer than one of 5 MB. What has a name that comes again,
 * as the fields of calls do, counts three tenths, and a list or an object around values a tenth.
 *
 * @param mostInBatch - most values of a batch. Default: as many as of a request
 */
export function holdsTooMuch(text: string, mostInBatch = MOST_VALUES): boolean {
  // A shorter text cannot hold that many values.
  if (text.length <= MOST_VALUES) return false
  const isBatch = /^\s*\[/.test(text)
  let [tenths, batchTenths, open] = [0, 0, 0]
  for (let at = 0; at < text.length; at++) {
    const character = text.charAt(at)
    if (character === '"') at = endOfString(text, at) - 1
    else if (character === '}' || character === ']') open--
    else if (character === '{' || character === '[') {
      open++
      tenths++
    } else if (character === ',') {
      HEXADECIMAL.lastIndex = at + 1
      tenths += HEXADECIMAL.test(text) ? 10 : 3
      if (!isBatch || open > 1) continue
      batchTenths += tenths
      tenths = 0
    }
    if (tenths > 10 * MOST_VALUES || batchTenths > 10 * mostInBatch) return true
  }
  return false
}
