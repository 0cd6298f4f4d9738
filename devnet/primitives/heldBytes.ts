import { LimitError } from './errors.ts'

/** Parts of the whole that are a share's own: of the node's chain, and of a branch or a session. */
const [CHAIN_FLOOR, FLOOR] = [1 / 8, 1 / 2048] as const

interface Whole {
  readonly most: number
  /** Bytes that are held, but at least the floor of each share. */
  claimed: number
  /** The shares that can forget something. */
  readonly forgetful: Set<HeldBytes>
}

/**
 * Bytes that a node holds for the clients of one chain or one session of the wallet: its share of
 * the node's account. Below its floor, a share has room whatever others hold; above, while the node
 * has. Numbers alone, because each transaction is counted here.
 */
export class HeldBytes {
  #whole: Whole
  readonly #floor: number
  readonly #forget: (() => boolean) | undefined
  #held = 0

  private constructor(whole: Whole, part: number, forget?: () => boolean) {
    this.#whole = whole
    this.#floor = Math.floor(whole.most * part)
    this.#forget = forget
    whole.claimed += this.#floor
    if (forget !== undefined) whole.forgetful.add(this)
  }

  /** The account of a node, and the share of its chain. @param most - Default: no limit */
  static ofNode(most = Number.MAX_SAFE_INTEGER): HeldBytes {
    return new HeldBytes({ most, claimed: 0, forgetful: new Set() }, CHAIN_FLOOR)
  }

  /**
   * Opens the share of a branch or a session beside this one.
   *
   * @param forget - gives back the oldest of what may be forgotten, if the node needs the room;
   * returns false if there is nothing left. Default: nothing may be
   */
  open(forget?: () => boolean): HeldBytes {
    return new HeldBytes(this.#whole, FLOOR, forget)
  }

  /** Bytes that all shares together hold, or have as their own. */
  get claimed(): number {
    return this.#whole.claimed
  }

  /** Holds bytes if there is room; returns whether there is. */
  take(bytes: number): boolean {
    const more = this.#claim(this.#held + bytes) - this.#claim(this.#held)
    while (more > 0 && this.#whole.claimed + more > this.#whole.most) {
      if (!this.#makeRoom()) return false
    }
    this.add(bytes)
    return true
  }

  /** @throws {LimitError} {@link full}, if there is no room */
  require(bytes: number, cure: string): void {
    if (!this.take(bytes)) throw this.full(cure)
  }

  /** The error of who finds no room. @param cure - what a client can do */
  full(cure: string): LimitError {
    return new LimitError(
      `the node would hold more than ${this.#whole.most} bytes for its clients, which is its limit; ${cure}, or start the node with a higher --max-held-size`,
    )
  }

  /** Holds bytes that cannot be refused; negative ones are given back. */
  add(bytes: number): void {
    this.#whole.claimed += this.#claim(this.#held + bytes) - this.#claim(this.#held)
    this.#held += bytes
  }

  /** Gives all back. From then on, the share counts for nobody. */
  close(): void {
    this.#whole.claimed -= this.#claim(this.#held)
    this.#whole.forgetful.delete(this)
    this.#whole = { ...this.#whole, claimed: 0, forgetful: new Set() }
  }

  #claim(held: number): number {
    return held > this.#floor ? held : this.#floor
  }

  /** Has a share forget something that is above its floor. */
  #makeRoom(): boolean {
    for (const share of this.#whole.forgetful) {
      if (share.#held > share.#floor && share.#forget?.() === true) return true
    }
    return false
  }
}
