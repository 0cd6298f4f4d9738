import type { HistoryEntry, WalletAccount, WalletState } from '../../wallet/types.ts'

export interface Snapshot {
  readonly state: WalletState
  /** Oldest first. */
  readonly history: readonly HistoryEntry[]
  /** As of a moment ago: the balances come last, since an RPC may be slow. */
  readonly accounts: readonly WalletAccount[]
}

/**
 * State of the connection to the node. `refused` (wrong token) is final, since a node keeps its
 * token until it restarts; after `lost` the page tries again.
 */
export type Link = 'connecting' | 'live' | 'lost' | 'refused'

export interface Control {
  /** @throws {Error} with the node's message */
  call(method: string, params?: Readonly<Record<string, unknown>>): Promise<unknown>
  close(): void
}

const ENDPOINT = '/wallet/control'
/** ms between the loss of the connection and the next attempt to connect. */
const RETRY_PAUSE = 1_000
/** Maximum number of history entries shown: all of them could make the page slow. */
const MAX_HISTORY = 100

/** ms between two looks at the balances, which change without a change of the wallet. */
const BALANCE_PAUSE = 2_000

/** WebSocket close code for a wrong token. */
const WRONG_TOKEN = 1008

class RefusedError extends Error {}

/** Connects to the control API and reports each change until `close` is called. */
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
  let snapshot: Snapshot | undefined
  let accounts: readonly WalletAccount[] | undefined
  let isLookingAtAccounts = false

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

  /** Runs one refresh at a time; a change during a refresh causes another one afterwards. */
  async function refresh(): Promise<void> {
    isStale = true
    if (isRefreshing) return
    isRefreshing = true
    try {
      while (isStale && !isClosed) {
        isStale = false
        const [state, history, first] = await Promise.all([
          call('control_state'),
          call('control_history', { limit: MAX_HISTORY }),
          accounts ?? call('control_accounts'),
        ])
        accounts ??= first as readonly WalletAccount[]
        // The node that served this page answers with these types.
        snapshot = { state, history, accounts } as Snapshot
        if (!isClosed) onSnapshot(snapshot)
      }
    } finally {
      isRefreshing = false
    }
    await lookAtAccounts()
  }

  /** Asks for the balances, and shows them if one has changed. */
  async function lookAtAccounts(): Promise<void> {
    if (isLookingAtAccounts || isClosed) return
    isLookingAtAccounts = true
    try {
      const fresh = (await call('control_accounts')) as readonly WalletAccount[]
      if (JSON.stringify(fresh) === JSON.stringify(accounts)) return
      accounts = fresh
      if (snapshot === undefined || isClosed) return
      snapshot = { ...snapshot, accounts }
      onSnapshot(snapshot)
    } finally {
      isLookingAtAccounts = false
    }
  }

  function look(reload = refresh): void {
    reload().then(
      () => !isClosed && onLink('live'),
      (error: unknown) => {
        if (isClosed) return
        if (error instanceof RefusedError) refuse()
        // Closing the socket leads to another attempt to connect.
        else socket?.close()
      },
    )
  }

  function connect(): void {
    const opened = new WebSocket(`${location.origin.replace(/^http/, 'ws')}${ENDPOINT}`)
    socket = opened
    opened.addEventListener('open', () => {
      opened.send(JSON.stringify({ token }))
      // Any command would do: its answer shows that the node has accepted the token and now reports
      // every change.
      opened.send(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'control_policy' }))
    })
    opened.addEventListener('message', () => look())
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

  const timer = setInterval(() => {
    const isLive = socket?.readyState === WebSocket.OPEN && snapshot !== undefined
    if (isLive && document.visibilityState === 'visible') look(lookAtAccounts)
  }, BALANCE_PAUSE)

  function close(): void {
    isClosed = true
    clearInterval(timer)
    socket?.close()
  }

  connect()
  return { call, close }
}
