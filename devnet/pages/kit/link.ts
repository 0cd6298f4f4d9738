/**
 * State of the connection to the node. `refused` (no token, or a wrong one) ends with another
 * token, since a node keeps its own until it restarts; after `lost` the page tries again.
 */
export type Link = 'connecting' | 'live' | 'lost' | 'refused'

/** Methods of an API, by their names. */
type Methods<Api> = {
  readonly [Name in keyof Api]: { readonly params: unknown; readonly answer: unknown }
}

export interface Client<Api extends Methods<Api>> {
  /** @throws {Error} with the node's sentence; {@link LostError} if the connection ends before */
  call<Name extends keyof Api>(
    method: Name,
    params: Api[Name]['params'],
  ): Promise<Api[Name]['answer']>
  /** Closes the connection, which leads to another attempt to connect. */
  reconnect(): void
  close(): void
}

interface Listeners<First, Pushed> {
  /** Asks the first question: its answer shows that the node has accepted the token. */
  onOpen(): Promise<First>
  /** @param first - of each connection that the node has admitted */
  onLink(link: Link, first?: First): void
  /** Notifications of the node. */
  onPush(pushed: Pushed): void
}

/** The connection ended before the answer came: the page asks again once there is another. */
export class LostError extends Error {}

/** ms between the loss of the connection and the next attempt to connect. */
const RETRY_PAUSE = 1_000
/** WebSocket close code for a wrong token. */
const WRONG_TOKEN = 1008

/** A message of the WebSocket: an answer, or a notification. */
type Message<Pushed> =
  | { readonly id: number; readonly result: unknown }
  | { readonly id: number; readonly error: { readonly message: string } }
  | { readonly method: string; readonly params: Pushed }

interface Call {
  readonly resolve: (result: unknown) => void
  readonly reject: (error: Error) => void
}

/**
 * Connects to an API of the node, and connects again after each loss, until it is refused or
 * closed.
 *
 * @param endpoint - path of the API
 */
export function openLink<Api extends Methods<Api>, First, Pushed>(
  endpoint: string,
  token: string,
  { onOpen, onLink, onPush }: Listeners<First, Pushed>,
): Client<Api> {
  const calls = new Map<number, Call>()
  let lastId = 0
  let socket: WebSocket | undefined
  let isClosed = false

  function connect(): void {
    const opened = new WebSocket(`${location.origin.replace(/^http/, 'ws')}${endpoint}`)
    socket = opened
    opened.addEventListener('open', () => {
      if (isClosed) return
      opened.send(JSON.stringify({ token }))
      onOpen().then(
        (first) => !isClosed && onLink('live', first),
        (error: unknown) => {
          if (!(error instanceof LostError)) opened.close()
        },
      )
    })
    opened.addEventListener('message', ({ data }) => {
      // The node that served this page speaks so.
      const message: Message<Pushed> = JSON.parse(data)
      if (isClosed) return
      if ('method' in message) onPush(message.params)
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

  function finish(message: Exclude<Message<Pushed>, { method: string }>): void {
    const waiting = calls.get(message.id)
    calls.delete(message.id)
    if ('error' in message) {
      waiting?.reject(new Error(message.error.message))
    } else waiting?.resolve(message.result)
  }

  connect()
  return {
    call(method, params) {
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
    },
    reconnect: () => socket?.close(),
    close() {
      isClosed = true
      socket?.close()
    },
  }
}

/**
 * The URL's fragment, if it has a token. It leaves the address bar and the history at once, where
 * others could see the token, and so that the address of a view can be passed on.
 *
 * @param form - of a fragment that has one
 */
export function takeFragment(form: RegExp): string | undefined {
  const given = location.hash.slice(1)
  if (!form.test(given)) return undefined
  history.replaceState(null, '', `${location.pathname}${location.search}`)
  return given
}

/** The node's sentence, if it refused. */
export function sentenceOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
