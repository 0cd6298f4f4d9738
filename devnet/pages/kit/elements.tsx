import { visible } from '../../primitives/visible.ts'

interface UntrustedProps {
  readonly text: string
  /** The element that holds nothing else. Default: the text stands among others */
  readonly within?: 'code' | 'div' | 'li' | 'p' | 'span' | 'strong' | 'td'
  /** Of that element, as the title. */
  readonly class?: string
  readonly title?: string
}

/**
 * Text of a contract, a transaction, a site or the project: never markup, nothing in it invisible,
 * and right-to-left text cannot reorder its surroundings.
 */
export function Untrusted({ text, within: Holder, ...attributes }: UntrustedProps) {
  if (Holder === undefined) return <bdi {...attributes}>{visible(text)}</bdi>
  return (
    <Holder {...attributes}>
      <bdi>{visible(text)}</bdi>
    </Holder>
  )
}

export function Logo() {
  return (
    <svg class="logo" viewBox="0 0 96 96" aria-hidden="true">
      <rect width="96" height="96" rx="22" />
      <rect class="box" x="22" y="22" width="52" height="52" rx="10" />
      <path d="M35 49l10 10 18-22" />
    </svg>
  )
}

/** The key that does what the control does; assistive technology is not told of single letters. */
export function Key({ name }: { readonly name: string }) {
  return (
    <span class="key" aria-hidden="true">
      {name}
    </span>
  )
}
