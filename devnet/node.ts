import { randomBytes } from 'node:crypto'
import { Chain } from './chain/chain.ts'
import type { History } from './chain/history.ts'
import { advance, Clocks } from './clock/clocks.ts'
import type { Engine } from './engine/engine.ts'
import { formatStatus } from './json/formatStatus.ts'
import { goOn, loadChain } from './loadChain.ts'
import { NodeEvents } from './nodeEvents.ts'
import { NodeWallet } from './nodeWallet.ts'
import type { Options } from './options/options.ts'
import type { Capture } from './persistence/dump/dumpText.ts'
import type { StateKeeper } from './persistence/dump/stateKeeper.ts'
import { ChainFileError } from './primitives/errors.ts'
import { fromHex, type Hex, toHex } from './primitives/hex.ts'
import { ProcessHold } from './primitives/processHold.ts'
import type { RpcContext } from './rpc/context.ts'
import { createDispatch, type Dispatch } from './rpc/dispatch.ts'
import { InProcessProvider } from './rpc/inProcessProvider.ts'
import { methodTable } from './rpc/methodTable.ts'
import { currentInstanceId } from './rpc/nodeInfo.ts'
import { createServer, type Server } from './server/server.ts'
import type { ClockControl, DevAccount, Devnet, DevnetEvents, Status } from './types.ts'
import type { WalletControl } from './wallet/types.ts'

/** The fee recipient of hardhat node. */
const COINBASE = fromHex('0xc014ba5ec014ba5ec014ba5ec014ba5ec014ba5e')

/** Idle ms after the start until the EVM is loaded, if nobody asked for it before. */
const LOAD_DELAY = 50

/** Everything of a node that exists between start and stop. */
interface Running {
  readonly context: RpcContext
  readonly dispatch: Dispatch
  readonly server: Server
  readonly url: string
  readonly loading: NodeJS.Timeout
  /** Ends what runs for the in-process provider. */
  readonly abort: AbortController
  /** `undefined` where the chain is not to be saved. */
  readonly keeper: StateKeeper | undefined
}

/** See {@link Devnet}. */
export class DevnetNode implements Devnet {
  readonly options: Options
  #starting: Promise<void> | undefined
  #stopping: Promise<void> | undefined
  #running: Running | undefined
  #accounts: readonly DevAccount[] = []
  /** Aborts at {@link stop}, also while the node starts. */
  readonly #stopped = new AbortController()
  readonly #hold = new ProcessHold()
  readonly #wallet: NodeWallet | undefined
  readonly #events = new NodeEvents(reportInternalError)

  constructor(options: Options) {
    this.options = options
    this.#wallet =
      options.wallet === false
        ? undefined
        : new NodeWallet(options, options.wallet, this.#hold, reportInternalError)
  }

  get url(): string {
    return this.#requireRunning().url
  }

  get chainId(): number {
    return this.#requireRunning().context.chain.engine.chainId
  }

  get accounts(): readonly DevAccount[] {
    return this.#accounts
  }

  readonly provider = new InProcessProvider(
    () => {
      const { dispatch, abort } = this.#requireRunning()
      return { dispatch, signal: abort.signal }
    },
    this.#hold,
    reportInternalError,
  )

  get wallet(): WalletControl {
    if (this.#wallet === undefined) {
      throw new Error('The devnet was made without its mock wallet (noWallet, or wallet: false)')
    }
    return this.#wallet.control
  }

  readonly clock: ClockControl = {
    freeze: (options) => this.#command((clocks) => clocks.freeze(options)),
    resume: () => this.#command((clocks) => clocks.resume()),
    advance: (by) => this.#command((clocks) => advance(clocks, by)),
    seal: () => this.#command((clocks) => clocks.seal()),
    status: () => this.#command(() => undefined),
  }

  on<Name extends keyof DevnetEvents>(
    name: Name,
    listener: (event: DevnetEvents[Name]) => void,
  ): () => void {
    return this.#events.on(name, listener)
  }

  start(): Promise<void> {
    if (this.#starting !== undefined || this.#stopping !== undefined) {
      return Promise.reject(new Error('A devnet starts once: make another with createDevnet()'))
    }
    this.#starting = this.#hold.during(() => this.#start())
    return this.#starting
  }

  stop(): Promise<void> {
    this.#stopping ??= this.#hold.during(() => this.#stop())
    return this.#stopping
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop()
  }

  async #start(): Promise<void> {
    const { state = this.options.dumpState } = this.options
    if (state !== undefined) {
      const { prepareStateFile } = await import('./persistence/stateFile.ts')
      await prepareStateFile(state)
    }
    const context = await this.#createContext()
    const dispatch = createDispatch({
      context,
      methods: methodTable,
      maxBatch: this.options.maxBatch,
      onInternalError: reportInternalError,
      watch: this.#events.watch,
      walletUrl: () => this.#wallet?.url,
    })
    this.#wallet?.open({ context, dispatch })
    const server = createServer({
      ...this.options,
      dispatch,
      health: () => health(context),
      onInternalError: reportInternalError,
      routes: this.#wallet?.routes,
    })
    const { url } = await server.start()
    try {
      await this.#wallet?.start(url)
    } catch (error) {
      await server.stop()
      throw error
    }
    context.clocks.start(context.chain)
    const loading = setTimeout(() => load(context).catch(reportInternalError), LOAD_DELAY).unref()
    const keeper = state === undefined ? undefined : await this.#keepState(state, context)
    const abort = new AbortController()
    this.#running = { context, dispatch, server, url, loading, abort, keeper }
    if (this.options.keepAlive) this.#hold.acquire()
  }

  async #stop(): Promise<void> {
    this.#stopped.abort()
    // Whoever started it hears why that failed; then there is nothing to stop.
    await this.#starting?.catch(() => undefined)
    const running = this.#running
    if (running === undefined) return
    this.#running = undefined
    clearTimeout(running.loading)
    if (this.options.keepAlive) this.#hold.release()
    running.abort.abort()
    this.provider.close()
    running.keeper?.stop()
    running.context.clocks.stop()
    await running.context.chain.close()
    await Promise.all([running.server.stop(), this.#wallet?.stop()])
    await running.keeper?.saveLast(captureAll(running.context, this.options))
  }

  async #keepState(path: string, context: RpcContext): Promise<StateKeeper> {
    const { StateKeeper } = await import('./persistence/dump/stateKeeper.ts')
    const keeper = new StateKeeper({
      path,
      interval: this.options.stateInterval,
      capture: () => context.chain.write(() => captureAll(context, this.options)),
      onSave: (event) => this.#events.emit('save', event),
      onFailure: reportFailure,
    })
    keeper.start()
    return keeper
  }

  async #createContext(): Promise<RpcContext> {
    const { options } = this
    const loaded = await loadChain(options, this.#stopped.signal)
    const { engine, base, accounts, imported, restored } = loaded
    this.#accounts = accounts
    const clocks = new Clocks({ ...options, start: loaded.time * 1000 }, reportInternalError)
    const chain = new Chain(engine, clocks, {
      base,
      coinbase: COINBASE,
      order: options.order,
      mempoolSize: options.mempoolSize,
      keepBlocks: options.keepBlocks,
      onInternalError: reportInternalError,
    })
    await goOn(loaded, chain, clocks)
    if (restored !== undefined) this.#events.emit('load', restored.event)
    if (imported !== undefined) this.#events.emit('import', imported)
    this.#events.forward(chain)
    return {
      chain,
      clocks,
      options,
      accounts: new Map(this.#accounts.map((account) => [account.address, account])),
      instanceId:
        options.state === undefined
          ? toHex(randomBytes(32))
          : (restored?.instanceId ?? instanceOf(base.history, engine)),
      observer: this.#events.observer,
    }
  }

  #requireRunning(): Running {
    if (this.#running !== undefined) return this.#running
    const state = this.#stopping === undefined ? 'not started: await start()' : 'stopped'
    throw new Error(`The devnet is ${state}`)
  }

  async #command(run: (clocks: Clocks) => unknown): Promise<Status> {
    const { context } = this.#requireRunning()
    return await this.#hold.during(async () => {
      await run(context.clocks)
      await this.provider.delivered()
      return formatStatus(context)
    })
  }
}

/** The chain, and what is saved with it. */
function captureAll(context: RpcContext, { state }: Options): Capture {
  return {
    ...context.chain.capture(),
    clock: context.clocks.save(),
    instanceId: state === undefined ? undefined : currentInstanceId(context),
  }
}

/**
 * Instance id that survives restarts with a state file. Derived, not random, so that equal chains
 * give equal files.
 */
function instanceOf(history: History, { crypto }: Engine): Hex {
  const [oldest] = history.blocks()
  return toHex(crypto.keccak256(oldest?.hashBytes ?? new Uint8Array(0)))
}

/** What the user can put right, while the node goes on: a full disk, a folder that is gone. */
function reportFailure(error: unknown): void {
  if (error instanceof ChainFileError) console.error(`hardhat-pending-node: ${error.message}`)
  else reportInternalError(error)
}

/** What the first transaction and the first parameters need: here while nobody waits for it. */
async function load({ chain }: RpcContext): Promise<void> {
  const executor = await chain.engine.executor(chain.pending.environment.rules)
  // The first machine takes as long as a hundred transactions.
  executor.release(await executor.acquire(chain.pending.state, chain.blockHashes))
  await import('./json/params.ts')
}

/** A defect of the node itself: said where a person sees it, while the node goes on. */
function reportInternalError(error: unknown): void {
  console.error('hardhat-pending-node: internal error, please report it:', error)
}

function health({ chain, clocks }: RpcContext) {
  return {
    latest: chain.head.number,
    pending: Number(chain.pending.environment.number),
    ticks: clocks.ticks.running ? 'running' : 'frozen',
    sealing: clocks.instant ? 'instant' : clocks.seals.running ? 'running' : 'frozen',
  }
}
