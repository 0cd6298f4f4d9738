import { computed, signal } from '@preact/signals'

/** Path of the page on the node's port; all views lie below it. */
export const BASE = '/dashboard'

/** The lists, in the order of the navigation. */
export const VIEWS = [
  'now',
  'txs',
  'blocks',
  'mempool',
  'accounts',
  'contracts',
  'gas',
  'log',
] as const
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

/** A place in the history of the tab: `history.state`. */
interface Entry {
  /** The same again once a person comes back to it; 0 at first. */
  readonly id: number
  /** px to which the view was scrolled. */
  readonly y: number
}

export function historyEntry(): Entry {
  return history.state ?? { id: 0, y: 0 }
}

function update(): void {
  path.value = location.pathname
  query.value = location.search
}

/**
 * Shows another view, as a link of the page does.
 *
 * @param how - `replace` leaves no entry in the history. Default: `push`
 */
export function navigate(href: string, how: 'push' | 'replace' = 'push'): void {
  if (href === `${location.pathname}${location.search}`) return
  keepPlace()
  if (how === 'push') history.pushState({ id: Date.now(), y: 0 }, '', href)
  else history.replaceState({ ...historyEntry(), y: 0 }, '', href)
  update()
  comeBack = undefined
  window.scrollTo(0, 0)
}

/** ms for which a view may take to be as long as it was. */
const COMING_BACK = 3_000

/** ms without scrolling after which the place counts: browsers limit writes to the history. */
const REST = 150

/** px to scroll to, as soon as the view is long enough. */
let comeBack: number | undefined

/** True until the view that a person came back to is where it was. */
export function isComingBack(): boolean {
  return comeBack !== undefined
}

function keepPlace(): void {
  if (!isComingBack()) history.replaceState({ ...historyEntry(), y: window.scrollY }, '')
}

/** Restores the scroll position of each view: the browser cannot, as rows are loaded later. */
function keepPlaces(): void {
  history.scrollRestoration = 'manual'
  const end = () => {
    comeBack = undefined
  }
  let [resting, ending]: ReturnType<typeof setTimeout>[] = []
  const start = () => {
    const { y } = historyEntry()
    window.scrollTo(0, y)
    comeBack = y > 0 ? y : undefined
    clearTimeout(ending)
    ending = setTimeout(end, COMING_BACK)
  }
  window.addEventListener('popstate', () => {
    update()
    start()
  })
  window.addEventListener('scroll', () => {
    clearTimeout(resting)
    resting = setTimeout(keepPlace, REST)
  })
  for (const name of ['wheel', 'pointerdown', 'keydown', 'touchmove']) {
    window.addEventListener(name, end, { passive: true })
  }
  new ResizeObserver(() => {
    if (comeBack !== undefined) window.scrollTo(0, comeBack)
  }).observe(document.body)
  start()
}

/** Follows links to other views without loading the page anew. */
export function listenToLinks(): void {
  keepPlaces()
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
