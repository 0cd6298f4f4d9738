import { LimitError } from '../../primitives/errors.ts'
import type { HeldBytes } from '../../primitives/heldBytes.ts'
import { heldSize } from '../../primitives/heldSize.ts'
import type { Hex } from '../../primitives/hex.ts'
import type { WalletChain } from '../types.ts'

/** Maximum number of chains per session, since every page may add some. */
const MAX_CHAINS = 1000
/** Most bytes of all added chains together, since they may hold icons. */
const MAX_BYTES = 8 * 1024 * 1024

export class Chains {
  readonly #known: Map<Hex, WalletChain>
  readonly #held: HeldBytes
  /** Bytes of each added chain. */
  readonly #sizes = new Map<Hex, number>()
  /** Id of the active chain, which is one of those known. */
  active: Hex

  /**
   * @param known - the chains known from the start, the active one first
   * @param held - counts those that are added
   */
  constructor(known: readonly [WalletChain, ...WalletChain[]], held: HeldBytes) {
    this.#held = held
    this.#known = new Map(known.map((chain) => [chain.chainId, chain]))
    this.active = known[0].chainId
  }

  find(chainId: Hex): WalletChain | undefined {
    return this.#known.get(chainId)
  }

  list(): WalletChain[] {
    return [...this.#known.values()]
  }

  /** Adds or replaces a chain. @throws {LimitError} if the chains become too many or too long */
  add(chain: WalletChain): void {
    if (!this.#known.has(chain.chainId) && this.#known.size >= MAX_CHAINS) {
      throw new LimitError(`the wallet knows ${MAX_CHAINS} chains, which is its limit`)
    }
    const size = heldSize(chain)
    let all = size
    for (const [chainId, other] of this.#sizes) if (chainId !== chain.chainId) all += other
    if (all > MAX_BYTES) {
      throw new LimitError(
        `with this chain, the known chains would exceed the wallet's limit of ${MAX_BYTES} bytes`,
      )
    }
    this.#held.require(size - (this.#sizes.get(chain.chainId) ?? 0), 'reset the session')
    this.#known.set(chain.chainId, chain)
    this.#sizes.set(chain.chainId, size)
  }
}
