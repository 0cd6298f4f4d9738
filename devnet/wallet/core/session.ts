import { LimitError } from '../../primitives/errors.ts'
import { heldSize } from '../../primitives/heldBytes.ts'
import type { Hex } from '../../primitives/hex.ts'
import { JsonText } from '../../primitives/jsonText.ts'
import { Listeners } from '../../primitives/listeners.ts'
import { getOrCreate } from '../../primitives/memo.ts'
import { Semaphore } from '../../primitives/serialQueue.ts'
import type { PushConnection } from '../../stream/subscriptions.ts'
import type { HistoryEntry, HistoryFilter, WalletState } from '../types.ts'
import { Batches } from './batches.ts'
import { ChainPushes } from './chainPushes.ts'
import { forward, forwardedMethods } from './chainRpc.ts'
import { Permissions } from './permissions.ts'
import { PolicyBook } from './policy.ts'
import { RequestContext } from './requestContext.ts'
import { History } from './requestHistory.ts'
import { type Decider, Queue } from './requestQueue.ts'
import type { WalletClient, WalletMethod } from './types.ts'
import type { Wallet } from './wallet.ts'
import { Chains } from './walletChains.ts'

/** One wallet, with its own chains, connections, policy, queue and history. */
export class Session {
  readonly name: string
  readonly wallet: Wallet
  history: History
  readonly queue: Queue
  chains: Chains
  permissions: Permissions
  policy: PolicyBook
  batches: Batches
  /** Limits simultaneous requests to RPCs of other chains, since each opens its own connection. */
  readonly rpcRequests = new Semaphore(64)
  /** Clients that events are pushed to, each with its origin. */
  readonly #connections = new Map<PushConnection, string | null>()
  readonly #pushes = new Map<PushConnection, ChainPushes>()
  /** Origins that use the provider script. By default, the wallet switches to a chain they add. */
  readonly #providers = new Set<string | null>()
  readonly #changes: Listeners<[]>
  readonly #underWay = new Set<RequestContext>()

  constructor(name: string, wallet: Wallet) {
    this.name = name
    this.wallet = wallet
    this.#changes = new Listeners(wallet.onInternalError)
    this.history = new History(wallet.settings.maxHistory, wallet.node.held)
    this.queue = new Queue(wallet.clock, () => this.changed())
    this.chains = new Chains(wallet.firstChains(), this.history.held)
    this.permissions = this.#noPermissions()
    this.policy = firstPolicy(wallet)
    const saved = wallet.node.savedBatches.filter(({ session }) => session === name)
    this.batches = new Batches(this.history.held, saved)
  }

  /**
   * Answers one request.
   *
   * @param method - the wallet's own; `undefined` if it has none with this name
   * @throws {DevnetError}
   */
  async request({ name, method, params }: NamedRequest, client: WalletClient): Promise<unknown> {
    this.permissions.meet(client.origin, this.wallet.clock.now())
    if (method === undefined && forwardedMethods.has(name)) {
      return forward(this, name, params, client)
    }
    const request = new RequestContext(this, name, params, client)
    if (method?.isRead) return method.handle(request, params)
    this.#admit(request)
    request.hold()
    this.#underWay.add(request)
    try {
      return await request.run(method)
    } finally {
      this.#underWay.delete(request)
      request.release()
      this.changed()
    }
  }

  /** Pushes events to a client until it hangs up. */
  attach(connection: PushConnection, origin: string | null): void {
    this.#connections.set(connection, origin)
    this.permissions.meet(origin, this.wallet.clock.now())
    connection.onClose(() => {
      this.#connections.delete(connection)
      this.#pushes.get(connection)?.end()
      this.#pushes.delete(connection)
    })
  }

  /** The way by which the active chain pushes to a client's connection. */
  pushesTo(connection: PushConnection | undefined): ChainPushes | undefined {
    if (connection === undefined || !this.#connections.has(connection)) return undefined
    return getOrCreate(this.#pushes, connection, () => new ChainPushes(connection))
  }

  /**
   * Makes a known chain active, withdrawing requests bound to the previous one (EIP-3326).
   *
   * @param by - who switches. Default: a request of a client
   */
  activate(chainId: Hex, by: Decider = 'client'): void {
    if (chainId === this.chains.active) return
    this.chains.active = chainId
    this.queue.withdraw(({ isChainBound }) => isChainBound, by, 'the active chain changed')
    this.#announceChain()
    this.changed()
  }

  /**
   * The node's chain has begun anew: clients hear of it as of a lost connection that is there again
   * (code 1013, after which libraries stay connected), and forget what they know of the chain.
   */
  beginAnew(): void {
    const { chainId, instanceId } = this.wallet.node
    this.batches.forgetChain(chainId)
    if (this.chains.active === chainId) {
      this.#emit('disconnect', { code: 1013, message: 'The chain has begun anew.' })
      this.#emit('connect', { chainId, instanceId })
      this.#emit('chainChanged', chainId)
    }
    this.changed()
  }

  /** The matching entries of the history, oldest first, each as it is on the chain now. */
  entries(filter?: HistoryFilter): HistoryEntry[] {
    const { chainId, knows } = this.wallet.node
    return this.history.list(filter, (hash, chain) => chain === chainId && !knows(hash))
  }

  connect(origin: string | null, account: Hex): void {
    this.#changeAccounts(() => this.permissions.grant(origin, account, this.wallet.clock.now()))
  }

  disconnect(origin: string | null): void {
    this.#changeAccounts(() => this.permissions.revoke(origin))
  }

  /** Selects an account, and connects every connected origin to it instead. */
  select(account: Hex): void {
    this.#changeAccounts(() => this.permissions.select(account))
  }

  /** Restores the initial state and withdraws all waiting requests. */
  reset(): void {
    this.queue.withdraw(() => true, 'control', 'reset')
    this.#changeAccounts(() => {
      const { active } = this.chains
      this.history.held.close()
      this.history = new History(this.wallet.settings.maxHistory, this.wallet.node.held)
      this.history.held.add(heldSize([...this.#providers]))
      this.chains = new Chains(this.wallet.firstChains(), this.history.held)
      this.permissions = this.#noPermissions()
      this.policy = firstPolicy(this.wallet)
      this.batches = new Batches(this.history.held)
      if (this.chains.active !== active) this.#announceChain()
    })
  }

  /** Calls `listener` after each change of state or history; returns a function to remove it. */
  onChange(listener: () => void): () => void {
    return this.#changes.add(listener)
  }

  changed(): void {
    this.#changes.emit()
  }

  state(): WalletState {
    const { selected } = this.permissions
    const others = this.wallet.node.accounts.filter((account) => account !== selected)
    return {
      chains: this.chains.list(),
      activeChain: this.chains.active,
      accounts: selected === undefined ? others : [selected, ...others],
      connections: this.permissions.connections(),
      policy: this.policy.policy,
      pending: this.queue.list(),
      profile: this.wallet.settings.profile,
      dashboardUrl: this.wallet.node.dashboardUrl ?? null,
    }
  }

  /** True if it has no connections, no requests under way and at most so many listeners. */
  isIdle(listeners: number): boolean {
    return this.#connections.size + this.#underWay.size === 0 && this.#changes.size <= listeners
  }

  /** Records that an origin uses the provider script. */
  addProvider(origin: string | null): void {
    if (this.#providers.has(origin)) return
    if (this.history.held.take(heldSize([origin]))) this.#providers.add(origin)
  }

  /** Behaviour after an origin has added a chain (option `switchAfterAdd`). */
  afterAdd(origin: string | null): 'stay' | 'switch' | 'decline' {
    return this.wallet.settings.switchAfterAdd ?? (this.#providers.has(origin) ? 'switch' : 'stay')
  }

  /** Another chain is active: subscriptions to the one before end. */
  #announceChain(): void {
    for (const pushes of this.#pushes.values()) pushes.end()
    this.#pushes.clear()
    this.#emit('chainChanged', this.chains.active)
  }

  /** Pushes an EIP-1193 event to all clients, or only to those of `origin`. */
  #emit(name: string, data: unknown, origin?: string | null): void {
    const params = new JsonText(JSON.stringify({ name, data }))
    for (const [connection, own] of this.#connections) {
      if (origin === undefined || own === origin) connection.notify('wallet_event', params)
    }
  }

  /** Makes a change and notifies every origin whose accounts it changes. */
  #changeAccounts(change: () => void): void {
    const before = this.#accountsByOrigin()
    change()
    for (const [origin, accounts] of this.#accountsByOrigin()) {
      if (accounts.join() !== before.get(origin)?.join()) {
        this.#emit('accountsChanged', accounts, origin)
      }
    }
    this.changed()
  }

  #accountsByOrigin(): Map<string | null, readonly Hex[]> {
    const origins = new Set(this.#connections.values())
    return new Map([...origins].map((origin) => [origin, this.permissions.accountsOf(origin)]))
  }

  /** @throws {LimitError} if too many requests are under way */
  #admit({ client: { origin } }: RequestContext): void {
    const { maxPending } = this.wallet.settings
    const own = [...this.#underWay].filter(({ client }) => client.origin === origin).length
    const all = this.#underWay.size
    if (own < maxPending && all < 10 * maxPending) return
    throw new LimitError(
      `${own} requests of this origin and ${all} in all are under way, which is the wallet's limit: decide some first`,
    )
  }

  #noPermissions(): Permissions {
    const { node, settings } = this.wallet
    return new Permissions(node.accounts[0], settings.autoConnect, this.history.held)
  }
}

interface NamedRequest {
  readonly name: string
  readonly method: WalletMethod | undefined
  readonly params: unknown
}

function firstPolicy({ settings }: Wallet): PolicyBook {
  return new PolicyBook(settings.policy, settings.atomic)
}
