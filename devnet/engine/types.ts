import type { BlockGas } from '../protocol/blockGas.ts'
import type { BloomBits } from '../protocol/bloom.ts'
import type { Halt } from '../protocol/halt.ts'
import type { InnerFrames, RawLog } from '../protocol/receipt.ts'
import type { L1Charge } from '../protocol/rollup/l1Fee.ts'
import type { StepAccesses } from '../protocol/stepAccesses.ts'
import type { NamedAccess } from './accessWatch.ts'
import type { ConsoleCalls } from './consoleCalls.ts'

/**
 * Returns the hash for BLOCKHASH; 32 zero bytes if there is no such block. Must not throw. A
 * promise suspends the execution.
 */
export type BlockHashes = (number: bigint) => Uint8Array | Promise<Uint8Array>

/** Result of one transaction. */
export interface Execution {
  readonly success: boolean
  readonly gasUsed: bigint
  /** Gas used before refunds are subtracted. */
  readonly gasBeforeRefund: bigint
  /** Its share of the gas of the block, in both dimensions; `undefined` before Amsterdam. */
  readonly blockGas: Pick<BlockGas, 'execution' | 'state'> | undefined
  /** For the block's access list (EIP-7928); `undefined` before Amsterdam. */
  readonly accesses: StepAccesses | undefined
  readonly blobGasUsed: bigint | undefined
  readonly logs: readonly RawLog[]
  readonly bloomBits: BloomBits
  readonly returnData: Uint8Array
  /** Reason why its outermost frame failed; `undefined` on success. */
  readonly failure: Halt | undefined
  /** The opcode that failed if it is one that the hardfork lacks. */
  readonly invalidOpcode?: number | undefined
  /** 20-byte address of the created contract, even if the creation failed. */
  readonly createdAddress: Uint8Array | undefined
  /** Calls of `console.log`; `undefined` if there were none. */
  readonly printed: ConsoleCalls | undefined
  /** `undefined` if there were none, or none that touched another account; and for a call. */
  readonly innerFrames: InnerFrames | undefined
  /** Only of a transaction that paid an L1 fee. */
  readonly l1Charge?: L1Charge | undefined
  /** Only of a deposit that could not begin, so that it has no frames. */
  readonly isUnopened?: true
}

/** Result of a call to a system contract, which has no gas and no receipt. */
export type SystemExecution = Pick<Execution, 'returnData' | 'failure' | 'accesses'>

/** Differences between an execution and that of a signed transaction. */
export interface RunOptions {
  /** Skips the check of the nonce, which still rises. Default: false. */
  readonly skipNonce?: boolean
  /** The sender pays no base fee, although code sees it. Default: false. */
  readonly waiveBaseFee?: boolean
}

/** Differences between a call and a transaction of a block. */
export interface CallOptions {
  /** The sender pays no base fee, although code sees it. Default: false. */
  readonly waiveBaseFee?: boolean | undefined
  /** The sender pays nothing for blobs, although code sees their price. Default: false. */
  readonly waiveBlobFee?: boolean | undefined
  readonly precompiles?: PrecompileChanges | undefined
  /** Adds a log for each transfer of ether. Default: false. */
  readonly traceTransfers?: boolean | undefined
  /** Counts the logs that failed frames take back. Default: false. */
  readonly countLostLogs?: boolean | undefined
  /** Called with each access, even if its gas cannot be paid; maybe twice with the same one. */
  readonly onAccess?: ((access: NamedAccess) => void) | undefined
}

/** Logs counted as they are emitted, those included that a failed frame takes back. */
export interface LogEmission {
  /** Of each log that was kept. */
  readonly positions: readonly number[]
  readonly total: number
}

/** Changes of precompiles for one execution; addresses are 40 hexadecimal digits. */
export interface PrecompileChanges {
  readonly removed: ReadonlySet<string>
  /** New address → original address. */
  readonly moved: ReadonlyMap<string, string>
}

export interface CallExecution extends Execution {
  /** The logs, including those that {@link CallOptions.traceTransfers} adds. */
  readonly tracedLogs: readonly RawLog[]
  /** Of {@link tracedLogs}. Present if {@link CallOptions.countLostLogs} was set. */
  readonly emission?: LogEmission
}

/** The opcode that opens a frame. A SELFDESTRUCT counts as one, which ends at once. */
export type FrameKind =
  | 'CALL'
  | 'CALLCODE'
  | 'DELEGATECALL'
  | 'STATICCALL'
  | 'CREATE'
  | 'CREATE2'
  | 'SELFDESTRUCT'
