import type { KnownChain } from '../../options/walletOptions.ts'
import { LimitError } from '../../primitives/errors.ts'
import type { Hex } from '../../primitives/hex.ts'
import type { WalletChain } from '../types.ts'

/** Chains that one session can hold, because every page may add some. */
const MOST_CHAINS = 1000
/** Characters of JSON that they may have together, because their icons may be in them. */
const MOST_TEXT = 4 * 1024 * 1024

/** The chains that a session knows, and the one that is active. */
export class Chains {
  readonly #known: Map<Hex, WalletChain>
  /** Characters of JSON, of those that were added. */
  readonly #sizes = new Map<Hex, number>()
  #active: Hex

  /** @param known - the active one first */
  constructor(known: readonly [WalletChain, ...WalletChain[]]) {
    this.#known = new Map(known.map((chain) => [chain.chainId, chain]))
    this.#active = known[0].chainId
  }

  /** Chain id. */
  get active(): Hex {
    return this.#active
  }

  find(chainId: Hex): WalletChain | undefined {
    return this.#known.get(chainId)
  }

  list(): WalletChain[] {
    return [...this.#known.values()]
  }

  /** Adds a chain, or replaces what is known of it: each chain id is there once. @throws {LimitError} */
  add(chain: WalletChain): void {
    if (!this.#known.has(chain.chainId) && this.#known.size >= MOST_CHAINS) {
      throw new LimitError(`the wallet knows ${MOST_CHAINS} chains, which is its limit`)
    }
    const size = JSON.stringify(chain).length
    let text = size
    for (const [chainId, other] of this.#sizes) if (chainId !== chain.chainId) text += other
    if (text > MOST_TEXT) {
      throw new LimitError(
        `the chains that the wallet knows have over ${MOST_TEXT} characters with this one, which is its limit`,
      )
    }
    this.#known.set(chain.chainId, chain)
    this.#sizes.set(chain.chainId, size)
  }

  /** @returns whether another one was active; the chain must be known */
  activate(chainId: Hex): boolean {
    if (chainId === this.#active) return false
    this.#active = chainId
    return true
  }
}

/** A chain of which little is known. */
export function toWalletChain({ chainId, symbol, chainName, rpcUrls }: KnownChain): WalletChain {
  return {
    chainId,
    chainName: chainName ?? `Chain ${BigInt(chainId)}`,
    nativeCurrency: { name: symbol, symbol, decimals: 18 },
    rpcUrls: rpcUrls ?? [],
    blockExplorerUrls: [],
    iconUrls: [],
  }
}
