import { textToBytes } from '../../primitives/bytes.ts'
import type { Halt } from '../../protocol/halt.ts'
import type { RawLog } from '../../protocol/receipt.ts'
import type { AddressKey } from '../../state/types.ts'
import { transferLog } from '../transferTrace.ts'
import type { FrameKind } from '../types.ts'

export interface OpenedFrame {
  readonly kind: FrameKind
  readonly from: AddressKey
  /** The account whose code runs, or that is created. */
  readonly to: AddressKey
  /** wei that move; of a DELEGATECALL those of its caller, which do not move again. */
  readonly value: bigint
  /** Gas that it may use, its stipend included. */
  readonly gas: number
  /** Calldata or init code. */
  readonly input: () => Uint8Array
}

export interface EndedFrame {
  readonly kind: FrameKind
  /** Reason why it failed; `undefined` on success. */
  readonly failure: Halt | undefined
  /** The opcode if it failed because the hardfork lacks it, or excludes its immediate. */
  readonly opcode: () => number | undefined
  /** Gas that it has used; unknown of a frame that took more gas than there was for it. */
  readonly gasUsed: number
  /** The return data, the revert data or the deployed code. */
  readonly output: () => Uint8Array
}

/** Listens to the frames of an execution. Without one, frames cost nothing more. */
export interface FrameHook {
  readonly hearsOutermost: boolean
  /** @param addLog - adds a log, which goes if the frame fails */
  enter(frame: OpenedFrame, addLog: (log: RawLog) => void): void
  leave(frame: EndedFrame): void
  /** A call or a creation cannot open its frame, and goes on without. */
  refuse?(frame: OpenedFrame, failure: Halt): void
  /** Called when a contract emits a log, which goes if its frame fails. */
  log?(log: RawLog): void
}

/** Adds a log for each transfer of ether. */
export class TransferHook implements FrameHook {
  readonly hearsOutermost = true

  enter({ kind, from, to, value }: OpenedFrame, addLog: (log: RawLog) => void): void {
    if (value === 0n || kind === 'CALLCODE' || kind === 'DELEGATECALL') return
    addLog(transferLog(textToBytes(from), textToBytes(to), value))
  }

  leave(): void {}
}

/** Lets one hook hear of all frames, and another one of the inner frames. */
export class BothHooks implements FrameHook {
  readonly hearsOutermost = true
  readonly #all: FrameHook
  readonly #inner: FrameHook
  #depth = 0

  constructor(all: FrameHook, inner: FrameHook) {
    this.#all = all
    this.#inner = inner
  }

  enter(frame: OpenedFrame, addLog: (log: RawLog) => void): void {
    if (this.#depth++ > 0) this.#inner.enter(frame, addLog)
    this.#all.enter(frame, addLog)
  }

  leave(frame: EndedFrame): void {
    if (--this.#depth > 0) this.#inner.leave(frame)
    this.#all.leave(frame)
  }

  refuse(frame: OpenedFrame, failure: Halt): void {
    this.#all.refuse?.(frame, failure)
  }

  log(log: RawLog): void {
    this.#all.log?.(log)
  }
}
