import type { UpstreamTime } from '../client/upstreamTime.ts'

/** An answer about a block: its kind, what tells it from others, and its value. Plain JSON. */
export type Entry = readonly [kind: string, ...fields: unknown[]]

/** Keeps what an upstream has said about one block for later runs. */
export interface Keeper {
  /** Path of its file; `undefined` if nothing is kept for later runs. */
  readonly path?: string
  /** True if it keeps the answers to all requests that were passed on, errors included. */
  readonly keepsAll?: boolean
  /**
   * Gives all that is kept, as far as it is whole. A stranger may have written it.
   *
   * @param take - gets each entry with its characters
   */
  load(take: (entry: readonly unknown[], size: number) => void): Promise<void>
  /** Keeps an entry that is not kept yet; it is written soon. */
  keep(entry: Entry): void
  /** Writes what is not written yet. */
  close(): Promise<void>
}

export const NO_KEEPER: Keeper = {
  load: async () => undefined,
  keep: () => undefined,
  close: async () => undefined,
}

/** ms after which what is kept is written, together with what came meanwhile. */
const WRITE_INTERVAL = 250

/** Delays and joins writes, and never runs two at once. */
export class SoonWriter {
  readonly #time: UpstreamTime
  readonly #write: () => Promise<void>
  readonly #onFailure: (error: unknown) => void
  #cancel: (() => void) | undefined
  #writing: Promise<void> = Promise.resolve()

  /** @param onFailure - hears each time that `write` fails: a full disk must not end a chain */
  constructor(time: UpstreamTime, write: () => Promise<void>, onFailure: (error: unknown) => void) {
    this.#time = time
    this.#write = write
    this.#onFailure = onFailure
  }

  writeSoon(): void {
    this.#cancel ??= this.#time.after(WRITE_INTERVAL, () => this.#writeNow())
  }

  /** Writes now, if that is to happen soon. */
  async close(): Promise<void> {
    if (this.#cancel !== undefined) this.#writeNow()
    await this.#writing
  }

  #writeNow(): void {
    this.#cancel?.()
    this.#cancel = undefined
    this.#writing = this.#writing.then(this.#write).catch(this.#onFailure)
  }
}
