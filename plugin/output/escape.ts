/** The first `length` characters of `text`, and how many more there are. */
export function cut(text: string, length: number): string {
  if (text.length <= length) return text
  return `${text.slice(0, length)}… (${text.length - length} more characters)`
}
