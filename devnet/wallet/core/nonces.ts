import type { Hex } from '../../primitives/hex.ts'
import { setNewest } from '../../primitives/memo.ts'
import { SerialQueue } from '../../primitives/serialQueue.ts'

/**
 * Most accounts whose nonces are kept, those of a chain each, and most transactions of each: a page
 * may give nonces far ahead. Those used least recently are dropped first.
 */
const MAX_KEPT = 1000

/** The nonces of a chain, as far as it shows them. */
export interface NonceSource {
  /** Identifies the chain: several RPCs may have the same chain id. */
  readonly place: string
  /** The nonce of an account after all that the chain counts. */
  nextNonce(account: Hex): bigint | Promise<bigint>
  /** True if a transaction takes its nonce, whether or not the chain counts it already. */
  takesNonce(hash: Hex): boolean | Promise<boolean>
}

const newAccount = () => ({
  sends: new SerialQueue(),
  /** Hash of what was sent with each nonce that the chain may not count yet. */
  sent: new Map<bigint, Hex>(),
})

/**
 * The nonces of what the wallet sends. A chain with a tick counts a transaction only from then on,
 * and an upgrade, which takes a second nonce for its authorization, as one until it is executed. So
 * these are kept, and the chain is asked whether it still has them: it may have begun anew.
 */
export class Nonces {
  readonly #accounts = new Map<string, ReturnType<typeof newAccount>>()

  /**
   * Sends a transaction with the next nonce of its account, one after the other.
   *
   * @param nonce - is taken if given, without a turn: others may wait for it
   * @param count - how many nonces it takes. Default: 1
   */
  async send(
    chain: NonceSource,
    { from, nonce, count = 1 }: { from: Hex; nonce?: Hex | undefined; count?: number },
    send: (nonce: bigint) => Promise<Hex>,
  ): Promise<Hex> {
    const key = `${chain.place} ${from}`
    const account = this.#accounts.get(key) ?? newAccount()
    setNewest(this.#accounts, key, account, MAX_KEPT)
    const { sends, sent } = account
    const sendWith = async (first: bigint) => {
      const hash = await send(first)
      for (let index = 0; index < count; index++) {
        setNewest(sent, first + BigInt(index), hash, MAX_KEPT)
      }
      return hash
    }
    if (nonce !== undefined) return await sendWith(BigInt(nonce))
    return await sends.run(async () => {
      let next = await chain.nextNonce(from)
      for (const old of sent.keys()) if (old < next) sent.delete(old)
      for (let hash = sent.get(next); hash !== undefined; hash = sent.get(++next)) {
        if (!(await chain.takesNonce(hash))) break
      }
      return await sendWith(next)
    })
  }
}
