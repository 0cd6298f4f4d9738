import { randomBytes } from 'node:crypto'
import { openChain } from '../clock/openChain.ts'
import { formatHealth } from '../json/formatStatus.ts'
import { currentInstanceId } from '../json/instanceId.ts'
import type { Options } from '../options/options.ts'
import type { Capture } from '../persistence/dump/dumpText.ts'
import type { StateKeeper } from '../persistence/dump/stateKeeper.ts'
import type { SavedFile } from '../persistence/savedFile.ts'
import { ChainFileError } from '../primitives/errors.ts'
import { toHex } from '../primitives/hex.ts'
import { reportInternalError, warn } from '../primitives/warn.ts'
import type { RpcContext } from '../rpc/context.ts'
import { createDispatch } from '../rpc/dispatch.ts'
import { HeavyCalls } from '../rpc/heavy/heavyCalls.ts'
import { LatestLag } from '../rpc/latestLag.ts'
import { methodTable } from '../rpc/methodTable.ts'
import { derivedInstanceId } from '../rpc/nodeInfo.ts'
import { type Server, startServer } from '../server/server.ts'
import type { DashboardAddress, DevAccount, Devnet } from '../types.ts'
import type { WalletControl } from '../wallet/types.ts'
import { Branches } from './branches.ts'
import { ChainControl, type LiveChain } from './chainControl.ts'
import { createContext } from './createContext.ts'
import { loadChain, resumeLoaded } from './loadChain.ts'
import { NodeDashboard } from './nodeDashboard.ts'
import { readScript } from './nodeFaults.ts'
import type { NodeFollower } from './nodeFollower.ts'
import type { NodeFork } from './nodeFork.ts'
import { NodeStream } from './nodeStream.ts'
import { NodeWallet } from './nodeWallet.ts'

/** ms from the start of the node to its rehearsal, unless a request is quicker. */
const REHEARSAL_DELAY = 50

interface Running extends LiveChain {
  readonly server: Server
  readonly url: string
  readonly rehearsal: NodeJS.Timeout
  /** `undefined` if the chain is not to be saved. */
  readonly keeper: StateKeeper | undefined
}

export class DevnetNode extends ChainControl implements Devnet {
  readonly options: Options
  #starting: Promise<void> | undefined
  #running: Running | undefined
  #accounts: readonly DevAccount[] = []
  #fork: NodeFork | undefined
  /** Holds what this node saves; no other node saves to it meanwhile. */
  #file: SavedFile | undefined
  /** Aborts at {@link stop}, also while the node starts. */
  readonly #stopped = new AbortController()
  readonly #wallet: NodeWallet | undefined
  readonly #dashboard: NodeDashboard | undefined
  readonly #stream: NodeStream
  readonly #branches: Branches
  /** `undefined` unless the node follows another one. */
  #follower: NodeFollower | undefined
  #following: Promise<void> | undefined
  #rehearsing: Promise<void> | undefined

  constructor(options: Options) {
    super()
    this.options = options
    this.#stream = new NodeStream(options)
    this.#branches = new Branches(options.maxBranches, () => this.url)
    this.#wallet =
      options.wallet === false
        ? undefined
        : new NodeWallet(options, options.wallet, this.hold, () =>
            this.#dashboard?.address.pageUrl.replace(/#.*$/, ''),
          )
    this.#wallet?.onRequest((event) => this.events.emit('walletRequest', event))
    this.#dashboard = options.noDashboard
      ? undefined
      : new NodeDashboard(options, () => ({
          ...this.parts,
          on: this.on.bind(this),
          wallet: this.#wallet,
        }))
  }

  get url(): string {
    return this.parts.url
  }

  get flashblocksUrl(): string {
    void this.parts // Throws unless it runs.
    const { url } = this.#stream
    if (url === undefined) throw new Error('The devnet is stopping')
    return url
  }

  get parts(): Running {
    if (this.#running !== undefined) return this.#running
    const state = this.stopping === undefined ? 'not started: await start()' : 'stopped'
    throw new Error(`The devnet is ${state}`)
  }

  get accounts(): readonly DevAccount[] {
    return this.#accounts
  }

  get wallet(): WalletControl {
    if (this.#wallet === undefined) {
      throw new Error('The devnet was created without its mock wallet (noWallet, or wallet: false)')
    }
    return this.#wallet.control
  }

  get dashboard(): DashboardAddress {
    if (this.#dashboard === undefined) {
      throw new Error('The devnet was created without its dashboard (noDashboard)')
    }
    return this.#dashboard.address
  }

  async branch(): Promise<Devnet> {
    const { context } = this.parts
    return await this.hold.during(() => this.#branches.open(context))
  }

  start(): Promise<void> {
    if (this.#starting !== undefined || this.stopping !== undefined) {
      return Promise.reject(
        new Error('A devnet starts only once: create another with createDevnet()'),
      )
    }
    this.#starting = this.hold.during(() =>
      this.#start().catch(async (error: unknown) => {
        this.#follower?.close()
        await this.#fork?.close()
        this.#file?.close()
        throw error
      }),
    )
    return this.#starting
  }

  async #start(): Promise<void> {
    const { state = this.options.dumpState } = this.options
    if (state !== undefined) {
      const { SavedFile } = await import('../persistence/savedFile.ts')
      this.#file = await SavedFile.open(state)
    }
    const { faults, follow } = this.options
    const script = faults === undefined ? undefined : await readScript(faults, follow)
    const context = await this.#createContext()
    this.#accounts = [...context.accounts.values()]
    const dispatch = createDispatch({
      context,
      methods: methodTable,
      maxBatch: this.options.maxBatch,
      watch: this.events.watch,
      walletUrl: () => this.#wallet?.url,
    })
    this.#wallet?.open({ context, dispatch })
    this.#dashboard?.open({ context, on: this.on.bind(this) })
    this.#stream.open(context)
    const server = await startServer({
      ...this.options,
      dispatch,
      branchAt: (path) => this.#branches.at(path),
      health: () => formatHealth(context),
      routes: [
        ...this.#stream.routes,
        ...(this.#wallet?.routes ?? []),
        ...(this.#dashboard === undefined ? [] : [this.#dashboard.routes]),
      ],
    })
    const { url } = server.address
    let keeper: StateKeeper | undefined
    try {
      await this.#wallet?.start(url)
      await this.#stream.start(url)
      context.clocks.start(context.chain)
      if (script !== undefined) await context.faults.apply(script)
      this.#following = this.#follower?.run(context.chain, context.clocks)
      if (this.#file !== undefined) keeper = await this.#keepState(this.#file, context)
    } catch (error) {
      this.#follower?.close()
      await this.#close(context, server)
      throw error
    }
    const rehearsal = setTimeout(() => {
      this.#rehearsing = import('../rpc/rehearsal.ts')
        .then(({ rehearse }) => rehearse(context, dispatch, this.#stopped.signal))
        .catch(reportInternalError)
    }, REHEARSAL_DELAY).unref()
    const abort = new AbortController()
    this.#running = { context, dispatch, server, url, rehearsal, abort, keeper }
    if (this.options.keepAlive) this.hold.acquire()
  }

  protected async end(): Promise<void> {
    this.#stopped.abort()
    // If the start failed, its caller got the error, and there is nothing to stop.
    await this.#starting?.catch(() => undefined)
    const running = this.#running
    if (running === undefined) return
    this.#running = undefined
    clearTimeout(running.rehearsal)
    if (this.options.keepAlive) this.hold.release()
    running.abort.abort()
    this.provider.close()
    running.keeper?.stop()
    await this.#branches.stop()
    try {
      await this.#close(running.context, running.server)
      await running.keeper?.saveLast(this.#capture(running.context))
    } finally {
      this.#file?.close()
    }
  }

  async #close({ chain, clocks, heavy }: RpcContext, server: Server): Promise<void> {
    clocks.stop()
    // Together, because executions may be waiting for the upstream. The chain first: what the
    // upstream does not give any more is no reason to drop a transaction.
    await Promise.all([chain.close(), this.#fork?.close()])
    await Promise.all([
      server.stop(),
      this.#wallet?.stop(),
      this.#stream.stop(),
      this.#following,
      this.#rehearsing,
      heavy.close(),
    ])
  }

  async #keepState(file: SavedFile, context: RpcContext): Promise<StateKeeper> {
    const { path } = file
    const { StateKeeper } = await import('../persistence/dump/stateKeeper.ts')
    const keeper = new StateKeeper({
      file,
      interval: this.options.stateInterval,
      capture: () => context.chain.write(() => this.#capture(context)),
      onSave: (event) => this.events.emit('save', event),
      onSetAside: (aside) =>
        warn(
          `${path} was changed by another program after this node had last read or saved it; that version is now ${aside}`,
        ),
      onFailure: reportFailure,
    })
    keeper.start()
    return keeper
  }

  #capture(context: RpcContext): Capture {
    return {
      ...context.chain.capture(),
      clock: context.clocks.save(),
      ...(this.options.state !== undefined && { walletBatches: this.#wallet?.batches ?? [] }),
      instanceId: this.options.state === undefined ? undefined : currentInstanceId(context),
    }
  }

  /** Imported on demand, because most nodes record no coverage. */
  async #coverage() {
    if (!this.options.coverage) return undefined
    const { CoverageRecorder } = await import('../engine/coverageCalls.ts')
    return new CoverageRecorder((tags) => this.events.emit('coverage', { tags }))
  }

  async #createContext(): Promise<RpcContext> {
    const { signal } = this.#stopped
    if (this.options.follow !== undefined) {
      // Imported on demand, because most nodes follow no other.
      const { NodeFollower } = await import('./nodeFollower.ts')
      this.#follower = await NodeFollower.connect(this.options.follow, signal)
    }
    const followed = this.#follower?.state
    const options = followed === undefined ? this.options : { ...this.options, ...followed.limits }
    const loaded = await loadChain(options, signal, await this.#coverage(), followed)
    const { engine, base, accounts, imported, restored } = loaded
    // A node that follows another has that one's blocks, whose times are those of its clocks.
    const frozenTicks = options.frozenTicks || followed !== undefined
    const { chain, clocks } = openChain(loaded, { ...options, frozenTicks }, reportInternalError)
    await resumeLoaded(loaded, chain, clocks, signal)
    const context = createContext({
      chain,
      clocks,
      options,
      heavy: new HeavyCalls(engine, {
        // Only this thread records coverage.
        workers: options.coverage ? 0 : options.workers,
        onInternalError: reportInternalError,
      }),
      accounts: new Map(accounts.map((account) => [account.address, account])),
      instanceId:
        options.state === undefined
          ? toHex(randomBytes(32))
          : (restored?.instanceId ?? derivedInstanceId(chain)),
      lag: new LatestLag(options, (event) => this.events.emit('hint', event)),
      events: this.events,
      branches: this.#branches,
      signal,
      cutSockets: () => {
        this.#running?.server.cutSockets()
        this.#stream.cutSockets()
      },
    })
    this.#fork = context.fork
    if (base.origin !== undefined && loaded.fork !== undefined) {
      await context.fork.attach(base.origin, loaded.fork.live)
      this.events.emit('fork', loaded.fork.event)
    }
    if (options.follow !== undefined) chain.followOnly(options.follow)
    if (restored !== undefined) this.events.emit('load', restored.event)
    const saved = options.state === undefined ? undefined : restored?.walletBatches
    if (this.#wallet !== undefined && saved !== undefined) this.#wallet.savedBatches = saved
    if (imported !== undefined) this.events.emit('import', imported)
    return context
  }
}

/** Reports a failed save. The node goes on; users can fix a full disk or a missing folder. */
function reportFailure(error: unknown): void {
  if (error instanceof ChainFileError) warn(error.message)
  else reportInternalError(error)
}
