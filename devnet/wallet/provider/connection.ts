import { type Channel, disconnected, fetchText, openPost, openSocket } from './channel.ts'
import { ProviderRpcError, toProviderError, toRecord } from './providerRpcError.ts'
import type { ResolvedSettings } from './settings.ts'

/** State of the wallet that the page can read without a request. */
interface WalletState {
  /** Empty until the user has connected this origin. */
  readonly accounts: readonly string[]
  readonly chainId: string
  /** The chain id in decimal. */
  readonly networkVersion: string
  /** Names the node's chain; another one after a restart and a reset. */
  readonly instanceId: string
}

/** ms before the first attempt to reconnect; doubles with each attempt up to `LAST_PAUSE`. */
const FIRST_PAUSE = 250
const LAST_PAUSE = 5_000
/** ms between polls of the state if the wallet cannot push events. */
const POLL_INTERVAL = 1_000

/**
 * The wallet as one page sees it: keeps its state, and reconnects when the channel breaks.
 *
 * @param emit - emits an EIP-1193 event; called in the wallet's order and only on a change
 */
export function createConnection(
  { endpoint, bridge }: Pick<ResolvedSettings, 'endpoint' | 'bridge'>,
  emit: (event: string, value: unknown) => void,
) {
  let state: WalletState | undefined
  let isConnected = false
  let open: Promise<Channel> | undefined
  let pause = FIRST_PAUSE
  let retry: ReturnType<typeof setTimeout> | undefined

  /**
   * Sets the state and emits the changes.
   *
   * @param first - called after the state is set and before the changes are emitted
   */
  function change(fresh: WalletState, first?: () => void): void {
    const before = state
    const isAnew = before !== undefined && before.instanceId !== fresh.instanceId
    state = fresh
    // After a restart, the lost connection has told it.
    if (isAnew) lose(toProviderError({ code: 1013, message: 'The chain has begun anew.' }))
    first?.()
    if (before === undefined) return
    if (isAnew || before.chainId !== fresh.chainId) emit('chainChanged', fresh.chainId)
    if (before.accounts.join() !== fresh.accounts.join()) {
      emit('accountsChanged', [...fresh.accounts])
    }
  }

  function gain(chainId: string): void {
    if (isConnected) return
    isConnected = true
    emit('connect', { chainId })
  }

  function lose(error: ProviderRpcError): void {
    if (!isConnected) return
    isConnected = false
    emit('disconnect', error)
  }

  function onEvent(name: string, data: unknown): void {
    // The first state, which is yet to arrive, will include this change.
    if (state === undefined) return
    if (name === 'chainChanged') {
      const chainId = String(data)
      change({ ...state, chainId, networkVersion: String(BigInt(chainId)) })
    } else if (name === 'accountsChanged') {
      change({ ...state, accounts: stringsOf(data) })
    } else if (name === 'connect') {
      const { chainId, instanceId = state.instanceId } = toRecord(data)
      change({ ...state, instanceId: String(instanceId) }, () => gain(String(chainId)))
    } else if (name === 'disconnect') {
      lose(toProviderError(data))
    } else {
      emit(name, data)
    }
  }

  function onClose(code: number, reason: string): void {
    open = undefined
    lose(toProviderError({ code, message: reason || 'The connection to the wallet was lost.' }))
    tryLater()
  }

  function tryLater(): void {
    clearTimeout(retry)
    retry = setTimeout(connectUnasked, pause)
    pause = Math.min(2 * pause, LAST_PAUSE)
  }

  /** No caller waits for this attempt: if it fails, the next one is already scheduled. */
  function connectUnasked(): void {
    channel().catch(() => undefined)
  }

  function channel(): Promise<Channel> {
    open ??= connect()
    return open
  }

  async function connect(): Promise<Channel> {
    try {
      const opened = await openChannel()
      await refresh(opened)
      pause = FIRST_PAUSE
      if (!opened.isPushing) poll(opened)
      return opened
    } catch (error) {
      open = undefined
      tryLater()
      throw error
    }
  }

  async function openChannel(): Promise<Channel> {
    if (bridge !== undefined) return openPost((text) => callBridge(bridge, text))
    try {
      return await openSocket(endpoint, { onEvent, onClose })
    } catch (error) {
      // Content policies and proxies can block WebSockets alone. If POST fails too, throw the error
      // of the WebSocket, which says more.
      const post = openPost((text) => fetchText(endpoint, text))
      await post.request('wallet_getProviderState').catch(() => Promise.reject(error))
      return post
    }
  }

  async function refresh(opened: Channel): Promise<void> {
    try {
      const fresh = toRecord(await opened.request('wallet_getProviderState'))
      const chainId = String(fresh.chainId)
      const accounts = stringsOf(fresh.accounts)
      const networkVersion = String(fresh.networkVersion)
      const instanceId = String(fresh.instanceId)
      change({ accounts, chainId, networkVersion, instanceId }, () => gain(chainId))
    } catch (error) {
      opened.close()
      throw error
    }
  }

  function poll(opened: Channel): void {
    setTimeout(async () => {
      try {
        await refresh(opened)
        poll(opened)
      } catch {
        onClose(1006, '')
      }
    }, POLL_INTERVAL)
  }

  // Pages without an origin, such as about:blank, wait for their first request: the wallet would
  // refuse them, and they may never send one.
  if (location.origin !== 'null' || bridge !== undefined) connectUnasked()

  return {
    /** `undefined` until the wallet's first answer. */
    get state(): WalletState | undefined {
      return state
    },
    get isConnected(): boolean {
      return isConnected
    },
    /** @throws {ProviderRpcError} */
    async request(method: string, params?: unknown): Promise<unknown> {
      const opened = await channel()
      const result = await opened.request(method, params).catch((error: unknown) => {
        if (error instanceof ProviderRpcError) throw error
        const message = `The params of ${method} cannot be written as JSON: ${String(error)}`
        throw new ProviderRpcError(-32602, message)
      })
      // The page gets the result first and the events it causes afterwards, as over a WebSocket.
      if (!opened.isPushing) setTimeout(() => refresh(opened).catch(() => undefined))
      return result
    },
  }
}

async function callBridge(name: string, text: string): Promise<string> {
  const bridge: unknown = Reflect.get(window, name)
  if (typeof bridge !== 'function') throw disconnected(`window.${name} is not a function.`)
  return String(await bridge(text))
}

function stringsOf(value: unknown): string[] {
  return Array.isArray(value) ? value.map(String) : []
}
