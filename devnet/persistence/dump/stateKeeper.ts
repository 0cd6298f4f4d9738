import type { SaveEvent } from '../../types.ts'
import type { Capture } from './capture.ts'
import { dumpChunks, packedDump } from './dumpText.ts'
import { writeWhole } from './stateFile.ts'

export interface StateKeeperParameters {
  readonly path: string
  /** ms from the end of one save to the beginning of the next. */
  readonly interval: number
  /** Takes hold of the chain. */
  readonly capture: () => Promise<Capture>
  readonly onSave: (event: SaveEvent) => void
  /** Hears why a save failed while the node runs; the next one tries again. */
  readonly onFailure: (error: unknown) => void
}

/** Saves the chain to a file now and then, and at the end. */
export class StateKeeper {
  readonly #parameters: StateKeeperParameters
  readonly #stopped = new AbortController()
  #timer: NodeJS.Timeout | undefined
  #saving: Promise<void> = Promise.resolve()

  constructor(parameters: StateKeeperParameters) {
    this.#parameters = parameters
  }

  start(): void {
    this.#timer = setTimeout(() => {
      this.#saving = this.#saveNow()
    }, this.#parameters.interval)
    this.#timer.unref()
  }

  /** Saves no more but by {@link saveLast}. */
  stop(): void {
    clearTimeout(this.#timer)
    this.#stopped.abort()
  }

  /**
   * Saves for the last time, after {@link stop}.
   *
   * @param capture - of the chain at its end
   * @throws {ChainFileError} where it cannot be saved
   */
  async saveLast(capture: Capture): Promise<void> {
    await this.#saving
    await this.#save(capture)
  }

  async #saveNow(): Promise<void> {
    const { capture, onFailure } = this.#parameters
    try {
      await this.#save(await capture(), this.#stopped.signal)
    } catch (error) {
      // Where the node stops, this was ended for the last save, which says why if that fails too.
      if (!this.#stopped.signal.aborted) onFailure(error)
    } finally {
      if (!this.#stopped.signal.aborted) this.start()
    }
  }

  async #save(capture: Capture, signal?: AbortSignal): Promise<void> {
    const { path, onSave } = this.#parameters
    const start = performance.now()
    const head = capture.blocks.at(-1)?.block
    try {
      const size = await writeWhole(path, bytesOf(path, capture, signal))
      if (head === undefined) return
      const { number, hash } = head
      onSave({ file: path, number, hash, size, elapsed: performance.now() - start })
    } finally {
      capture.release()
    }
  }
}

async function* bytesOf(
  path: string,
  capture: Capture,
  signal: AbortSignal | undefined,
): AsyncGenerator<Uint8Array> {
  if (path.endsWith('.gz')) yield await packedDump(capture, signal)
  else yield* dumpChunks(capture, signal)
}
