import type { Link } from './controlClient.ts'
import { byId, showText } from './dom.ts'

const LINKS: Record<Link, { readonly short: string; readonly long?: string }> = {
  connecting: { short: 'Connecting…' },
  live: { short: 'Live' },
  lost: {
    short: 'Connection lost',
    long: 'The node does not answer. What you see may be old; the page goes on by itself when the node is back.',
  },
  refused: {
    short: 'Not admitted',
    long: 'The token in the address of this page is not that of the running node; it changes with every start. Open the address that the node printed, with what follows the #.',
  },
}

/** Shows how the page stands with the node. */
export function showLink(link: Link): void {
  const { short, long } = LINKS[link]
  document.body.dataset.link = link
  showText(byId('link'), short)
  showText(byId('notice'), long)
}

/** Has a screen reader say something, also when it is the same as before. */
export function say(text: string): void {
  const line = document.createElement('p')
  line.textContent = text
  byId('live').replaceChildren(line)
}
