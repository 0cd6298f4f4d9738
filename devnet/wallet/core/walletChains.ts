import { LimitError } from '../../primitives/errors.ts'
import { type HeldBytes, heldSize } from '../../primitives/heldBytes.ts'
import type { Hex } from '../../primitives/hex.ts'
import type { WalletChain } from '../types.ts'

/** Most bytes of all chains of a session: every page may add some, and they may hold icons. */
const MAX_BYTES = 8 * 1024 * 1024

export class Chains {
  readonly #known: Map<Hex, WalletChain>
  readonly #held: HeldBytes
  /** Id of the active chain, which is one of those known. */
  active: Hex

  /**
   * @param known - the chains known from the start, the active one first
   * @param held - counts all
   */
  constructor(known: readonly [WalletChain, ...WalletChain[]], held: HeldBytes) {
    this.#held = held
    this.#known = new Map(known.map((chain) => [chain.chainId, chain]))
    this.active = known[0].chainId
    held.add(heldSize(known))
  }

  find(chainId: Hex): WalletChain | undefined {
    return this.#known.get(chainId)
  }

  list(): WalletChain[] {
    return [...this.#known.values()]
  }

  /** Adds or replaces a chain. @throws {LimitError} if the chains become too large */
  add(chain: WalletChain): void {
    const others = this.list().filter(({ chainId }) => chainId !== chain.chainId)
    const bytes = heldSize([...others, chain])
    if (bytes > MAX_BYTES) {
      throw new LimitError(`the wallet's chains would exceed its limit of ${MAX_BYTES} bytes`)
    }
    this.#held.require(bytes - heldSize(this.list()), 'reset the session')
    this.#known.set(chain.chainId, chain)
  }
}
