import type { Common } from '@ethereumjs/common'
import type { EVMError, EVMResult, Message } from '@ethereumjs/evm'
import type { RunState as LibraryState } from './yieldOpcodes.ts'

// Internals that @ethereumjs/evm does not export (10.1.3, pinned).

export interface OpcodeInfo {
  readonly code: number
  readonly fee: number
  readonly feeBigInt: bigint
  readonly isAsync: boolean
  readonly isInvalid: boolean
  readonly dynamicGas: boolean
}

export interface OpcodeEntry {
  readonly opcodeInfo: OpcodeInfo
  readonly opHandler: (state: RunState, common: Common) => unknown
  /** Returns the opcode's total gas; `fee` is the fixed part. Only called if `dynamicGas`. */
  readonly gasHandler: (state: RunState, fee: bigint, common: Common) => Promise<bigint>
}

/** Runs a frame, whose state its caller then keeps or reverts. */
export interface FrameRunner {
  _executeCall(message: Message): Promise<EVMResult>
  _executeCreate(message: Message): Promise<EVMResult>
}

interface Stack {
  /** From the bottom up; elements from index `_len` on have no meaning. */
  readonly _store: bigint[]
  _len: number
}

/** A log: address, topics, data. Mutable, because the library types its logs so. */
export type Log = [Uint8Array, Uint8Array[], Uint8Array]

/**
 * The state of a frame: its memory is at least as long as what is paid for, and `messageGasLimit`
 * is what the next call or creation forwards, without its stipend.
 */
export interface RunState extends Omit<LibraryState, 'stack' | 'interpreter'> {
  readonly stack: Stack
  readonly interpreter: Interpreter
}

export interface Interpreter {
  readonly common: Common
  readonly _runState: RunState
  readonly _result: { readonly logs: Log[]; returnValue: Uint8Array | undefined }
  readonly _evm: { readonly _opcodeMap: readonly OpcodeEntry[] }
  run(code: Uint8Array, options?: { pc?: number }): Promise<RunResult>
  runStep(entry: OpcodeEntry): Promise<void>
  useGas(amount: bigint, info: unknown): void
  _getValidJumpDestinations(code: Uint8Array): Analysis
}

/** The library's analysis of a contract's code. */
export interface Analysis {
  readonly jumps: Uint8Array
  /** Values of PUSH opcodes, by the position after the opcode. */
  readonly pushes: { readonly [position: number]: bigint }
  readonly opcodesCached: readonly (OpcodeEntry | undefined)[]
}

export interface RunResult {
  readonly runState: RunState
  readonly exceptionError: EVMError | undefined
}

/** Item `index` of the stack from the top, which has `height` of them; 0 if there is none. */
export function stackItem(
  { state, height }: { readonly state: Pick<RunState, 'stack'>; readonly height: number },
  index: number,
): bigint {
  return state.stack._store[height - 1 - index] ?? 0n
}
