import type { Hex } from '../primitives/hex.ts'
import type { StateDiff } from '../state/types.ts'

/** When the pending block will be sealed; the clocks answer it. */
export interface Schedule {
  /** Virtual time in ms at which the block that opens now is due to be sealed. */
  sealTime(): number
  /** Whether a block may have its parent's timestamp: an option, or seal intervals under 1 s. */
  readonly equalTimestamps: boolean
}

/** What a command chose for the next block instead of the rules; forgotten once it is sealed. */
export interface NextBlockOverrides {
  /** s since the epoch. */
  readonly timestamp?: bigint
  /** wei. */
  readonly baseFeePerGas?: bigint
  /** 32 bytes. */
  readonly prevRandao?: Uint8Array
}

/** Settings that apply until they are changed again. */
export interface ChainSettings {
  /** Fee recipient of every block, of 20 bytes. */
  readonly coinbase: Uint8Array
  readonly gasLimit: bigint
  readonly chainId: number
  /** s from the timestamp of each block to that of the next; `undefined`: the clocks decide. */
  readonly timestampInterval: bigint | undefined
  /** wei; a transaction for less is refused, before blocks have a base fee. */
  readonly minGasPrice: bigint
  /** Accounts that may send without a key. */
  readonly impersonated: ReadonlySet<Hex>
  /** Whether all other accounts may, too. */
  readonly impersonateAll: boolean
}

/** A transaction that can never run any more. */
export interface Dropped {
  readonly hash: Hex
  readonly reason: string
}

/**
 * All that commands changed beside blocks, pending view and mempool. Snapshots, resets and loaded
 * states replace it as a whole. Immutable, so a reference to it is a snapshot.
 */
export interface ChainWork {
  readonly settings: ChainSettings
  readonly next: NextBlockOverrides
  /** Changes by cheats since the last seal; they count as made right after it. */
  readonly cheatDiffs: readonly StateDiff[]
  readonly dropped: readonly Dropped[]
}
