import type { Hex } from '../primitives/hex.ts'
import type { StateDiff } from '../state/types.ts'
import type { Status } from '../types.ts'

/** Time of the next seal of the pending block; the clocks implement this. */
export interface Schedule {
  /** Virtual time, in ms since the epoch. */
  readonly now: number
  /** Virtual time, in ms since the epoch, at which a block opened now would be sealed. */
  sealTime(): number
  /** True if a block may have its parent's timestamp: by an option, or at seal intervals < 1 s. */
  readonly equalTimestamps: boolean
}

/** Values that a command chose for the next block; forgotten once that block is sealed. */
export interface NextBlockOverrides {
  /** s since the epoch. */
  readonly timestamp?: bigint
  /** wei. */
  readonly baseFeePerGas?: bigint
  /** 32 bytes. */
  readonly prevRandao?: Uint8Array
  /** That of the block which this one replaces. Default: the setting */
  readonly gasLimit?: bigint
  /** 20 bytes; that of the block which this one replaces. Default: the setting */
  readonly coinbase?: Uint8Array
}

/** Settings that apply until they are changed again. */
export interface ChainSettings {
  /** Fee recipient of every block, of 20 bytes. */
  readonly coinbase: Uint8Array
  readonly gasLimit: bigint
  readonly chainId: number
  /** s between the timestamps of successive blocks; `undefined`: the clocks decide. */
  readonly timestampInterval: bigint | undefined
  /** Lowest accepted gas price, in wei; applies only to blocks without a base fee. */
  readonly minGasPrice: bigint
  /** Accounts that may send transactions without a signature. */
  readonly impersonated: ReadonlySet<Hex>
  /** True if any account may send transactions without a signature. */
  readonly impersonateAll: boolean
}

/** A transaction that can never run any more. */
export type Dropped = Status['dropped'][number]

/** A command or a fault that took back, or executed again, what readers had seen. */
export interface Undo {
  readonly command: 'drop' | 'rearrange' | 'revert' | 'rollback' | 'reorg' | 'reset' | 'load'
  /** Number of transactions that a drop or a reorganisation removed; 0 otherwise. */
  readonly dropped: number
  /** Number of pre-confirmed transactions that a drop or a rearrangement executed again. */
  readonly reexecuted: number
  /** Number of sealed blocks that a reorganisation replaced; 0 otherwise. */
  readonly replaced: number
}

/**
 * Everything that commands can change besides blocks, pending view and mempool. Reverts, resets and
 * loads replace it as a whole. Immutable, so a reference to it is a snapshot.
 */
export interface ChainWork {
  readonly settings: ChainSettings
  readonly next: NextBlockOverrides
  /** Changes by cheats to the newest sealed state; they apply before the pending block. */
  readonly cheatDiffs: readonly StateDiff[]
  readonly dropped: readonly Dropped[]
  /** Hashes of the transactions that drops and rearrangements executed again, oldest first. */
  readonly reexecuted: readonly Hex[]
}
