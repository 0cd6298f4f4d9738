import { randomBytes } from 'node:crypto'
import type { Chain } from '../chain/chain.ts'
import type { Clocks } from '../clock/clocks.ts'
import type { Options } from '../options/options.ts'
import { LimitError, RefusedError, shorten } from '../primitives/errors.ts'
import { toHex } from '../primitives/hex.ts'
import type { BranchControl, RpcContext } from '../rpc/context.ts'
import { createDispatch } from '../rpc/dispatch.ts'
import { methodTable } from '../rpc/methodTable.ts'
import type { SocketConnection } from '../server/socketConnection.ts'
import type { SocketUse } from '../server/socketEndpoint.ts'
import type { DevAccount, Devnet } from '../types.ts'
import { ChainControl, type LiveChain } from './chainControl.ts'
import { createContext } from './createContext.ts'
import { NodeFork } from './nodeFork.ts'

/** Path under which a node serves its branches. */
const PATH = '/branch'

/** All branches of a node, those of branches included. */
export class Branches {
  readonly #limit: number
  readonly #nodeUrl: () => string
  readonly #all = new Map<string, Branch>()
  #lastId = 0

  /**
   * @param limit - maximum number of branches at a time
   * @param nodeUrl - returns the URL of the node
   */
  constructor(limit: number, nodeUrl: () => string) {
    this.#limit = limit
    this.#nodeUrl = nodeUrl
  }

  /**
   * Opens a branch of a chain.
   *
   * @param parent - `undefined`: the chain is the node's own
   * @throws {LimitError} if there are too many
   */
  async open(context: RpcContext, parent?: Branch): Promise<Branch> {
    if (this.#all.size >= this.#limit) {
      throw new LimitError(
        `the node has ${this.#limit} branches, which is its limit: drop one with preconf_dropBranch, or raise --max-branches`,
      )
    }
    const branch = new Branch({ id: String(++this.#lastId), context, parent, branches: this })
    this.#all.set(branch.id, branch)
    try {
      await branch.begin()
    } catch (error) {
      this.#all.delete(branch.id)
      throw error
    }
    return branch
  }

  /** The commands that clients of a chain have. */
  control(context: () => RpcContext, parent?: Branch): BranchControl {
    return {
      open: async () => {
        const { id } = await this.open(context(), parent)
        return { id, path: `${PATH}/${id}` }
      },
      drop: async (id) => {
        const branch = this.#all.get(id)
        if (branch === undefined || !branch.isBelow(parent)) {
          throw new RefusedError(
            `there is no branch ${shorten(id, 40)} here: it was dropped, or never opened`,
          )
        }
        await branch.stop()
      },
    }
  }

  urlOf(id: string): string {
    return `${this.#nodeUrl()}${PATH}/${id}`
  }

  /** The branch that is served at a path; `undefined` if there is none. */
  at(path: string): SocketUse | undefined {
    return this.#all.get(path.slice(PATH.length + 1))?.use
  }

  /** Stops the branches of a chain, which stop their own. @param parent - `undefined`: all */
  async stop(parent?: Branch): Promise<void> {
    const all = [...this.#all.values()].filter((one) => !parent || one.parent === parent)
    await Promise.all(all.map((branch) => branch.stop()))
  }

  forget(branch: Branch): void {
    this.#all.delete(branch.id)
  }
}

interface BranchParameters {
  readonly id: string
  /** Of the chain that it begins on. */
  readonly context: RpcContext
  /** The branch that this one branches off; `undefined`: the node's chain. */
  readonly parent: Branch | undefined
  readonly branches: Branches
}

/** A second chain in the process of a node, which begins where another one is. */
export class Branch extends ChainControl implements Devnet {
  readonly id: string
  readonly options: Options
  readonly parent: Branch | undefined
  readonly #branches: Branches
  readonly #origin: RpcContext
  readonly #abort = new AbortController()
  readonly #sockets = new Set<SocketConnection>()
  #live: (LiveChain & { readonly release: () => void }) | undefined
  #beginning: Promise<void> | undefined

  constructor({ id, context, parent, branches }: BranchParameters) {
    super()
    this.id = id
    this.options = context.options
    this.parent = parent
    this.#branches = branches
    this.#origin = context
  }

  get url(): string {
    void this.parts // Throws unless it runs.
    return this.#branches.urlOf(this.id)
  }

  get flashblocksUrl(): string {
    throw onlyOnNode('flashblock stream')
  }

  get wallet(): never {
    throw onlyOnNode('mock wallet')
  }

  get dashboard(): never {
    throw onlyOnNode('dashboard')
  }

  get parts(): LiveChain {
    if (this.#live === undefined) throw new Error('The branch is stopped')
    return this.#live
  }

  get accounts(): readonly DevAccount[] {
    return [...this.#origin.accounts.values()]
  }

  /** Requests over HTTP and WebSocket. */
  get use(): SocketUse | undefined {
    if (this.#live === undefined) return undefined
    return {
      handler: this.#live.dispatch,
      onConnect: (connection) => {
        this.#sockets.add(connection)
        connection.onClose(() => this.#sockets.delete(connection))
      },
    }
  }

  /** True if it began on `other` or a branch of that; `undefined` is the node's own chain. */
  isBelow(other: Branch | undefined): boolean {
    return this.parent === other || this.parent?.isBelow(other) === true
  }

  async branch(): Promise<Branch> {
    const { context } = this.parts
    return await this.hold.during(() => this.#branches.open(context, this))
  }

  start(): Promise<void> {
    return Promise.reject(new Error('A branch runs already'))
  }

  /** To be called once: begins where the other chain is when its write queue comes to it. */
  begin(): Promise<void> {
    const { chain } = this.#origin
    this.#beginning = chain.write(async () => {
      const { clocks } = this.#origin
      const own = clocks.branch()
      const { chain: branch, release } = chain.branch(own)
      const context = await this.#contextOf(branch, own)
      own.start(branch)
      const dispatch = createDispatch({
        context,
        methods: methodTable,
        maxBatch: this.options.maxBatch,
        watch: this.events.watch,
      })
      this.#live = { context, dispatch, abort: this.#abort, release }
    })
    return this.#beginning
  }

  async #contextOf(chain: Chain, clocks: Clocks): Promise<RpcContext> {
    const { heavy, fork: theirs } = this.#origin
    const context = createContext({
      ...this.#origin,
      chain,
      clocks,
      heavy: heavy.branch(chain.engine),
      instanceId: toHex(randomBytes(32)),
      events: this.events,
      branches: this.#branches,
      branch: this,
      signal: this.#abort.signal,
      cutSockets: () => {
        for (const socket of this.#sockets) socket.cut()
      },
    })
    if (theirs instanceof NodeFork) await context.fork.readWith(theirs)
    return context
  }

  protected async end(): Promise<void> {
    // If it could not begin, whoever opened it has the error.
    await this.#beginning?.catch(() => undefined)
    const live = this.#live
    this.#live = undefined
    this.#branches.forget(this)
    await this.#branches.stop(this)
    if (live === undefined) return
    const { chain, clocks, fork, heavy } = live.context
    this.#abort.abort()
    this.provider.close()
    for (const socket of this.#sockets) socket.refuse('the branch was dropped', 1001)
    clocks.stop()
    await Promise.all([chain.close(), heavy.close(), fork instanceof NodeFork && fork.close()])
    live.release()
  }
}

/** A branch lacks what a node has only once. */
function onlyOnNode(what: string): Error {
  return new Error(
    `A branch has no ${what}: use that of the devnet, or the branch's provider and url`,
  )
}
