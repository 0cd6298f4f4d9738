import { styleText } from 'node:util'

/** Styles that the output uses. */
export type Style = 'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'cyan'

/** Gives `text` a style, or leaves it as it is where styles cannot be shown. */
export type Paint = (style: Style, text: string) => string

/** Paints for `stream`: only on a terminal, and not where NO_COLOR or the like forbids it. */
export function painter(stream: NodeJS.WritableStream): Paint {
  return (style, text) => styleText(style, text, { stream })
}
