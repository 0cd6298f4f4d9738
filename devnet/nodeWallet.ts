import type { Options } from './options/options.ts'
import type { WalletSettings } from './options/walletOptions.ts'
import type { ProcessHold } from './processHold.ts'
import type { RpcContext } from './rpc/context.ts'
import type { Dispatch } from './rpc/dispatch.ts'
import type { Server } from './server/server.ts'
import type { SiteMount } from './server/sites.ts'
import { SessionControl } from './wallet/connectWallet.ts'
import { WalletHandle } from './wallet/core/walletHandle.ts'
import type { WalletNode } from './wallet/core/walletNode.ts'
import { createWalletServer, walletMount } from './wallet/http/walletMount.ts'
import type { WalletControl } from './wallet/types.ts'

/** What the wallet talks to. */
interface Door {
  readonly context: RpcContext
  readonly dispatch: Dispatch
}

/** The wallet of a node, on the node's server or on one of its own; nothing of it is loaded before somebody comes. */
export class NodeWallet {
  /** What is to be mounted on the node's server. */
  readonly mounts: readonly SiteMount[]
  readonly #own: SiteMount | undefined
  readonly #handle: WalletHandle
  readonly #options: Options
  readonly #port: number | undefined
  readonly #hold: ProcessHold
  readonly #onInternalError: (error: unknown) => void
  #door: Door | undefined
  #server: Server | undefined
  #url: string | undefined

  constructor(
    options: Options,
    settings: WalletSettings,
    hold: ProcessHold,
    onInternalError: (error: unknown) => void,
  ) {
    this.#options = options
    this.#hold = hold
    this.#port = settings.port
    this.#onInternalError = onInternalError
    this.#handle = new WalletHandle({
      settings,
      node: () => this.#createNode(),
      serverUrl: () => this.#requireRunning(this.#url),
      onInternalError,
    })
    const mount = walletMount(this.#handle, options, onInternalError)
    this.mounts = settings.port === undefined ? [mount] : []
    this.#own = settings.port === undefined ? undefined : mount
  }

  /** The person at the default session. */
  get control(): WalletControl {
    const handle = this.#handle
    return new SessionControl({
      get serverUrl() {
        return handle.serverUrl
      },
      get token() {
        return handle.token
      },
      control: (method, params) => this.#hold.during(() => handle.control(method, params)),
    })
  }

  /** Where the wallet is; `undefined` while it is not running. */
  get url(): string | undefined {
    return this.#url === undefined ? undefined : `${this.#url}/wallet`
  }

  /** Before the first request can come. @throws {OptionError} when the token that somebody chose is too short */
  open(door: Door): void {
    this.#handle.checkToken()
    this.#door = door
  }

  /**
   * Starts a server of its own, where the options want one.
   *
   * @param nodeUrl - where it is otherwise
   * @throws {ListenError}
   */
  async start(nodeUrl: string): Promise<void> {
    if (this.#own === undefined || this.#port === undefined) {
      this.#url = nodeUrl
      return
    }
    const options = { ...this.#options, port: this.#port }
    this.#server = createWalletServer(this.#own, options, this.#onInternalError)
    this.#url = (await this.#server.start()).url
  }

  async stop(): Promise<void> {
    this.#door = undefined
    this.#url = undefined
    this.#handle.close()
    await this.#server?.stop()
  }

  async #createNode(): Promise<WalletNode> {
    const { context, dispatch } = this.#requireRunning(this.#door)
    const { createWalletNode } = await import('./wallet/core/walletNode.ts')
    return createWalletNode(context, dispatch)
  }

  #requireRunning<Value>(value: Value | undefined): Value {
    if (value !== undefined) return value
    throw new Error('The devnet does not run, so its wallet does not either: await start()')
  }
}
