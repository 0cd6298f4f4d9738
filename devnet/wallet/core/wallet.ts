import type { WalletSettings } from '../../options/walletOptions.ts'
import { LimitError } from '../../primitives/errors.ts'
import { Listeners } from '../../primitives/listeners.ts'
import type { WalletChain } from '../types.ts'
import { createProbe, type Probe } from './probe.ts'
import { Session } from './session.ts'
import { toWalletChain } from './walletChains.ts'
import type { WalletClock } from './walletClock.ts'
import type { WalletMethod } from './walletMethod.ts'
import { walletMethods } from './walletMethods.ts'
import type { WalletNode } from './walletNode.ts'

/** A run of tests may use a new one for each test, so that the ones that nobody uses any more make room. */
const MOST_SESSIONS = 250

/** What {@link Wallet} works with. */
export interface WalletParameters {
  readonly settings: WalletSettings
  readonly node: WalletNode
  readonly clock: WalletClock
  /** Hears of errors in those who listen. */
  readonly onInternalError: (error: unknown) => void
}

/** The wallets of one node: a session each. */
export class Wallet {
  readonly settings: WalletSettings
  readonly node: WalletNode
  readonly clock: WalletClock
  readonly onInternalError: (error: unknown) => void
  readonly probe: Probe
  readonly #changes: Listeners<[string]>
  readonly #sessions = new Map<string, Session>()
  #lastId = 0

  constructor({ settings, node, clock, onInternalError }: WalletParameters) {
    this.settings = settings
    this.node = node
    this.clock = clock
    this.onInternalError = onInternalError
    this.probe = createProbe(settings.probe)
    this.#changes = new Listeners(onInternalError)
  }

  /**
   * A session by its name, made when it is first asked for.
   *
   * @throws {LimitError} when there are too many, and all are in use
   */
  session(name: string): Session {
    const found = this.#sessions.get(name)
    if (found === undefined && this.#sessions.size >= MOST_SESSIONS) this.#forgetOne()
    const session = found ?? this.#makeSession(name)
    // The one that was used last is at the end.
    this.#sessions.delete(name)
    this.#sessions.set(name, session)
    return session
  }

  /** Calls `listener` with the name of each session that changes; answers the function that ends it. */
  onChange(listener: (session: string) => void): () => void {
    return this.#changes.add(listener)
  }

  #makeSession(name: string): Session {
    const made = new Session(name, this)
    made.onChange(() => this.#changes.emit(name))
    return made
  }

  /** Forgets the session that has been idle for longest. @throws {LimitError} */
  #forgetOne(): void {
    for (const [name, session] of this.#sessions) {
      if (name === 'default' || !session.isIdle(1)) continue
      this.#sessions.delete(name)
      return
    }
    throw new LimitError(`the wallet has ${MOST_SESSIONS} sessions in use, which is its limit`)
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
