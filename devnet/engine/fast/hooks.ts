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
  /** Calldata or init code. */
  readonly input: () => Uint8Array
}

interface EndedFrame {
  readonly kind: FrameKind
  /** Reason why it failed; `undefined` on success. */
  readonly failure: Halt | undefined
  /** The return data, the revert data or the deployed code. */
  readonly output: () => Uint8Array
}

/** Listens to the frames of an execution. Without one, frames cost nothing more. */
export interface FrameHook {
  readonly hearsOutermost: boolean
  /** @param addLog - adds a log, which goes if the frame fails */
  enter(frame: OpenedFrame, addLog: (log: RawLog) => void): void
  leave(frame: EndedFrame): void
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
