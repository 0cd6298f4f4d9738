import { Listeners } from '../chain/listeners.ts'
import { LimitError } from '../errors.ts'
import { toWalletChain } from './chains.ts'
import type { WalletClock } from './clock.ts'
import type { WalletMethod } from './method.ts'
import { walletMethods } from './methodTable.ts'
import type { WalletSettings } from './options.ts'
import { createProbe, type Probe } from './probe.ts'
import { Session } from './session.ts'
import type { WalletChain } from './types.ts'
import type { WalletNode } from './walletNode.ts'

const MOST_SESSIONS = 100

/** What {@link Wallet} works with. */
export interface WalletParameters {
  readonly settings: WalletSettings
  readonly node: WalletNode
  readonly clock: WalletClock
  /** Hears of errors in those who listen. */
  readonly onDefect: (error: unknown) => void
}

/** The wallets of one node: a session each. */
export class Wallet {
  readonly settings: WalletSettings
  readonly node: WalletNode
  readonly clock: WalletClock
  readonly onDefect: (error: unknown) => void
  readonly probe: Probe
  readonly #changes: Listeners<[string]>
  readonly #sessions = new Map<string, Session>()
  #lastId = 0

  constructor({ settings, node, clock, onDefect }: WalletParameters) {
    this.settings = settings
    this.node = node
    this.clock = clock
    this.onDefect = onDefect
    this.probe = createProbe(settings.probe)
    this.#changes = new Listeners(onDefect)
  }

  /** A session by its name, made when it is first asked for. @throws {LimitError} */
  session(name: string): Session {
    const found = this.#sessions.get(name)
    if (found !== undefined) return found
    if (this.#sessions.size >= MOST_SESSIONS) {
      throw new LimitError(`the wallet has ${MOST_SESSIONS} sessions, which is its limit`)
    }
    const made = new Session(name, this)
    made.onChange(() => this.#changes.emit(name))
    this.#sessions.set(name, made)
    return made
  }

  /** Calls `listener` with the name of each session that changes; answers the function that ends it. */
  onChange(listener: (session: string) => void): () => void {
    return this.#changes.add(listener)
  }

  async findMethod(name: string): Promise<WalletMethod | undefined> {
    // An object also answers for `constructor` and its like.
    if (!Object.hasOwn(walletMethods, name)) return undefined
    return (await walletMethods[name]?.())?.default
  }

  /** Rises over all sessions. */
  nextId(): string {
    return String(++this.#lastId)
  }

  /** The chains that are known at the start, the active one first. */
  firstChains(): [WalletChain, ...WalletChain[]] {
    const { chainId } = this.node
    const [first, ...others] = this.settings.knownChains ?? [
      { chainId, symbol: 'ETH', chainName: 'Devnet' },
    ]
    // The options hold at least one.
    return [toWalletChain(first ?? { chainId, symbol: 'ETH' }), ...others.map(toWalletChain)]
  }
}
