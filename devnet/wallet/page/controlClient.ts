import type { Snapshot } from './wire.ts'

/**
 * How the page stands with the node: `refused` is for good, since the token of a node changes with every start; `lost`
 * is tried again.
 */
export type Link = 'connecting' | 'live' | 'lost' | 'refused'

/** The wallet's control endpoint. */
export interface Control {
  /** @throws {Error} with the sentence of the node */
  call(method: string, params?: Readonly<Record<string, unknown>>): Promise<unknown>
  close(): void
}

interface ControlOptions {
  readonly token: string
  readonly session: string
  readonly onSnapshot: (snapshot: Snapshot) => void
  readonly onLink: (link: Link) => void
}

const ENDPOINT = '/wallet/control'
/** ms until the next attempt after a loss. */
const RETRY_PAUSE = 1_000
/** Entries of the history that are shown; the page would be slow with all of them. */
const MAX_HISTORY = 100

/** Code of the CloseEvent for a wrong token. */
const NOT_ADMITTED = 1008

/** The node does not take the token. */
class RefusedError extends Error {}

/** Keeps the page at the newest state of the wallet until it is closed. */
export function openControl({ token, session, onSnapshot, onLink }: ControlOptions): Control {
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

  /** One look at a time; what changes meanwhile is looked at once more afterwards. */
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
        // The node of this very page: its forms are the contract of wire.ts.
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
        // The socket's end says when to try again; a look that fails alone must not stay unnoticed either.
        else socket?.close()
      },
    )
  }

  function connect(): void {
    const opened = new WebSocket(`${location.origin.replace(/^http/, 'ws')}${ENDPOINT}`)
    socket = opened
    opened.addEventListener('open', () => {
      opened.send(JSON.stringify({ token }))
      // Answered once the node has taken the token; it tells of every change from then on, so that none is missed.
      opened.send(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'control_policy' }))
    })
    opened.addEventListener('message', look)
    opened.addEventListener('close', ({ code }) => {
      if (isClosed) return
      if (code === NOT_ADMITTED) {
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
