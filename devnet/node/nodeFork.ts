import type { Chain } from '../chain/chain.ts'
import type { ChainBase } from '../chain/chainBase.ts'
import type { ForkOrigin } from '../chain/forkedBase.ts'
import type { Clocks } from '../clock/clocks.ts'
import { type Options, readOption } from '../options/options.ts'
import type { SavedClock } from '../persistence/dump/dumpText.ts'
import { InvalidParamsError, OptionError, RefusedError } from '../primitives/errors.ts'
import { type Hex, toHex } from '../primitives/hex.ts'
import { SerialQueue } from '../primitives/serialQueue.ts'
import { warn } from '../primitives/warn.ts'
import type { Border } from '../rpc/border/border.ts'
import type { ForkControl, ForkRequest } from '../rpc/context.ts'
import { UpstreamError } from '../state/remote/remoteSource.ts'
import type { DevAccount, ForkEvent, ForkStatus } from '../types.ts'
import type { Upstream } from '../upstream/types.ts'
import type { ForkPlace } from './openFork.ts'

/** More versions than the present chain can make while another one is prepared. */
const VERSIONS_MEANWHILE = 1 << 20

interface NodeForkParameters {
  readonly chain: Chain
  readonly clocks: Clocks
  readonly options: Options
  readonly accounts: ReadonlyMap<Hex, DevAccount>
  /** Aborts when the node stops. */
  readonly signal: AbortSignal
  readonly onFork: (event: ForkEvent) => void
}

/** The source of the blocks up to a fork block. */
interface Attached {
  readonly border: Border
  /** `undefined` if only a state file answers. */
  readonly live?: OpenUpstream | undefined
}

export interface OpenUpstream {
  readonly upstream: Upstream
  readonly place: ForkPlace
}

/** The upstream at the start, while the chain stands on another block. */
interface Home {
  readonly base: ChainBase
  readonly clock: SavedClock
}

/**
 * The upstream of a node, which commands can exchange. Without one, it loads nothing of what
 * reads other chains.
 */
export class NodeFork implements ForkControl {
  readonly #parameters: NodeForkParameters
  /** Commands prepare a block before they take their turn on the write queue. */
  readonly #commands = new SerialQueue()
  readonly #attached = new Map<ForkOrigin, Attached>()
  #home: Home | undefined
  /** The block that a branch stands on like its parent, which closes what reads it. */
  #shared: ForkOrigin | undefined

  constructor(parameters: NodeForkParameters) {
    this.#parameters = parameters
  }

  get border(): Border | undefined {
    return this.#now?.border
  }

  get #now(): Attached | undefined {
    const { origin } = this.#parameters.chain
    return origin && this.#attached.get(origin)
  }

  status(): ForkStatus | undefined {
    const { origin } = this.#parameters.chain
    if (origin === undefined) return undefined
    const { chainId, number, hash, remote } = origin
    const upstream = this.#now?.live?.upstream
    return {
      origin: upstream?.origin ?? null,
      chainId,
      number,
      hash: toHex(hash),
      hits: remote.hits,
      misses: remote.misses,
      ...(upstream?.status() ?? NO_REQUESTS),
    }
  }

  /** Reads the blocks below those of a branch where its parent does. */
  async readWith(parent: NodeFork): Promise<void> {
    const { origin } = parent.#parameters.chain
    if (origin === undefined) return
    const live = parent.#now?.live
    if (live !== undefined) share(live)
    this.#shared = origin
    await this.attach(origin, live)
  }

  /** @param live - answers for the blocks up to `origin`. Default: only a state file does */
  async attach(origin: ForkOrigin, live?: OpenUpstream): Promise<void> {
    const { Border } = await import('../rpc/border/border.ts')
    const { chain, options } = this.#parameters
    const upstream = live?.upstream ?? (await import('./openFork.ts')).noUpstream(origin)
    const present = this.#attached.get(origin)?.border
    present?.upstream.readFrom(upstream)
    const border = present ?? new Border({ chain, options }, upstream)
    this.#attached.set(origin, { border, live })
  }

  reset(request: ForkRequest): Promise<void> {
    return this.#run(() => this.#reset(request))
  }

  async #reset({ jsonRpcUrl, blockNumber, httpHeaders }: ForkRequest): Promise<void> {
    const { chain, clocks, options, accounts, signal, onFork } = this.#parameters
    const present = this.#now?.live?.place
    const url = readOption('fork', jsonRpcUrl ?? present?.url, 'jsonRpcUrl')
    if (url === undefined && present === undefined) {
      throw new RefusedError('"forking" needs "jsonRpcUrl": this chain is not a fork')
    }
    const place = {
      url,
      headers: httpHeaders
        ? readOption('forkHeader', headerLines(httpHeaders), 'httpHeaders')
        : // They are secrets of their URL.
          url === present?.url
          ? (present?.headers ?? [])
          : [],
      block: readOption('forkBlockNumber', blockNumber ?? undefined, 'blockNumber'),
    }
    const start = performance.now()
    const opened = await import('./openFork.ts')
    const upstream = await this.#open(place)
    const { origin, taken } = await opened.withUpstream(upstream, signal, async () => {
      const identity = opened.identityOf(upstream, options)
      const known = this.#remoteOf(upstream)
      const origin = opened.originOf(upstream, chain.engine, options, {
        accounts: [...accounts.values()],
        known,
      })
      const taken = await opened.takenOver(upstream, identity, chain.engine)
      const base = await opened.forkedBase(origin, chain.engine, options, {
        ...identity,
        taken,
        firstVersion: chain.store.newest + VERSIONS_MEANWHILE,
      })
      await this.attach(origin, { upstream, place })
      const time = { stopped: Number(origin.header.timestamp) * 1000 }
      const clock = { time, increased: 0, expectedTimestamp: undefined }
      await clocks.load(base, clock, (reset) => this.#leaveHome(reset))
      return { origin, taken }
    })
    await this.#forgetOthers(origin)
    for (const difference of (await taken?.differences(chain.pending)) ?? []) {
      warn(difference)
    }
    const takesOver = place.block === 'pending'
    onFork(opened.forkEvent(origin, chain.engine, upstream, { start, takesOver }))
  }

  /** Known facts of the block that an upstream stands for. */
  #remoteOf({ chainId, block }: Upstream) {
    const origins = [this.#parameters.chain.origin, ...this.#attached.keys()]
    return origins.find(
      (one) =>
        one !== undefined && BigInt(one.chainId) === chainId && toHex(one.hash) === block.hash,
    )?.remote
  }

  /** Resets the chain and saves it for a later return; called once the next one cannot fail. */
  #leaveHome(reset: () => void): void {
    if (this.#home !== undefined) return
    const { chain, clocks } = this.#parameters
    // If the first block has been pruned, a later reset goes to the fork block instead.
    if (chain.history.oldest > chain.firstHead) return
    reset()
    const { work, release } = chain.capture()
    release()
    const { store, history, origin, firstHead, engine } = chain
    this.#home = {
      base: {
        store,
        history,
        origin,
        schedule: engine.schedule,
        saved: { firstHead, ...work, pending: undefined, mempool: [] },
      },
      clock: clocks.save(),
    }
  }

  restart(): Promise<void> {
    return this.#run(async () => {
      const { clocks } = this.#parameters
      const home = this.#home
      if (home === undefined) return await clocks.reset()
      await clocks.load(home.base, home.clock)
      this.#home = undefined
      await this.#forgetOthers(home.base.origin)
    })
  }

  setUrl(url: string): Promise<void> {
    return this.#run(async () => {
      const { origin } = this.#parameters.chain
      if (origin === undefined) {
        throw new RefusedError('this chain is not a fork: call hardhat_reset with "forking" first')
      }
      if (origin === this.#shared) {
        throw new RefusedError('a branch reads where its parent does: set the URL there')
      }
      const place = { url, headers: [], block: toHex(origin.hash) }
      const upstream = await this.#open(place)
      if (Number(upstream.chainId) !== origin.chainId || upstream.block.hash !== place.block) {
        await upstream.close()
        throw new RefusedError(
          `${upstream.origin} has block ${upstream.block.hash} of chain ${upstream.chainId}, and this chain stands on block ${place.block} of chain ${origin.chainId}`,
        )
      }
      const before = this.#attached.get(origin)
      await this.attach(origin, { upstream, place })
      origin.remote.readFrom(upstream.source)
      // Closing the old upstream makes its waiting requests go to the new one.
      if (before?.live !== undefined) await leave(before.live, replaced())
    })
  }

  async #open(place: ForkPlace): Promise<Upstream> {
    const { connect } = await import('./openFork.ts')
    const { options, signal } = this.#parameters
    return await connect(place, options, signal)
  }

  /** Runs a command; what its caller gave is a parameter of a request, and no option. */
  #run(command: () => Promise<void>): Promise<void> {
    return this.#commands.run(async () => {
      try {
        await command()
      } catch (error) {
        if (!(error instanceof OptionError)) throw error
        throw new InvalidParamsError(error.message, { cause: error })
      }
    })
  }

  /** Closes the upstreams of chains that no command can go back to. */
  async #forgetOthers(present: ForkOrigin | undefined): Promise<void> {
    const kept = new Set([present, this.#home?.base.origin])
    for (const [origin, { live }] of [...this.#attached]) {
      if (kept.has(origin)) continue
      this.#attached.delete(origin)
      if (live !== undefined) await leave(live, replaced())
    }
  }

  /** Ends whatever waits for an upstream. */
  async close(): Promise<void> {
    for (const origin of this.#attached.keys()) if (origin !== this.#shared) origin.remote.close()
    await Promise.all([...this.#attached.values()].map(({ live }) => live && leave(live)))
  }
}

/** Number of chains that read each upstream: a node's chain and its branches. */
const readers = new WeakMap<Upstream, number>()

function share({ upstream }: OpenUpstream): void {
  readers.set(upstream, (readers.get(upstream) ?? 1) + 1)
}

/** Closes an upstream, unless other chains read it. */
async function leave({ upstream }: OpenUpstream, reason?: UpstreamError): Promise<void> {
  const left = (readers.get(upstream) ?? 1) - 1
  readers.set(upstream, left)
  if (left === 0) await upstream.close(reason)
}

function headerLines(headers: Readonly<Record<string, string>>): string[] {
  return Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
}

/** The error of requests to an upstream that is not read any more, if no other takes over. */
const replaced = () =>
  new UpstreamError('a reset has replaced the chain meanwhile', { transient: true })

const NO_REQUESTS = {
  ...{ requests: 0, items: 0, cached: 0, waiting: 0, failed: 0 },
  lastFailure: null,
}
