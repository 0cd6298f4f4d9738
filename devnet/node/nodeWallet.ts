import type { WalletWindow } from '../dashboard/handle.ts'
import { currentInstanceId } from '../json/instanceId.ts'
import type { Options } from '../options/options.ts'
import type { WalletSettings } from '../options/walletOptions.ts'
import type { WalletBatch } from '../persistence/dump/walletBatches.ts'
import { ErrorCode } from '../primitives/errors.ts'
import { quantity } from '../primitives/hex.ts'
import type { ProcessHold } from '../primitives/processHold.ts'
import { reportInternalError } from '../primitives/warn.ts'
import { isAtLeast } from '../protocol/forks.ts'
import type { RpcContext } from '../rpc/context.ts'
import type { Dispatch } from '../rpc/dispatch.ts'
import { errorText, NO_ID } from '../rpc/jsonRpc.ts'
import type { LazyRoutes } from '../server/app.ts'
import { withDefaults } from '../server/limits.ts'
import { type Server, startServer } from '../server/server.ts'
import { addressKeyFromHex } from '../state/keys.ts'
import type { WalletRequestEvent } from '../types.ts'
import { SessionControl } from '../wallet/connectWallet.ts'
import type { WalletNode } from '../wallet/core/types.ts'
import { WalletHandle } from '../wallet/core/walletHandle.ts'
import type { WalletControl } from '../wallet/types.ts'

/** The part of a running node that the wallet uses. */
interface WalletHost {
  readonly context: RpcContext
  readonly dispatch: Dispatch
}

/** The wallet of a node, on the node's server or on its own. Most of it is loaded on first use. */
export class NodeWallet implements WalletWindow {
  /** Acts as the user of the default session. */
  readonly control: WalletControl
  /** Batches of calls of a state file; to be set before {@link open}. */
  savedBatches: readonly WalletBatch[] = []
  readonly #options: Options
  /** Port of the wallet's own server; `undefined` if it is on the node's server. */
  readonly #port: number | undefined
  readonly #handle: WalletHandle
  readonly #dashboardUrl: () => string | undefined
  #host: WalletHost | undefined
  #server: Server | undefined
  #serverUrl: string | undefined

  constructor(
    options: Options,
    settings: WalletSettings,
    hold: ProcessHold,
    dashboardUrl: () => string | undefined,
  ) {
    this.#options = options
    this.#dashboardUrl = dashboardUrl
    this.#port = settings.port
    const createNode = () => this.#createNode(requireRunning(this.#host))
    const handle = new WalletHandle({ settings, createNode, onInternalError: reportInternalError })
    this.#handle = handle
    const serverUrl = () => requireRunning(this.#serverUrl)
    this.control = new SessionControl({
      get serverUrl() {
        return serverUrl()
      },
      get token() {
        return handle.accessToken.text
      },
      control: (method, params) => hold.during(() => handle.control(method, params)),
    })
  }

  /** URL of the wallet; `undefined` while it is not running. */
  get url(): string | undefined {
    return this.#serverUrl === undefined ? undefined : `${this.#serverUrl}/wallet`
  }

  get waiting(): number {
    return this.#handle.waiting
  }

  /** Batches of calls for the state file. */
  get batches(): readonly WalletBatch[] {
    return this.#handle.batches ?? this.savedBatches
  }

  onChange(listener: () => void): () => void {
    return this.#handle.changes.add(listener)
  }

  /** Calls `listener` for each request that begins to wait. */
  onRequest(listener: (event: WalletRequestEvent) => void): void {
    let before = 0
    this.onChange(() => {
      const { waiting } = this
      if (waiting > before) listener({ waiting, page: `${this.url}/` })
      before = waiting
    })
  }

  /** Routes for the node's server; none if the wallet has its own server. */
  get routes(): readonly LazyRoutes[] {
    return this.#port === undefined ? [this.#lazyRoutes()] : []
  }

  /**
   * Connects the wallet to the running node; to be called before its first request.
   *
   * @throws {OptionError} if the token in the environment is too short or malformed
   */
  open(host: WalletHost): void {
    this.#handle.accessToken.check()
    this.#host = host
  }

  /**
   * Starts the wallet's own server, if the options ask for one.
   *
   * @throws {ListenError} if its port is taken
   */
  async start(nodeUrl: string): Promise<void> {
    if (this.#port === undefined) {
      this.#serverUrl = nodeUrl
      return
    }
    const message = 'the wallet on this port is at /wallet'
    const refusal = errorText(NO_ID, { code: ErrorCode.methodNotFound, message })
    this.#server = await startServer({
      ...this.#options,
      port: this.#port,
      portOption: '--wallet-port',
      dispatch: { handleText: () => refusal },
      routes: [this.#lazyRoutes()],
    })
    this.#serverUrl = this.#server.address.url
  }

  async stop(): Promise<void> {
    this.#host = undefined
    this.#serverUrl = undefined
    this.#handle.close()
    await this.#server?.stop()
  }

  #lazyRoutes(): LazyRoutes {
    return {
      path: '/wallet',
      load: async () => {
        const { createWalletRoutes } = await import('../wallet/http/walletRoutes.ts')
        return createWalletRoutes({
          handle: this.#handle,
          access: this.#options,
          limits: withDefaults(this.#options),
          onInternalError: reportInternalError,
        })
      },
    }
  }

  #createNode({ context, dispatch }: WalletHost): WalletNode {
    const { engine, events } = context.chain
    const dashboardUrl = this.#dashboardUrl
    return {
      savedBatches: this.savedBatches,
      get dashboardUrl() {
        return dashboardUrl()
      },
      get instanceId() {
        return currentInstanceId(context)
      },
      get hasDelegations() {
        return isAtLeast(context.chain.pending.environment.rules.hardfork, 'prague')
      },
      isWaiting: (hash) => context.chain.findTransaction(hash)?.at === 'mempool',
      nextNonce: (account) => context.chain.mempool.nextNonce(addressKeyFromHex(account)),
      async authorize(account, address, nonce) {
        const { privateKeyOf } = await import('../rpc/sending/unlockedAccounts.ts')
        const { signAuthorization } = await import('../engine/signing.ts')
        const key = privateKeyOf(context, account)
        const { chainId, crypto } = engine
        return signAuthorization({ chainId, address, nonce }, key, crypto)
      },
      knows: (hash) => context.chain.findTransaction(hash) !== undefined,
      onAnew(listener) {
        events.undone.add(({ command }) => {
          if (command === 'reset' || command === 'load') listener()
        })
      },
      get chainId() {
        return quantity(engine.chainId)
      },
      held: context.chain.held,
      accounts: [...context.accounts.keys()],
      contracts: context.options.contracts,
      keccak256: (data) => engine.crypto.keccak256(data),
      request: (args, caller) => dispatch.request(args, caller),
      async sign(request, terms) {
        const { signRequest } = await import('../rpc/sending/transactionRequest.ts')
        return signRequest(context, request, terms).raw
      },
    }
  }
}

function requireRunning<Value>(value: Value | undefined): Value {
  if (value !== undefined) return value
  throw new Error('The devnet and its wallet are not running: await start()')
}
