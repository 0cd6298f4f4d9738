/** Where the browser keeps the token for this origin: every port has a place of its own. */
const TOKEN = 'devnet-dashboard-token'

/**
 * The token in the URL's fragment, if there is one. It leaves the address bar and the history at
 * once, so that the address of a view can be passed on.
 */
export function takeToken(): string | undefined {
  const given = new URLSearchParams(location.hash.slice(1)).get('token')
  if (given === null) return undefined
  history.replaceState(null, '', `${location.pathname}${location.search}`)
  return given
}

/** The token that the node accepted last. */
export function keptToken(): string | undefined {
  return localStorage.getItem(TOKEN) ?? undefined
}

/** Only for a token that the node has accepted, so that a wrong link cannot replace a right one. */
export function keepToken(token: string): void {
  localStorage.setItem(TOKEN, token)
}
