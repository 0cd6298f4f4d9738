import type { Chain } from '../chain/chain.ts'
import type { Clocks } from '../clock/clocks.ts'
import type { Options } from '../options/options.ts'
import { profileOf } from '../options/profileTable.ts'
import { ErrorCode } from '../primitives/errors.ts'
import { reportInternalError } from '../primitives/warn.ts'
import { errorText, NO_ID } from '../rpc/jsonRpc.ts'
import type { LazyRoutes } from '../server/app.ts'
import { withDefaults } from '../server/limits.ts'
import { type Server, startServer } from '../server/server.ts'

const PATH = '/flashblocks'

interface StreamSource {
  readonly chain: Chain
  readonly clocks: Pick<Clocks, 'faults'>
}

/** The flashblock stream of a node, on the node's server or on its own; loaded on first use. */
export class NodeStream {
  readonly #options: Options
  #source: StreamSource | undefined
  #server: Server | undefined
  #url: string | undefined

  constructor(options: Options) {
    this.#options = options
  }

  /** WebSocket URL of the stream; `undefined` while it is not running. */
  get url(): string | undefined {
    return this.#url
  }

  /** Routes for the node's server; if the stream has its own server, they say where that is. */
  get routes(): readonly LazyRoutes[] {
    const isElsewhere = this.#options.flashblocksPort !== undefined
    return [this.#lazyRoutes(() => (isElsewhere ? `the stream is at ${this.#url}` : this.#refusal))]
  }

  /** Reason why there is no stream; `undefined`: there is one. */
  get #refusal(): string | undefined {
    const { profile } = this.#options
    return profileOf(profile).metadata === 'none'
      ? `--profile ${profile} has no flashblocks: subscribe to newHeads and logs instead`
      : undefined
  }

  /** Names the chain whose stream it is; to be called before the first request. */
  open(source: StreamSource): void {
    this.#source = source
  }

  /** Breaks all clients off, unless the node's server has done so. */
  cutSockets(): void {
    this.#server?.cutSockets()
  }

  /**
   * Starts the stream's own server, if the options ask for one.
   *
   * @throws {ListenError} if its port is taken
   */
  async start(nodeUrl: string): Promise<void> {
    const { flashblocksPort } = this.#options
    let url = nodeUrl
    if (flashblocksPort !== undefined) {
      const message = `the flashblock stream on this port is at ${PATH}`
      const refusal = errorText(NO_ID, { code: ErrorCode.methodNotFound, message })
      this.#server = await startServer({
        ...this.#options,
        port: flashblocksPort,
        portOption: '--flashblocks-port',
        dispatch: { handleText: () => refusal },
        routes: [this.#lazyRoutes(() => this.#refusal)],
      })
      url = this.#server.address.url
    }
    this.#url = `${url.replace('http', 'ws')}${PATH}`
  }

  async stop(): Promise<void> {
    this.#url = undefined
    await this.#server?.stop()
  }

  #lazyRoutes(refusal: () => string | undefined): LazyRoutes {
    return {
      path: PATH,
      load: async () => {
        const { createFlashblockRoutes } = await import('../server/flashblockRoutes.ts')
        if (this.#source === undefined) throw new Error('The stream is not attached to a chain')
        const { chain, clocks } = this.#source
        const { maxFlashblockClients: maxClients, profile: name } = this.#options
        return createFlashblockRoutes({
          chain,
          faults: () => clocks.faults,
          profile: profileOf(name),
          refusal: refusal(),
          limits: withDefaults(this.#options),
          maxClients,
          onInternalError: reportInternalError,
        })
      },
    }
  }
}
