import { type DevnetError, LimitError } from '../../primitives/errors.ts'
import type { Hex } from '../../primitives/hex.ts'
import { Listeners } from '../../primitives/listeners.ts'
import { Semaphore, SerialQueue } from '../../primitives/serialQueue.ts'
import type { PushConnection } from '../../stream/subscriptions.ts'
import type { WalletState } from '../types.ts'
import { Batches } from './batches.ts'
import { forward } from './chainRpc.ts'
import { Permissions } from './permissions.ts'
import { PolicyBook } from './policy.ts'
import { Exchange } from './requestContext.ts'
import { History } from './requestHistory.ts'
import { Queue } from './requestQueue.ts'
import type { Wallet } from './wallet.ts'
import { Chains } from './walletChains.ts'
import { UnsupportedMethodError, UserRejectedError } from './walletErrors.ts'
import type { WalletClient, WalletMethod } from './walletMethod.ts'
import { forwardedMethods } from './walletMethods.ts'

/** Characters of JSON that requests under way may hold together. */
const MOST_TEXT = 32 * 1024 * 1024

/** One wallet, with its own chains, connections, policy, queue and history. */
export class Session {
  readonly name: string
  readonly wallet: Wallet
  history: History
  readonly queue: Queue
  chains: Chains
  permissions: Permissions
  policy: PolicyBook
  batches = new Batches()
  /** Bounds the requests to RPCs of other chains: each takes a connection of its own. */
  readonly rpcRequests = new Semaphore(64)
  /** Sends to other chains, one after the other, so that each finds the nonce of the one before. */
  readonly remoteSends = new SerialQueue()
  /** Clients that are pushed to, each with its origin. */
  readonly #connections = new Map<PushConnection, string | null>()
  /** Origins with the provider script, which expects a switch after an added chain. */
  readonly #providers = new Set<string | null>()
  readonly #changes: Listeners<[]>
  readonly #underWay = new Set<Exchange>()

  constructor(name: string, wallet: Wallet) {
    this.name = name
    this.wallet = wallet
    this.#changes = new Listeners(wallet.onInternalError)
    this.history = new History(wallet.settings.maxHistory)
    this.queue = new Queue(wallet.clock, () => this.changed())
    this.chains = new Chains(wallet.firstChains())
    this.permissions = this.#noPermissions()
    this.policy = new PolicyBook(wallet.settings.policy)
  }

  /** Answers one request. @throws {DevnetError} */
  async request(name: string, params: unknown, client: WalletClient): Promise<unknown> {
    const method = await this.wallet.findMethod(name)
    this.permissions.meet(client.origin, this.wallet.clock.now())
    if (method === undefined && forwardedMethods.has(name)) {
      return forward(this, name, params, client)
    }
    const exchange = new Exchange(this, name, params, client)
    if (method?.isRead) return method.handle(exchange, params)
    this.#admit(exchange)
    this.#underWay.add(exchange)
    try {
      return await exchange.run(method ?? this.#unsupported(name))
    } finally {
      this.#underWay.delete(exchange)
      this.changed()
    }
  }

  /** Pushes events to a client from now on, until it hangs up. */
  attach(connection: PushConnection, origin: string | null): void {
    this.#connections.set(connection, origin)
    this.permissions.meet(origin, this.wallet.clock.now())
    connection.onClose(() => this.#connections.delete(connection))
  }

  /** Emits an event of EIP-1193. @param origin - whose clients it is for; all where it is left out */
  emit(name: string, data: unknown, origin?: string | null): void {
    const params = JSON.stringify({ name, data })
    for (const [connection, own] of this.#connections) {
      if (origin === undefined || own === origin) connection.notify('wallet_event', params)
    }
  }

  /** Makes a known chain the active one; what waits for the chain before is taken back (EIP-3326). */
  activate(chainId: Hex): void {
    if (!this.chains.activate(chainId)) return
    this.queue.decideAll(
      ({ isChainBound }) => isChainBound,
      () => ({
        decision: 'withdrawn',
        by: 'client',
        error: new UserRejectedError('the active chain changed'),
      }),
    )
    this.emit('chainChanged', chainId)
    this.changed()
  }

  /** Connects an origin, and tells its clients. */
  connect(origin: string | null, account: Hex): void {
    const before = this.permissions.accountsOf(origin).join()
    this.permissions.grant(origin, account, this.wallet.clock.now())
    if (before !== account) this.emit('accountsChanged', [account], origin)
    this.changed()
  }

  disconnect(origin: string | null): void {
    if (this.permissions.revoke(origin)) this.emit('accountsChanged', [], origin)
    this.changed()
  }

  /** Selects an account, for connected origins too. */
  select(account: Hex): void {
    const before = this.#accountsByOrigin()
    this.permissions.select(account)
    for (const [origin, accounts] of this.#accountsByOrigin()) {
      if (accounts.join() !== before.get(origin)?.join()) {
        this.emit('accountsChanged', accounts, origin)
      }
    }
    this.changed()
  }

  /** As at the start; what waits is rejected. */
  reset(): void {
    this.queue.decideAll(
      () => true,
      () => ({ decision: 'withdrawn', by: 'control', error: new UserRejectedError('reset') }),
    )
    const before = this.#accountsByOrigin()
    const active = this.chains.active
    this.chains = new Chains(this.wallet.firstChains())
    this.permissions = this.#noPermissions()
    this.policy = new PolicyBook(this.wallet.settings.policy)
    this.batches = new Batches()
    this.history = new History(this.wallet.settings.maxHistory)
    if (this.chains.active !== active) this.emit('chainChanged', this.chains.active)
    for (const [origin, accounts] of this.#accountsByOrigin()) {
      if (accounts.join() !== before.get(origin)?.join()) {
        this.emit('accountsChanged', accounts, origin)
      }
    }
    this.changed()
  }

  /** Calls `listener` after each change of what {@link state} or the history tell; answers the function that ends it. */
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
    }
  }

  /** Whether nobody is here: no client that is pushed to, no request, nobody who waits for one. @param listeners - that are always there */
  isIdle(listeners: number): boolean {
    return (
      this.#connections.size === 0 && this.#underWay.size === 0 && this.#changes.size <= listeners
    )
  }

  /** Remembers that an origin has the provider script. */
  meetProvider(origin: string | null): void {
    if (this.#providers.size < 1000) this.#providers.add(origin)
  }

  /** What follows when an origin has added a chain. */
  afterAdd(origin: string | null): 'stay' | 'switch' | 'decline' {
    return this.wallet.settings.switchAfterAdd ?? (this.#providers.has(origin) ? 'switch' : 'stay')
  }

  /** Whether the same origin has the same question open. */
  isAsking(method: string, origin: string | null): boolean {
    return this.queue.list().some((one) => one.method === method && one.origin === origin)
  }

  /** @throws {LimitError} so that nobody fills the memory, or buries what others ask */
  #admit({ origin, size }: Exchange): void {
    const { maxPending } = this.wallet.settings
    let own = 0
    let text = size
    for (const other of this.#underWay) {
      text += other.size
      if (other.origin === origin) own++
    }
    const all = this.#underWay.size
    if (own < maxPending && all < 10 * maxPending && text <= MOST_TEXT) return
    throw new LimitError(
      `${own} requests of this origin and ${all} in all are under way, which is the wallet's limit: decide some first`,
    )
  }

  #unsupported(name: string): WalletMethod {
    const { unsupportedMethodCode } = this.wallet.settings
    return {
      handle(): never {
        const error: DevnetError = new UnsupportedMethodError(name, unsupportedMethodCode)
        throw error
      },
    }
  }

  #noPermissions(): Permissions {
    return new Permissions(this.wallet.node.accounts[0], this.wallet.settings.autoConnect)
  }

  #accountsByOrigin(): Map<string | null, readonly Hex[]> {
    const origins = new Set(this.#connections.values())
    return new Map([...origins].map((origin) => [origin, this.permissions.accountsOf(origin)]))
  }
}
