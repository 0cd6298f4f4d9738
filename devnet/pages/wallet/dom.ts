type Child = Node | string | undefined

/** Attributes that `el` can set; none of them is parsed as markup. */
type Attribute = 'class' | 'id' | 'name' | 'role' | 'title' | 'type' | 'value' | `aria-${string}`

/** Creates an element. Strings among its children become text, never markup. */
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

/** Returns an element of page.html by its id. */
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
 * Makes the children of `parent` match `items`, in that order. A child whose key remains is kept,
 * so that focus, selection and open `<details>` survive.
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
