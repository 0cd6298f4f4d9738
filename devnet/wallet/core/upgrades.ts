import { type Hex, isBytes, quantity } from '../../primitives/hex.ts'
import { SerialQueue } from '../../primitives/serialQueue.ts'
import type { WalletNode } from './types.ts'

interface Upgrade {
  readonly hash: Hex
  /** The nonce after it and what was sent behind it. */
  next: bigint
}

/**
 * Upgrades of accounts that wait for their tick. An upgrade takes two nonces, that of its
 * transaction and that of its authorization; the node counts one until it is executed.
 */
export class Upgrades {
  readonly #node: Pick<WalletNode, 'isWaiting' | 'nextNonce'>
  readonly #waiting = new Map<Hex, Upgrade>()
  /** Sends that get a nonce here, one after the other. */
  readonly #sends = new SerialQueue()
  /** Sends under way that get a nonce from the node. */
  readonly #others = new Set<Promise<unknown>>()

  constructor(node: Pick<WalletNode, 'isWaiting' | 'nextNonce'>) {
    this.#node = node
  }

  /**
   * Sends a transaction of the node's chain, behind an upgrade of its sender that still waits.
   *
   * @param nonce - `undefined`: the next one
   */
  async behind(
    from: Hex,
    nonce: Hex | undefined,
    send: (fields: object) => Promise<unknown>,
  ): Promise<unknown> {
    if (nonce !== undefined) return await send({})
    if (!this.#waiting.has(from) && !this.#sends.busy) return await this.#byNode(send)
    return await this.#sends.run(async () => {
      const upgrade = this.#waitingOf(from)
      if (upgrade === undefined) return await send({})
      const answer = await send({ nonce: quantity(upgrade.next) })
      upgrade.next++
      return answer
    })
  }

  /** Sends a transaction that upgrades its sender. @param send - given its nonce */
  async upgrade(from: Hex, send: (nonce: bigint) => Promise<Hex>): Promise<Hex> {
    return await this.#sends.run(async () => {
      await Promise.allSettled(this.#others)
      const nonce = this.#waitingOf(from)?.next ?? this.#node.nextNonce(from)
      const hash = await send(nonce)
      if (isBytes(hash, 32)) this.#waiting.set(from, { hash, next: nonce + 2n })
      return hash
    })
  }

  async #byNode(send: (fields: object) => Promise<unknown>): Promise<unknown> {
    const answer = send({})
    this.#others.add(answer)
    try {
      return await answer
    } finally {
      this.#others.delete(answer)
    }
  }

  #waitingOf(from: Hex): Upgrade | undefined {
    const upgrade = this.#waiting.get(from)
    if (upgrade === undefined || this.#node.isWaiting(upgrade.hash)) return upgrade
    this.#waiting.delete(from)
    return undefined
  }
}
