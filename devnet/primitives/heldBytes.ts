import { LimitError } from './errors.ts'

/** Fractions of the limit that are reserved: for the node's chain, and for a branch or session. */
const [CHAIN_FLOOR, FLOOR] = [1 / 8, 1 / 2048] as const
/** Bytes of an object or a list, of one of its fields, and of a short value; V8 takes fewer. */
const [OBJECT, FIELD, VALUE] = [64, 32, 16] as const

interface Whole {
  readonly most: number
  /** Bytes that are held, but at least the floor of each share. */
  claimed: number
  readonly shares: Set<HeldBytes>
}

/**
 * Bytes that a node holds for the clients of one chain or one session of the wallet: its share of
 * the node's account. Below its floor, a share has room whatever others hold; above, while the node
 * has. Numbers alone, because each transaction is counted here.
 */
export class HeldBytes {
  #whole: Whole
  readonly #floor: number
  readonly #forget: () => boolean
  #held = 0

  private constructor(whole: Whole, part: number, forget = () => false) {
    this.#whole = whole
    this.#floor = Math.floor(whole.most * part)
    this.#forget = forget
    whole.claimed += this.#floor
    whole.shares.add(this)
  }

  /** The account of a node, and the share of its chain. @param most - Default: no limit */
  static ofNode(most = Number.MAX_SAFE_INTEGER): HeldBytes {
    return new HeldBytes({ most, claimed: 0, shares: new Set() }, CHAIN_FLOOR)
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

  /** Holds bytes if there is room, for which some may be forgotten; returns whether there is. */
  take(bytes: number): boolean {
    const whole = this.#whole
    const more = this.#growth(bytes)
    const isFull = () => more > 0 && whole.claimed + more > whole.most
    for (const share of whole.shares) {
      while (isFull() && share.#held > share.#floor && share.#forget());
    }
    if (isFull()) return false
    this.add(bytes)
    return true
  }

  /** @param cure - what a client can do @throws {LimitError} if there is no room */
  require(bytes: number, cure: string): void {
    if (this.take(bytes)) return
    throw new LimitError(
      `the node would hold more than ${this.#whole.most} bytes for its clients, which is its limit; ${cure}, or start the node with a higher --max-held-size`,
    )
  }

  /** Holds bytes that cannot be refused; negative ones are given back. */
  add(bytes: number): void {
    this.#whole.claimed += this.#growth(bytes)
    this.#held += bytes
  }

  /** Gives all back. From then on, the share counts for nobody. */
  close(): void {
    this.#whole.claimed -= Math.max(this.#held, this.#floor)
    this.#whole.shares.delete(this)
    this.#whole = { ...this.#whole, claimed: 0, shares: new Set() }
  }

  /** Bytes that the share would claim besides. */
  #growth(bytes: number): number {
    return Math.max(this.#held + bytes, this.#floor) - Math.max(this.#held, this.#floor)
  }
}

/** Bytes of a filter or a subscription: of what it asks for as it was given, and as compared. */
export function watchSize(asked: unknown): number {
  return 1024 + 2 * heldSize(asked)
}

/** Bytes that a JSON value takes in memory, rather too many than too few. */
export function heldSize(value: unknown): number {
  if (typeof value === 'string') return VALUE + 2 * value.length
  if (typeof value !== 'object' || value === null) return VALUE
  let size = OBJECT
  if (Array.isArray(value)) for (const item of value) size += heldSize(item)
  else {
    for (const [name, field] of Object.entries(value)) {
      size += FIELD + 2 * name.length + heldSize(field)
    }
  }
  return size
}
