type Child = Node | string | undefined

/** Attributes that can be set here; none of them takes markup. */
type Attribute = 'class' | 'id' | 'name' | 'role' | 'title' | 'type' | 'value' | `aria-${string}`

/** Makes an element; strings become text, never markup. */
export function el<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  attributes: { readonly [Name in Attribute]?: string } = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[Tag] {
  const element = document.createElement(tag)
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== undefined) element.setAttribute(name, value)
  }
  for (const child of children) if (child !== undefined) element.append(child)
  return element
}

/** An element of page.html. */
export function byId(id: string): HTMLElement {
  const element = document.getElementById(id)
  if (element === null) throw new Error(`page.html has no #${id}`)
  return element
}

/** Shows a text in an element, or hides the element if there is none. */
export function showText(element: HTMLElement, text: string | undefined): void {
  element.hidden = text === undefined
  if (element.textContent !== (text ?? '')) element.textContent = text ?? ''
}

/**
 * Makes the children of `parent` match `items`, in that order. A child whose key stays is kept, and
 * with it focus, selection and unfolded details.
 */
export function syncChildren<Item>(
  parent: HTMLElement,
  items: readonly Item[],
  keyOf: (item: Item) => string,
  make: (item: Item) => HTMLElement,
): void {
  const kept = new Map<string, Element>()
  for (const child of parent.children) kept.set(child.getAttribute('data-key') ?? '', child)
  let at: Element | null = parent.firstElementChild
  for (const item of items) {
    const key = keyOf(item)
    const old = kept.get(key)
    kept.delete(key)
    if (old !== undefined && old === at) {
      at = at.nextElementSibling
      continue
    }
    const child = old ?? make(item)
    child.setAttribute('data-key', key)
    parent.insertBefore(child, at)
  }
  for (const child of kept.values()) child.remove()
}
