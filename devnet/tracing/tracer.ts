import type { TypedTransaction } from '@ethereumjs/tx'
import type { RunState } from '../engine/evmInternals.ts'
import { ExecutionAbortedError } from '../engine/scheduler.ts'
import type { BlockContext, Execution } from '../engine/types.ts'
import { LimitError } from '../primitives/errors.ts'
import type { Hex } from '../primitives/hex.ts'
import type { ForkRules } from '../protocol/forks.ts'
import type { AddressKey, Keccak256, StateReader } from '../state/types.ts'

/** Where a traced transaction stands. */
export interface TransactionLocation {
  /** `undefined` while the block is not sealed. */
  readonly blockHash: Hex | undefined
  readonly blockNumber: bigint
  readonly hash: Hex
  /** In the block. */
  readonly index: number
}

/** What a tracer can look at. */
export interface TraceContext {
  /** As it is whenever it is asked: before, during and after the transaction. */
  readonly state: StateReader
  readonly rules: ForkRules
  readonly block: BlockContext
  readonly tx: TypedTransaction
  /** 20 bytes of the sender. */
  readonly from: Uint8Array
  /** Whether there is a precompile at these 20 bytes. */
  readonly isPrecompile: (address: Uint8Array) => boolean
  readonly keccak256: Keccak256
  /** Accounts that signed the transaction's authorizations. */
  readonly signers: readonly AddressKey[]
  /** `undefined` for a call, which stands nowhere. */
  readonly place: TransactionLocation | undefined
  /** Logs in the block before the transaction. */
  readonly logCount: number
}

export type FrameType =
  | 'CALL'
  | 'CALLCODE'
  | 'DELEGATECALL'
  | 'STATICCALL'
  | 'CREATE'
  | 'CREATE2'
  | 'SELFDESTRUCT'

/** A frame that opens; a SELFDESTRUCT counts as one without code. */
export interface Frame {
  readonly type: FrameType
  /** 0 of the outermost. */
  readonly depth: number
  /** 20 bytes: whose code opens it. */
  readonly from: Uint8Array
  /** 20 bytes: whose code it runs; `undefined` while a creation has no address yet. */
  readonly to: Uint8Array | undefined
  /** Valid only until the frame runs. */
  readonly input: Uint8Array
  readonly gas: bigint
  /** wei; `undefined` of a STATICCALL. */
  readonly value: bigint | undefined
}

/** How a frame ended. */
export interface FrameEnd {
  readonly depth: number
  readonly output: Uint8Array
  readonly gasUsed: bigint
  /** Why it failed, in geth's words; `undefined` on success. */
  readonly error: string | undefined
  /** Whether it failed on purpose, so that `output` says why. */
  readonly reverted: boolean
  /** 20 bytes of the contract that it created. */
  readonly created: Uint8Array | undefined
}

/** An opcode that is about to run, or to fail before it does. */
export interface TraceStep {
  readonly pc: number
  readonly opcode: number
  /** Whether the hardfork has the opcode. */
  readonly isDefined: boolean
  readonly gas: bigint
  /** With the gas that a call forwards. */
  readonly cost: bigint
  /** 1 in the outermost frame. */
  readonly depth: number
  readonly refund: bigint
  /** Why it fails, in geth's words; `undefined` where its gas is paid. */
  readonly error: string | undefined
  /** Items on the stack. */
  readonly height: number
  /** Words of memory. */
  readonly memoryWords: number
  /** Of the frame; valid only during the call. */
  readonly state: RunState
}

/** A log when it is emitted; what reverts later is not known yet. */
export interface TracedLog {
  readonly depth: number
  readonly address: Uint8Array
  readonly topics: readonly Uint8Array[]
  readonly data: Uint8Array
  /** In the block, as far as nothing before it is reverted. */
  readonly index: number
}

/** Watches one execution, and says what it saw. What it throws ends the execution. */
export interface Tracer {
  /** Before anything is executed. */
  start?(context: TraceContext): void
  step?(step: TraceStep): void
  enter?(frame: Frame): void
  exit?(end: FrameEnd): void
  log?(log: TracedLog): void
  /** After everything, refunds and fees included. */
  end?(execution: Execution): void
  /** JSON text. */
  result(): string
}

/** A trace grew beyond what the node keeps: code -32005. */
export class TraceTooLargeError extends LimitError {
  override name = 'TraceTooLargeError'
  constructor(limit: number) {
    super(
      `the trace is larger than ${limit} bytes; record less (limit: bytes of struct logs after which no more are recorded, disableStack, disableStorage, or another tracer, such as callTracer with onlyTopCall), or start the node with a larger --max-trace-size`,
    )
  }
}

/** Bounds the size of one answer: of one trace, or of those of a whole block. */
export class TraceBudget {
  readonly limit: number
  #left: number

  /** @param limit - bytes */
  constructor(limit: number) {
    this.limit = limit
    this.#left = limit
  }

  /** Whether more was asked for than there was. */
  get isExceeded(): boolean {
    return this.#left < 0
  }

  /**
   * Takes what a part of a trace is going to need.
   *
   * @throws {ExecutionAbortedError} where that is too much; whoever began the trace says so as {@link TraceTooLargeError}
   */
  spend(bytes: number): void {
    this.#left -= bytes
    if (this.#left < 0) throw new ExecutionAbortedError('the trace is too large')
  }
}
