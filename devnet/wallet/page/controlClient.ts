import type { HistoryEntry, WalletState } from '../types.ts'

export interface Snapshot {
  readonly state: WalletState
  /** Oldest first. */
  readonly history: readonly HistoryEntry[]
}

/**
 * State of the connection to the node. `refused` is final, since each start of a node makes a new
 * token; after `lost` the page tries again.
 */
export type Link = 'connecting' | 'live' | 'lost' | 'refused'

export interface Control {
  /** @throws {Error} with the node's message */
  call(method: string, params?: Readonly<Record<string, unknown>>): Promise<unknown>
  close(): void
}

const ENDPOINT = '/wallet/control'
/** ms between a loss and the next attempt. */
const RETRY_PAUSE = 1_000
/** History entries shown; with all of them the page would be slow. */
const MAX_HISTORY = 100

/** Close code for a wrong token. */
const WRONG_TOKEN = 1008

class RefusedError extends Error {}

/** Keeps the page up to date until it is closed. */
export function openControl(
  token: string,
  session: string,
  onSnapshot: (snapshot: Snapshot) => void,
  onLink: (link: Link) => void,
): Control {
  let socket: WebSocket | undefined
  let isClosed = false
  let isRefreshing = false
  let isStale = false

  async function call(
    method: string,
    params: Readonly<Record<string, unknown>> = {},
  ): Promise<unknown> {
    const response = await fetch(ENDPOINT, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: [{ session, ...params }] }),
      cache: 'no-store',
    })
    if (response.status === 401 || response.status === 403) {
      throw new RefusedError(await response.text())
    }
    const answer = await response.json()
    if (answer.error !== undefined) throw new Error(answer.error.message)
    return answer.result
  }

  /** One refresh at a time; a change meanwhile causes one more afterwards. */
  async function refresh(): Promise<void> {
    isStale = true
    if (isRefreshing) return
    isRefreshing = true
    try {
      while (isStale && !isClosed) {
        isStale = false
        const [state, history] = await Promise.all([
          call('control_state'),
          call('control_history', { limit: MAX_HISTORY }),
        ])
        // The node that served this page answers with these types.
        if (!isClosed) onSnapshot({ state, history } as Snapshot)
      }
    } finally {
      isRefreshing = false
    }
  }

  function look(): void {
    refresh().then(
      () => !isClosed && onLink('live'),
      (error: unknown) => {
        if (isClosed) return
        if (error instanceof RefusedError) refuse()
        // Closing the socket leads to another attempt.
        else socket?.close()
      },
    )
  }

  function connect(): void {
    const opened = new WebSocket(`${location.origin.replace(/^http/, 'ws')}${ENDPOINT}`)
    socket = opened
    opened.addEventListener('open', () => {
      opened.send(JSON.stringify({ token }))
      // The answer comes after the node has accepted the token, from when on it reports every
      // change.
      opened.send(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'control_policy' }))
    })
    opened.addEventListener('message', look)
    opened.addEventListener('close', ({ code }) => {
      if (isClosed) return
      if (code === WRONG_TOKEN) {
        refuse()
        return
      }
      onLink('lost')
      setTimeout(() => !isClosed && connect(), RETRY_PAUSE)
    })
  }

  function refuse(): void {
    close()
    onLink('refused')
  }

  function close(): void {
    isClosed = true
    socket?.close()
  }

  connect()
  return { call, close }
}
