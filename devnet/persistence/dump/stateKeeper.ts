import type { SaveEvent } from '../../types.ts'
import type { SavedFile } from '../savedFile.ts'
import { type Capture, dumpChunks, packedDump } from './dumpText.ts'

interface StateKeeperParameters {
  readonly file: SavedFile
  /** ms from the end of one save to the beginning of the next. */
  readonly interval: number
  readonly capture: () => Promise<Capture>
  readonly onSave: (event: SaveEvent) => void
  /** Called if another program has changed the file: that version now has this path. */
  readonly onSetAside: (path: string) => void
  /** Called with the error if a save fails while the node runs; the next save tries again. */
  readonly onFailure: (error: unknown) => void
}

/** Saves the chain to a file at intervals, and when the node stops. */
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

  /** Ends the saves at intervals, one in progress included; only {@link saveLast} follows. */
  stop(): void {
    clearTimeout(this.#timer)
    this.#stopped.abort()
  }

  /**
   * Saves for the last time; to be called after {@link stop}.
   *
   * @param capture - the chain after its last change
   * @throws {ChainFileError} if it cannot be saved
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
      // `stop` aborts this save; `saveLast` follows and reports its own failure.
      if (!this.#stopped.signal.aborted) onFailure(error)
    } finally {
      if (!this.#stopped.signal.aborted) this.start()
    }
  }

  async #save(capture: Capture, signal?: AbortSignal): Promise<void> {
    const { file, onSave, onSetAside } = this.#parameters
    const { path } = file
    const start = performance.now()
    const head = capture.blocks.at(-1)?.block
    try {
      const { size, foreign } = await file.save(bytesOf(path, capture, signal))
      if (foreign !== undefined) onSetAside(foreign)
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
