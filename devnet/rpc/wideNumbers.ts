import { endOfString, isObject } from '../primitives/json.ts'
import { JsonText } from '../primitives/jsonText.ts'

/** Replaces the ids that a JavaScript number may not hold exactly by their own text. */
export function keepWideIds(message: unknown, body: string): void {
  const isBatch = Array.isArray(message)
  const requests: readonly unknown[] = isBatch ? message : [message]
  if (!requests.some(hasWideId)) return
  const texts = idTexts(body, isBatch ? 2 : 1)
  for (const [index, request] of requests.entries()) {
    const text = texts.get(index)
    if (hasWideId(request) && text !== undefined) Object.assign(request, { id: new JsonText(text) })
  }
}

function hasWideId(request: unknown): request is { id: number } {
  if (!isObject(request)) return false
  const { id } = request
  return typeof id === 'number' && Number.isFinite(id) && !Number.isSafeInteger(id)
}

/** Most characters of a string that means `id`: each of its letters may be escaped. */
const LONGEST_KEY = '"\\u0069\\u0064"'.length

/** The text after a key whose value is a number. */
const NUMBER = /\s*:\s*(-?\d[\d.eE+-]*)/y

/**
 * The texts of the numbers in the fields `id` of a request, or of the requests of a batch by their
 * index. Not by the reviver of JSON.parse, which visits whatever the request holds, at any depth.
 *
 * @param body - valid JSON
 * @param depth - how many objects and lists are open inside a request: 1, or 2 in a batch
 */
function idTexts(body: string, depth: number): ReadonlyMap<number, string> {
  const texts = new Map<number, string>()
  let open = 0
  let index = 0
  for (let at = 0; at < body.length; at++) {
    const character = body[at]
    if (character === '{' || character === '[') open++
    else if (character === '}' || character === ']') open--
    else if (character === ',' && open === depth - 1) index++
    else if (character === '"') {
      const end = endOfString(body, at)
      if (open === depth && end - at <= LONGEST_KEY && JSON.parse(body.slice(at, end)) === 'id') {
        NUMBER.lastIndex = end
        const number = NUMBER.exec(body)?.[1]
        if (number !== undefined) texts.set(index, number)
      }
      at = end - 1
    }
  }
  return texts
}

/** An integer of so many digits that a JavaScript number may not hold it, outside strings. */
const WIDE = /[[,:\s]\d{16,}\s*[\],}]/
const ANY_NUMBER = /-?\d[\d.eE+-]*/y
const WIDE_INTEGER = /^\d{16,}$/

/**
 * The message with the wide integers of its parameters as decimal text: clients such as cast send
 * an amount of wei as a bare integer.
 *
 * @param body - the text of the message, a request or a batch
 */
export function withWideIntegers(message: unknown, body: string): unknown {
  if (!WIDE.test(body)) return message
  // Leaves the fields of the request itself alone, such as its id.
  const least = Array.isArray(message) ? 3 : 2
  let text = ''
  let copied = 0
  let open = 0
  for (let at = 0; at < body.length; at++) {
    const character = body.charAt(at)
    if (character === '{' || character === '[') open++
    else if (character === '}' || character === ']') open--
    else if (character === '"') at = endOfString(body, at) - 1
    else if (/[-\d]/.test(character)) {
      ANY_NUMBER.lastIndex = at
      const number = ANY_NUMBER.exec(body)?.[0] ?? character
      if (open >= least && WIDE_INTEGER.test(number)) {
        text += `${body.slice(copied, at)}"${number}"`
        copied = at + number.length
      }
      at += number.length - 1
    }
  }
  return JSON.parse(text + body.slice(copied))
}
