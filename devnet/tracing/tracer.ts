import type { Access, AccessWatch } from '../engine/accessWatch.ts'
import { type RunState, stackItem } from '../engine/library/evmInternals.ts'
import type { Step } from '../engine/library/tracingLoop.ts'
import { ExecutionAbortedError } from '../engine/scheduler.ts'
import type { Execution, FrameKind } from '../engine/types.ts'
import { bigIntTo32Bytes, concatBytes, textToBytes } from '../primitives/bytes.ts'
import type { Hex } from '../primitives/hex.ts'
import type { Paced } from '../primitives/paced.ts'
import type { BlockContext } from '../protocol/blockContext.ts'
import type { ForkRules } from '../protocol/forks.ts'
import type { Halt } from '../protocol/halt.ts'
import { createdAddress, type TransactionFields } from '../protocol/transaction.ts'
import { addressKey } from '../state/keys.ts'
import type { AddressKey, Keccak256, StateReader } from '../state/types.ts'

/** Watches one execution and reports on it. An error that it throws ends the execution. */
export interface Tracer extends Partial<AccessWatch> {
  /** True if it wants no steps and no hashes. Default: false */
  readonly isLight?: boolean
  /** Called before anything is executed. */
  start?(context: TraceContext): void
  step?(step: TraceStep): void
  /** As `step`, but costs little: for tracers that need no gas. */
  visit?(step: Pick<Step, 'state' | 'pc' | 'opcode'>): void
  enter?(frame: Frame): void
  exit?(end: FrameEnd): void
  log?(log: TracedLog): void
  /** Called before KECCAK256 hashes bytes. @param self - the account that runs, 20 bytes */
  hash?(self: Uint8Array, bytes: () => Uint8Array, length: bigint): void
  /** Called after everything, refunds and fees included. */
  end?(execution: Execution): void
  /** Makes the trace, as JSON text in pieces. */
  result(): Paced<readonly string[]>
}

export interface TraceContext {
  /** Live state, current at any time before, during and after the transaction. */
  readonly state: StateReader
  readonly rules: ForkRules
  readonly block: BlockContext
  readonly tx: TransactionFields
  /** @param address - 20 bytes */
  readonly isPrecompile: (address: Uint8Array) => boolean
  readonly keccak256: Keccak256
  /** Accounts that signed the transaction's authorizations. */
  readonly signers: readonly AddressKey[]
  /** `undefined` for a call. */
  readonly location: TransactionLocation | undefined
  /** Number of logs in the block before the transaction. */
  readonly logCount: number
}

/** Position of a traced transaction in the chain. */
interface TransactionLocation {
  /** `undefined` while the block is not sealed. */
  readonly blockHash: Hex | undefined
  readonly blockNumber: bigint
  readonly hash: Hex
  /** Index in the block. */
  readonly index: number
}

/** A frame that opens; a SELFDESTRUCT is reported as a frame without code. */
export interface Frame {
  readonly type: FrameKind
  /** 0 for the outermost frame. */
  readonly depth: number
  /** 20 bytes: the sender, or the account whose code opens the frame. */
  readonly from: Uint8Array
  /**
   * 20 bytes: the code's account, or SELFDESTRUCT's beneficiary; `undefined` for a creation, unless
   * it fails to open.
   */
  readonly to: Uint8Array | undefined
  /** Calldata or init code; the bytes may change once the frame runs. */
  readonly input: Uint8Array
  readonly gas: bigint
  /** wei; `undefined` for a STATICCALL. */
  readonly value: bigint | undefined
}

export interface FrameEnd {
  readonly depth: number
  readonly output: Uint8Array
  readonly gasUsed: bigint
  /** Reason why it failed, in geth's words; `undefined` on success. */
  readonly error: string | undefined
  /** Reason why it failed; of a revert, `output` holds the bytes. `undefined` on success. */
  readonly halt: Halt | undefined
  /** 20 bytes of the contract that it created, if any. */
  readonly created: Uint8Array | undefined
}

/** An opcode that is about to run, or to fail before it runs. */
export interface TraceStep
  extends Pick<Step, 'state' | 'pc' | 'opcode' | 'isDefined' | 'gas' | 'height' | 'memoryWords'> {
  /** Includes the gas that a call forwards. */
  readonly cost: bigint
  /** 1 in the outermost frame. */
  readonly depth: number
  readonly refund: bigint
  /** Reason why the opcode does not run, in geth's words; `undefined` if it runs. */
  readonly error: string | undefined
}

/** The 20 bytes of an address on the stack; higher bytes are ignored. */
export function stackAddress(item: bigint): Uint8Array {
  return bigIntTo32Bytes(item).slice(12)
}

/** A copy of memory that is already paid for; bytes that are not allocated yet are zero. */
export function readMemory({ memory }: RunState, offset: bigint, length: bigint): Uint8Array {
  const bytes = new Uint8Array(Number(length))
  if (length > 0n) bytes.set(memory._store.subarray(Number(offset), Number(offset + length)))
  return bytes
}

/** The address of the next contract that `creator` creates (yellow paper 7). */
export function creationAddress(
  { state, keccak256 }: Pick<TraceContext, 'state' | 'keccak256'>,
  creator: AddressKey,
): AddressKey {
  const nonce = state.account(creator)?.nonce ?? 0n
  return addressKey(createdAddress({ from: textToBytes(creator), nonce }, keccak256))
}

/** The address of the contract that a CREATE2 is about to create (EIP-1014). */
export function creation2Address(
  { keccak256 }: Pick<TraceContext, 'keccak256'>,
  { self, operand, memory }: Access,
): AddressKey {
  const salt = bigIntTo32Bytes(operand(3))
  const code = keccak256(memory(operand(1), operand(2)))
  const hash = keccak256(concatBytes(Uint8Array.of(0xff), textToBytes(self), salt, code))
  return addressKey(hash.subarray(12))
}

/** The access that an opcode of the library is about to make. */
export function accessOf(step: Pick<TraceStep, 'opcode' | 'state' | 'height'>): Access {
  const { opcode, state } = step
  return {
    opcode,
    self: addressKey(state.env.address.bytes),
    operand: (index) => stackItem(step, index),
    memory: (offset, length) => readMemory(state, offset, length),
  }
}

/** A log when it is emitted; a later revert may still undo it. */
export interface TracedLog {
  readonly depth: number
  readonly address: Uint8Array
  readonly topics: readonly Uint8Array[]
  readonly data: Uint8Array
  /** Index in the block, provided that no earlier log is reverted later. */
  readonly index: number
}

/** Limits the size of one answer: a single trace, or the traces of a whole block. */
export class TraceBudget {
  readonly limit: number
  /** Bytes that are left, to be restored if a trace begins anew; below 0 beyond the limit. */
  left: number

  /** @param limit - bytes */
  constructor(limit: number) {
    this.limit = limit
    this.left = limit
  }

  /**
   * Reserves bytes for a part of a trace.
   *
   * @throws {ExecutionAbortedError} if the limit is exceeded; `TraceRun.guard` turns it into a
   * `LimitError`
   */
  spend(bytes: number): void {
    this.left -= bytes
    if (this.left < 0) throw new ExecutionAbortedError('the trace is too large')
  }
}
