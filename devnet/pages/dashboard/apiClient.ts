import type { Changed, DashboardApi } from '../../dashboard/api.ts'

/**
 * State of the connection to the node. `refused` (no token, or a wrong one) ends with another
 * token, since a node keeps its own until it restarts; after `lost` the page tries again.
 */
export type Link = 'connecting' | 'live' | 'lost' | 'refused'

export type Method = keyof DashboardApi
export type Params<Name extends Method> = DashboardApi[Name]['params']
export type Answer<Name extends Method> = DashboardApi[Name]['answer']

export interface Client {
  /** @throws {Error} with the node's sentence; {@link LostError} if the connection ends before */
  call<Name extends Method>(method: Name, params: Params<Name>): Promise<Answer<Name>>
  close(): void
}

interface Listeners {
  /** Each connection that the node has admitted, before any push of it. */
  onLink(link: Link, state?: Answer<'state'>): void
  onChanged(changed: Changed): void
}

/** The connection ended before the answer came: the view asks again once there is another. */
export class LostError extends Error {}

const ENDPOINT = '/dashboard/api'
/** ms between the loss of the connection and the next attempt to connect. */
const RETRY_PAUSE = 1_000
/** WebSocket close code for a wrong token. */
const WRONG_TOKEN = 1008

/** What the WebSocket brings: an answer, or the notification `changed`. */
type Message =
  | { readonly id: number; readonly result: unknown }
  | { readonly id: number; readonly error: { readonly message: string } }
  | { readonly method: 'changed'; readonly params: Changed }

interface Call {
  readonly resolve: (result: unknown) => void
  readonly reject: (error: Error) => void
}

/** Connects to the API, and connects again after each loss, until it is refused or closed. */
export function openClient(token: string, { onLink, onChanged }: Listeners): Client {
  const calls = new Map<number, Call>()
  let lastId = 0
  let socket: WebSocket | undefined
  let isClosed = false

  function connect(): void {
    const opened = new WebSocket(`${location.origin.replace(/^http/, 'ws')}${ENDPOINT}`)
    socket = opened
    opened.addEventListener('open', () => {
      opened.send(JSON.stringify({ token }))
      // Its answer shows that the node has accepted the token.
      call('state', {}).then(
        (state) => !isClosed && onLink('live', state),
        (error: unknown) => {
          // Closing the socket leads to another attempt to connect.
          if (!(error instanceof LostError)) opened.close()
        },
      )
    })
    opened.addEventListener('message', ({ data }) => {
      // The node that served this page speaks so.
      const message: Message = JSON.parse(data)
      if (isClosed) return
      if ('method' in message) onChanged(message.params)
      else finish(message)
    })
    opened.addEventListener('close', ({ code }) => {
      for (const { reject } of calls.values()) reject(new LostError('The connection was lost.'))
      calls.clear()
      if (isClosed) return
      if (code === WRONG_TOKEN) {
        isClosed = true
        onLink('refused')
        return
      }
      onLink('lost')
      setTimeout(() => !isClosed && connect(), RETRY_PAUSE)
    })
  }

  function finish(message: Exclude<Message, { method: 'changed' }>): void {
    const waiting = calls.get(message.id)
    calls.delete(message.id)
    if ('error' in message) {
      waiting?.reject(new Error(message.error.message))
    } else waiting?.resolve(message.result)
  }

  function call<Name extends Method>(method: Name, params: Params<Name>): Promise<Answer<Name>> {
    const to = socket
    if (to?.readyState !== WebSocket.OPEN) {
      return Promise.reject(new LostError('The node does not answer.'))
    }
    lastId += 1
    const id = lastId
    return new Promise((resolve, reject) => {
      // The node answers each method with the type that both share.
      calls.set(id, { resolve: resolve as (result: unknown) => void, reject })
      to.send(JSON.stringify({ jsonrpc: '2.0', id, method, params }))
    })
  }

  connect()
  return {
    call,
    close() {
      isClosed = true
      socket?.close()
    },
  }
}
