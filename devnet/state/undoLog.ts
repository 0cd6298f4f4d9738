import type { AccountRecord, AddressKey, SlotKey, StorageDiff } from './types.ts'
import { StateUsageError } from './usageError.ts'

/** How to take back one write: what stood there before, `undefined` where nothing did. */
export type UndoStep =
  | {
      readonly kind: 'account'
      readonly key: AddressKey
      readonly before: AccountRecord | null | undefined
    }
  | { readonly kind: 'storage'; readonly key: AddressKey; readonly before: StorageDiff | undefined }
  | {
      readonly kind: 'slot'
      /** The Map itself: the account may have got another one since, which a later step takes back first. */
      readonly slots: Map<SlotKey, Uint8Array>
      readonly slot: SlotKey
      readonly before: Uint8Array | undefined
    }

/** The writes since the outermost open checkpoint. */
export class UndoLog {
  readonly #steps: UndoStep[] = []
  /** Number of steps at each open checkpoint. */
  readonly #checkpoints: number[] = []

  /** Whether a checkpoint is open: only then does a write need a step. */
  get isOpen(): boolean {
    return this.#checkpoints.length > 0
  }

  add(step: UndoStep): void {
    this.#steps.push(step)
  }

  open(): void {
    this.#checkpoints.push(this.#steps.length)
  }

  /** Closes the newest checkpoint and keeps the writes. @throws {StateUsageError} without one */
  keep(): void {
    this.#close()
    if (this.#checkpoints.length === 0) this.#steps.length = 0
  }

  /** Closes the newest checkpoint and gives its writes to `undo`, newest first. @throws {StateUsageError} without one */
  takeBack(undo: (step: UndoStep) => void): void {
    const start = this.#close()
    for (let index = this.#steps.length - 1; index >= start; index--) {
      const step = this.#steps[index]
      if (step !== undefined) undo(step)
    }
    this.#steps.length = start
  }

  clear(): void {
    this.#steps.length = 0
    this.#checkpoints.length = 0
  }

  #close(): number {
    const start = this.#checkpoints.pop()
    if (start === undefined) throw new StateUsageError('no checkpoint is open')
    return start
  }
}
