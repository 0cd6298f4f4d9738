interface Entry<Item> {
  /** Read after the blocks up to this number. */
  readonly after: number
  readonly item: Item
}

/**
 * Entries that a filter has still to return of blocks that reorganisations have taken back, in
 * order.
 */
export class TakenBack<Item> {
  /** With rising `after`. */
  #entries: Entry<Item>[] = []

  get items(): readonly Item[] {
    return this.#entries.map(({ item }) => item)
  }

  /**
   * Notes a reorganisation.
   *
   * @param common - number of the newest block that stays
   * @param unread - of the abandoned blocks, each with the number of its block, oldest first
   * @param removed - comes behind all that is noted of the abandoned blocks
   */
  add(
    common: number,
    unread: readonly { readonly number: number; readonly item: Item }[],
    removed: readonly Item[] = [],
  ): void {
    // Sorted by number: a block comes after the entries for its parent, and before its own.
    const own = unread.map(({ number, item }) => ({ after: number - 0.5, item }))
    this.#entries = [...this.#entries, ...own].sort((one, other) => one.after - other.after)
    this.follow(common)
    for (const item of removed) this.#entries.push({ after: common, item })
  }

  /** Forgets the oldest items, so that `most` are left. */
  limit(most: number): void {
    this.#entries.splice(0, Math.max(0, this.#entries.length - most))
  }

  /** Adjusts the places to a chain that may have become shorter. */
  follow(head: number): void {
    if ((this.#entries.at(-1)?.after ?? 0) <= head) return
    this.#entries = this.#entries.map(({ after, item }) => ({ after: Math.min(after, head), item }))
  }

  /** The item that comes before the block of this number, if there is one. */
  before(number: number): Item | undefined {
    const [entry] = this.#entries
    return entry === undefined || entry.after >= number ? undefined : entry.item
  }

  /** Forgets the item that {@link before} has returned. */
  next(): void {
    this.#entries.shift()
  }
}
