import { randomBytes } from 'node:crypto'
import { fromHex, toHex } from './chain/bytes.ts'
import { Chain } from './chain/chain.ts'
import { deriveAccounts } from './chain/devAccounts.ts'
import { Clocks } from './clock/clocks.ts'
import { Engine } from './engine/engine.ts'
import type { Options } from './options.ts'
import type { RpcContext } from './rpc/context.ts'
import { createDispatch, type Dispatch } from './rpc/dispatch.ts'
import { formatStatus, summarize } from './rpc/format/status.ts'
import { methodTable } from './rpc/methodTable.ts'
import { createServer, type Server } from './server/server.ts'
import { Codes } from './state/codes.ts'
import type {
  ClockControl,
  DevAccount,
  Devnet,
  DevnetEvents,
  Provider,
  RequestArguments,
  Status,
} from './types.ts'

/** The fee recipient of hardhat node. */
const COINBASE = fromHex('0xc014ba5ec014ba5ec014ba5ec014ba5ec014ba5e')

const WEI_PER_ETHER = 10n ** 18n

/** Idle ms after the start until the EVM is loaded, if nobody asked for it before. */
const LOAD_DELAY = 50

/** Everything of a node that exists between start and stop. */
interface Running {
  readonly context: RpcContext
  readonly dispatch: Dispatch
  readonly server: Server
  readonly url: string
  readonly loading: NodeJS.Timeout
}

type State =
  | { readonly phase: 'idle' }
  | { readonly phase: 'starting' }
  | ({ readonly phase: 'running' } & Running)
  | { readonly phase: 'stopped' }

/** See {@link Devnet}. */
export class DevnetNode implements Devnet {
  readonly options: Options
  #state: State = { phase: 'idle' }
  #accounts: readonly DevAccount[] = []
  readonly #listeners: { [Name in keyof DevnetEvents]: Set<(event: DevnetEvents[Name]) => void> } =
    {
      tick: new Set(),
      seal: new Set(),
    }

  constructor(options: Options) {
    this.options = options
  }

  get url(): string {
    return this.#running().url
  }

  get accounts(): readonly DevAccount[] {
    return this.#accounts
  }

  readonly provider: Provider = {
    request: (args: RequestArguments) =>
      this.#running().dispatch.request(args, {
        signal: NEVER_ABORTED,
        connection: undefined,
        origin: undefined,
      }),
  }

  readonly clock: ClockControl = {
    freeze: (options) => this.#command((clocks) => clocks.freeze(options)),
    resume: () => this.#command((clocks) => clocks.resume()),
    advance: (by) =>
      this.#command((clocks) =>
        'ticks' in by ? clocks.advanceTicks(by.ticks) : clocks.advanceBlocks(by.blocks),
      ),
    seal: () => this.#command((clocks) => clocks.seal()),
    status: () => this.#command(() => undefined),
  }

  on<Name extends keyof DevnetEvents>(
    name: Name,
    listener: (event: DevnetEvents[Name]) => void,
  ): () => void {
    const listeners = this.#listeners[name]
    listeners.add(listener)
    return () => listeners.delete(listener)
  }

  async start(): Promise<void> {
    if (this.#state.phase !== 'idle') {
      throw new Error(`A devnet starts once; this one is ${this.#state.phase}`)
    }
    this.#state = { phase: 'starting' }
    try {
      const context = await this.#createContext()
      const dispatch = createDispatch({
        context,
        methods: methodTable,
        maxBatch: this.options.maxBatch,
        onInternalError: reportDefect,
      })
      const server = createServer({ ...this.options, dispatch, health: () => health(context) })
      const { url } = await server.start()
      context.clocks.start(context.chain)
      const loading = setTimeout(() => {
        context.chain.engine.executor().catch(reportDefect)
      }, LOAD_DELAY).unref()
      this.#state = { phase: 'running', context, dispatch, server, url, loading }
    } catch (error) {
      this.#state = { phase: 'idle' }
      throw error
    }
  }

  async stop(): Promise<void> {
    const state = this.#state
    if (state.phase !== 'running') return
    this.#state = { phase: 'stopped' }
    clearTimeout(state.loading)
    state.context.clocks.stop()
    await state.server.stop()
  }

  async #createContext(): Promise<RpcContext> {
    const { options } = this
    const engine = await Engine.create({
      chainId: options.chainId,
      hardfork: options.hardfork,
      codes: (keccak256) => new Codes(keccak256),
    })
    this.#accounts = await deriveAccounts(options.mnemonic, options.accounts, engine.crypto)
    const timestamp = options.timestamp ?? Math.floor(Date.now() / 1000)
    const clocks = new Clocks({ ...options, start: timestamp * 1000 }, reportDefect)
    const chain = new Chain(engine, clocks, {
      genesis: {
        timestamp,
        gasLimit: BigInt(options.gasLimit),
        baseFee: options.baseFee,
        accounts: this.#accounts.map(({ address }) => address),
        balance: BigInt(options.balance) * WEI_PER_ETHER,
      },
      coinbase: COINBASE,
      order: options.order,
      mempoolSize: options.mempoolSize,
      keepBlocks: options.keepBlocks,
    })
    this.#forwardEvents(chain)
    return {
      chain,
      clocks,
      options,
      accounts: new Map(this.#accounts.map((account) => [account.address, account])),
      instanceId: toHex(randomBytes(32)),
    }
  }

  #forwardEvents(chain: Chain): void {
    chain.onTick(({ view, executed, elapsed }) => {
      if (this.#listeners.tick.size === 0) return
      const event = {
        block: Number(view.environment.number),
        tick: view.ticks - 1,
        transactions: executed.map(summarize),
        elapsed,
      }
      for (const listener of this.#listeners.tick) listener(event)
    })
    chain.onSeal(({ header, number, hash, executed }, elapsed) => {
      if (this.#listeners.seal.size === 0) return
      const event = {
        number,
        hash,
        timestamp: Number(header.timestamp),
        transactions: executed.length,
        gasUsed: Number(header.gasUsed),
        baseFeePerGas: header.baseFeePerGas ?? 0n,
        elapsed,
      }
      for (const listener of this.#listeners.seal) listener(event)
    })
  }

  #running(): Running {
    if (this.#state.phase !== 'running') {
      throw new Error(`The devnet is ${this.#state.phase}: await start() first`)
    }
    return this.#state
  }

  async #command(run: (clocks: Clocks) => unknown): Promise<Status> {
    const { context } = this.#running()
    await run(context.clocks)
    return formatStatus(context)
  }
}

const NEVER_ABORTED = new AbortController().signal

/** A defect of the node itself: said where a person sees it, while the node goes on. */
function reportDefect(error: unknown): void {
  console.error('hardhat-pending-node: internal error, please report it:', error)
}

function health({ chain, clocks }: RpcContext) {
  return {
    latest: chain.head.number,
    pending: Number(chain.pending.environment.number),
    ticks: clocks.ticks.running ? 'running' : 'frozen',
    sealing: clocks.seals.running ? 'running' : 'frozen',
  }
}
