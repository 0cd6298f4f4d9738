import { checksumAddress } from '../../json/formatPool.ts'
import type { KnownChain, WalletSettings } from '../../options/walletOptions.ts'
import type { WalletBatch } from '../../persistence/dump/walletBatches.ts'
import { LimitError } from '../../primitives/errors.ts'
import type { Hex } from '../../primitives/hex.ts'
import { Listeners } from '../../primitives/listeners.ts'
import { createNaming, type NamingSource } from '../../rpc/naming/contractNames.ts'
import type { WalletChain } from '../types.ts'
import { MAX_BATCHES } from './batches.ts'
import { Nonces } from './nonces.ts'
import { createProbe, type Probe } from './probe.ts'
import type { WalletClock } from './requestQueue.ts'
import { Session } from './session.ts'
import type { WalletNode } from './types.ts'

/** Maximum number of sessions (tests may open one each). A new one replaces the longest idle. */
const MAX_SESSIONS = 250

/** Wall time. Its timers do not keep the process alive. */
const WALL_CLOCK: WalletClock = {
  now: Date.now,
  after(ms, run) {
    const timer = setTimeout(run, ms).unref()
    return () => clearTimeout(timer)
  },
}

/** The mock wallet of one node. Each of its sessions is a wallet of its own. */
export class Wallet {
  readonly settings: WalletSettings
  readonly node: WalletNode
  readonly nonces = new Nonces()
  readonly clock: WalletClock
  readonly onInternalError: (error: unknown) => void
  readonly probe: Probe
  /** Names what transactions call. */
  readonly naming: NamingSource
  readonly #changes: Listeners<[string]>
  readonly #sessions = new Map<string, Session>()
  #lastId = 0

  /** @param onInternalError - called with errors that listeners throw */
  constructor({
    settings,
    node,
    clock = WALL_CLOCK,
    onInternalError,
  }: {
    readonly settings: WalletSettings
    readonly node: WalletNode
    readonly clock?: WalletClock
    readonly onInternalError: (error: unknown) => void
  }) {
    this.settings = settings
    this.node = node
    this.clock = clock
    this.onInternalError = onInternalError
    this.probe = createProbe(settings.probe)
    const { keccak256 } = node
    this.naming = createNaming({ contracts: node.contracts, keccak256, onInternalError })
    this.#changes = new Listeners(onInternalError)
    node.onAnew(() => {
      for (const session of this.#sessions.values()) session.beginAnew()
    })
  }

  /**
   * Returns the session with this name, creating it on first use.
   *
   * @throws {LimitError} if a new session is needed and all existing ones are in use
   */
  session(name: string): Session {
    let session = this.#sessions.get(name)
    if (session === undefined) {
      if (this.#sessions.size >= MAX_SESSIONS) this.#forgetOne()
      session = new Session(name, this)
      session.onChange(() => this.#changes.emit(name))
    }
    // Moved to the end: the map is ordered by last use.
    this.#sessions.delete(name)
    this.#sessions.set(name, session)
    return session
  }

  /** An address with its checksum, and with its number if it is one of the node's accounts. */
  readonly describe = (address: Hex): string => {
    const number = this.node.accounts.indexOf(address)
    const text = this.checksum(address)
    return number < 0 ? text : `${text} (account #${number})`
  }

  /** An address with its checksum as letter case (EIP-55). */
  checksum(address: Hex): Hex {
    return checksumAddress(address, this.node.keccak256)
  }

  /** Calls `listener` with the name of each changed session. Returns a function that removes it. */
  onChange(listener: (session: string) => void): () => void {
    return this.#changes.add(listener)
  }

  /** Number of requests that wait for a decision, in all sessions. */
  get waiting(): number {
    return [...this.#sessions.values()].reduce((sum, { queue }) => sum + queue.list().length, 0)
  }

  /** The newest batches of all sessions, also of those that nobody has used since the start. */
  get batches(): readonly WalletBatch[] {
    const unused = this.node.savedBatches.filter(({ session }) => !this.#sessions.has(session))
    const used = [...this.#sessions.values()].flatMap(({ batches }) => batches.list())
    return [...unused, ...used].slice(-MAX_BATCHES)
  }

  /** Id for a new request; ids rise across all sessions. */
  nextId(): string {
    return String(++this.#lastId)
  }

  /** The chains known at the start, the active one first. */
  firstChains(): [WalletChain, ...WalletChain[]] {
    const { chainId } = this.node
    const own = { chainId, symbol: 'ETH', chainName: 'Devnet' }
    // `first = own` is only for the types: the option allows no empty list.
    const [first = own, ...others] = this.settings.knownChains ?? [own]
    return [toWalletChain(first), ...others.map(toWalletChain)]
  }

  /** Drops the session that has been idle for longest. @throws {LimitError} if all are in use */
  #forgetOne(): void {
    for (const [name, session] of this.#sessions) {
      if (name === 'default' || !session.isIdle(1)) continue
      this.#sessions.delete(name)
      session.history.held.close()
      return
    }
    throw new LimitError(`the wallet has ${MAX_SESSIONS} sessions in use, which is its limit`)
  }
}

function toWalletChain({ chainId, symbol, chainName, rpcUrls }: KnownChain): WalletChain {
  return {
    chainId,
    chainName: chainName ?? `Chain ${BigInt(chainId)}`,
    nativeCurrency: { name: symbol, symbol, decimals: 18 },
    rpcUrls: rpcUrls ?? [],
    blockExplorerUrls: [],
    iconUrls: [],
  }
}
