import { compileFunction } from 'node:vm'
import { providerScript } from '../../../../devnet/wallet/http/browserFiles.ts'
import type { ProviderSettings } from '../../../../devnet/wallet/provider/settings.ts'

type Listener = (value: never) => void

/** The provider as pages call it. */
export interface PageProvider {
  request(call: unknown): Promise<unknown>
  on(event: string, listener: Listener): PageProvider
  addListener(event: string, listener: Listener): PageProvider
  once(event: string, listener: Listener): PageProvider
  off(event: string, listener: Listener): PageProvider
  removeListener(event: string, listener: Listener): PageProvider
  removeAllListeners(event?: string): PageProvider
  isConnected(): boolean
  readonly chainId: string | null
  readonly networkVersion: string | null
  readonly selectedAddress: string | null
}

/** What a wallet announces (EIP-6963). */
export interface Announced {
  readonly info: { readonly uuid: string; name: string; icon: string; rdns: string }
  readonly provider: PageProvider
}

/** So much of a browser's page as the provider script touches; the sockets and requests are real. */
export class FakePage extends EventTarget implements Disposable {
  /** Of EIP-6963, in order. */
  readonly announced: Announced[] = []
  /** Of the provider, in order, as `[event, value]`. */
  readonly events: [string, unknown][] = []
  /** What `reportError` got. */
  readonly reported: unknown[] = []
  readonly initialized: unknown[] = []
  ethereum?: PageProvider
  readonly #sockets = new Set<WebSocket>()
  readonly #timers = new Set<NodeJS.Timeout>()

  constructor() {
    super()
    this.addEventListener('eip6963:announceProvider', (event) => {
      if (event instanceof CustomEvent) this.announced.push(event.detail)
    })
    this.addEventListener('ethereum#initialized', () => this.initialized.push(this.ethereum))
  }

  /** Runs the script, from an address as a tag does, or as text without one. */
  load(settings: ProviderSettings, src = ''): void {
    const sockets = this.#sockets
    const timers = this.#timers
    class HTMLScriptElement {
      readonly src = src
    }
    class PageSocket extends WebSocket {
      constructor(url: string) {
        super(url)
        sockets.add(this)
      }
    }
    const scope = {
      window: this,
      location: { origin: 'http://localhost:3000' },
      document: { currentScript: new HTMLScriptElement() },
      HTMLScriptElement,
      WebSocket: PageSocket,
      reportError: (error: unknown) => this.reported.push(error),
      setTimeout(run: () => void, ms?: number) {
        const timer = setTimeout(run, ms)
        timers.add(timer)
        return timer
      },
    }
    compileFunction(providerScript(settings), Object.keys(scope))(...Object.values(scope))
  }

  /** Keeps what the provider emits from now on. */
  listen(): PageProvider {
    const { provider } = this
    for (const event of ['connect', 'disconnect', 'chainChanged', 'accountsChanged', 'message']) {
      provider.on(event, (value) => this.events.push([event, value]))
    }
    return provider
  }

  /** The provider that was announced last. */
  get provider(): PageProvider {
    const last = this.announced.at(-1)
    if (last === undefined) throw new Error('No wallet announced itself')
    return last.provider
  }

  [Symbol.dispose](): void {
    for (const timer of this.#timers) clearTimeout(timer)
    for (const socket of this.#sockets) socket.close()
    // A lost connection would be tried again.
    setTimeout(() => this.#timers.forEach((timer) => void clearTimeout(timer)), 50)
  }
}

/** A page with the provider of the wallet at `url`. */
export function openPage(url: string, settings: ProviderSettings = {}): FakePage {
  const page = new FakePage()
  page.load({ url, ...settings })
  return page
}
