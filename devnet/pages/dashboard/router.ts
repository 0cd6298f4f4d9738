import { computed, signal } from '@preact/signals'

/** Path of the page on the node's port; all views lie below it. */
export const BASE = '/dashboard'

/** The lists, in the order of the navigation. */
export const VIEWS = ['now', 'txs', 'blocks', 'mempool', 'accounts', 'contracts', 'log'] as const
export type ViewName = (typeof VIEWS)[number]

/**
 * The view that the address asks for. `/token/<address>` of EIP-3091 is as `/address/<address>`.
 */
export type Route =
  | { readonly view: ViewName }
  | { readonly view: 'tx' | 'block' | 'address'; readonly id: string }
  | { readonly view: 'unknown'; readonly path: string }

const path = signal(location.pathname)
const query = signal(location.search)

export const route = computed(() => parsePath(path.value))

/** Fields of the query string, such as the filter of a list. */
export const search = computed(() => new URLSearchParams(query.value))

function parsePath(pathname: string): Route {
  const [view = '', id, ...rest] = pathname.slice(BASE.length).replace(/^\//, '').split('/')
  if (rest.length > 0) return { view: 'unknown', path: pathname }
  if (id === undefined || id === '') {
    const name = view === '' ? 'now' : VIEWS.find((each) => each === view && each !== 'now')
    return name === undefined ? { view: 'unknown', path: pathname } : { view: name }
  }
  if (view === 'tx' || view === 'block') return { view, id }
  if (view === 'address' || view === 'token') return { view: 'address', id }
  return { view: 'unknown', path: pathname }
}

export const links = {
  view: (name: ViewName) => (name === 'now' ? `${BASE}/` : `${BASE}/${name}`),
  tx: (hash: string) => `${BASE}/tx/${hash}`,
  block: (id: string | number) => `${BASE}/block/${id}`,
  /** The list of blocks before one. */
  blocksBefore: (before: number) => `${BASE}/blocks?before=${before}`,
  address: (address: string) => `${BASE}/address/${address}`,
  /** The list of transactions that pass a filter. */
  txs: (filter: Readonly<Record<string, string>>) => {
    const text = new URLSearchParams(filter).toString()
    return text === '' ? `${BASE}/txs` : `${BASE}/txs?${text}`
  },
}

function update(): void {
  path.value = location.pathname
  query.value = location.search
}

/** Shows another view, as a link of the page does. */
export function navigate(href: string): void {
  if (href === `${location.pathname}${location.search}`) return
  history.pushState(null, '', href)
  update()
  window.scrollTo(0, 0)
}

/** Follows links to other views without loading the page anew. */
export function listenToLinks(): void {
  window.addEventListener('popstate', update)
  document.addEventListener('click', (event) => {
    if (event.defaultPrevented || event.button !== 0) return
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return
    if (!(event.target instanceof Element) || event.target.closest('button, summary') !== null)
      return
    const link = event.target.closest('a[href]')
    // A row opens wherever it is clicked, unless text in it was marked.
    const row = getSelection()?.isCollapsed === false ? null : event.target.closest('[data-href]')
    const href = link?.getAttribute('href') ?? row?.getAttribute('data-href')
    if (!href?.startsWith(`${BASE}/`)) return
    event.preventDefault()
    navigate(href)
  })
}
