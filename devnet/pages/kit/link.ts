import { RpcSocket } from '../../primitives/rpcSocket.ts'

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
  let socket: WebSocket
  let client: RpcSocket
  let isClosed = false

  function connect(): void {
    socket = new WebSocket(`${location.origin.replace(/^http/, 'ws')}${endpoint}`)
    const opened = socket
    opened.addEventListener('open', () => {
      opened.send(JSON.stringify({ token }))
      onOpen().then(
        (first) => !isClosed && onLink('live', first),
        (error: unknown) => {
          if (!(error instanceof LostError)) opened.close()
        },
      )
    })
    client = new RpcSocket(opened, {
      // The casts are safe: the node that served this page speaks so.
      toError: (body) => new Error((body as { message: string }).message),
      toLoss: () => new LostError('The connection was lost.'),
      onPush: (_method, params) => onPush(params as Pushed),
      onClose(code) {
        if (isClosed) return
        if (code === WRONG_TOKEN) {
          isClosed = true
          onLink('refused')
          return
        }
        onLink('lost')
        setTimeout(() => !isClosed && connect(), RETRY_PAUSE)
      },
    })
  }

  connect()
  return {
    // The node answers each method with the type that both share.
    call: <Name extends keyof Api>(method: Name, params: Api[Name]['params']) =>
      client.request(String(method), params) as Promise<Api[Name]['answer']>,
    reconnect: () => socket.close(),
    close() {
      isClosed = true
      socket.close()
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
