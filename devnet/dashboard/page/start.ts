import type { DashboardApi, StateAnswer } from '../api.ts'

const KEPT = 'dashboard-token'

/** Takes the token out of the address, so that links can be copied, and keeps it. */
function takeToken(): string {
  const given = /^#token=([A-Za-z0-9._~-]+)$/.exec(location.hash)?.[1]
  if (given === undefined) return localStorage.getItem(KEPT) ?? ''
  history.replaceState(null, '', location.pathname + location.search)
  return given
}

async function ask(token: string): Promise<StateAnswer> {
  const method: keyof DashboardApi = 'state'
  const response = await fetch('/dashboard/api', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${token}` },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: {} }),
  })
  if (response.status === 401)
    throw new Error('Open this page by the address that the node printed.')
  const { result, error } = await response.json()
  if (error !== undefined) throw new Error(error.message)
  return result
}

const token = takeToken()
ask(token).then(
  ({ status, chainId }) => {
    // Only one that admits: a wrong one in a link must not overwrite it.
    localStorage.setItem(KEPT, token)
    show(`Chain ${chainId}: #${status.latest.number} sealed, #${status.pending.number} pending.`)
  },
  (error: unknown) => show(error instanceof Error ? error.message : String(error)),
)

function show(text: string): void {
  const app = document.getElementById('app')
  if (app !== null) app.textContent = text
}
