import { shorten } from '../primitives/errors.ts'
import { failureMessage, shownParameters } from '../rpc/redaction.ts'
import type { ConsoleLogEvent, RequestEvent } from '../types.ts'
import type { LogLine } from './newestLines.ts'

/** Longest parameters that are shown, in characters. */
const MAX_PARAMETERS = 400

/** Longest text of a line, in characters. */
const MAX_LINE = 16_384

/** The shown part of a text that a contract or a request made as long as it liked. */
export function lineText(text: string): string {
  return shorten(text, MAX_LINE)
}

export function consoleText({ messages, omitted }: ConsoleLogEvent): string {
  const rest = omitted === 0 ? [] : [`… and ${omitted} more console.log`]
  return [...messages, ...rest].join('\n')
}

/** A request, without what is private in it. */
export function requestLine(event: RequestEvent): Pick<LogLine, 'kind' | 'text' | 'elapsed'> {
  const { method, error, elapsed } = event
  const params = shownParameters(event)
  const list = params === undefined ? '' : ` ${JSON.stringify(params).slice(0, MAX_PARAMETERS)}`
  const text = `${method?.slice(0, 100) ?? 'a message'}${list}`
  if (error === null) return { kind: 'request', text, elapsed }
  return { kind: 'failed', text: `${text}: ${failureMessage(event)}`, elapsed }
}
