import type { Common } from '@ethereumjs/common'
import type { EVMError, EVMResult, Message } from '@ethereumjs/evm'
import type { Address } from '@ethereumjs/util'

// Internals that @ethereumjs/evm does not export (10.1.3, pinned).

/** Entry of the opcode table. */
export interface OpcodeEntry {
  readonly opcodeInfo: {
    readonly code: number
    readonly fee: number
    readonly feeBigInt: bigint
    readonly isAsync: boolean
    readonly isInvalid: boolean
    readonly dynamicGas: boolean
  }
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

interface Memory {
  /** At least as long as the memory that is paid for. */
  readonly _store: Uint8Array
  extend(offset: number, size: number): void
}

/** A log: address, topics, data. */
type Log = [Uint8Array, Uint8Array[], Uint8Array]

export interface RunState {
  code: Uint8Array
  opCode: number
  programCounter: number
  validJumps: Uint8Array
  cachedPushes: object
  shouldDoJumpAnalysis: boolean
  gasLeft: bigint
  gasRefund: bigint
  memoryWordCount: bigint
  /** Return data of the last call. */
  readonly returnBytes: Uint8Array
  /** Gas that the next call or creation forwards, without its stipend. */
  readonly messageGasLimit?: bigint | undefined
  readonly memory: Memory
  readonly stack: Stack
  readonly stateManager: object
  readonly env: {
    readonly address: Address
    readonly caller: Address
    readonly code: Uint8Array
    readonly isStatic: boolean
    /** 0 for the outermost frame. */
    readonly depth: number
  }
  readonly interpreter: Interpreter
}

export interface Interpreter {
  readonly common: Common
  readonly _runState: RunState
  readonly _result: { readonly logs: Log[]; returnValue: Uint8Array | undefined }
  readonly _evm: {
    readonly _opcodeMap: readonly OpcodeEntry[]
  }
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
