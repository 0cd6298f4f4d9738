import type * as z from 'zod'

/**
 * Option of `safeParse`: a list stops at its first bad entry, or a million of them would make a million issues.
 * Zod hands it on to its containers, though its types keep it to internal use.
 */
export const FIRST_ISSUE_ONLY: z.core.ParseContext<z.core.$ZodIssue> = Object.freeze({
  abortEarly: true,
  reportInput: false,
})

/** What is read of a zod issue; it has more. */
interface Issue {
  readonly message: string
  readonly path: readonly PropertyKey[]
}

// Keys of a map come from the client: shown up to a length that fits a line, and holds an address or hash.
const LONGEST_KEY = 70

/** The first issue as one short sentence: where in the parameter, then what is wrong there. */
export function describeIssue(issues: readonly Issue[]): string {
  const [issue] = issues
  if (issue === undefined) return 'malformed'
  const message = issue.message.replace(/^Invalid input: /, '')
  const where = describePath(issue.path)
  return where === '' ? message : `${where}: ${message}`
}

function describePath(path: readonly PropertyKey[]): string {
  let text = ''
  for (const key of path) {
    if (typeof key === 'number') text += `[${key}]`
    else text += `${text === '' ? '' : '.'}${shorten(String(key), LONGEST_KEY)}`
  }
  return text
}

/** Text from a client, cut so that it fits into a message. */
export function shorten(text: string, longest: number): string {
  return text.length <= longest ? text : `${text.slice(0, longest)}…`
}
