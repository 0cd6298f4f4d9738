import type { CallExecution } from '../engine/types.ts'
import type { Hex } from '../primitives/hex.ts'
import type { BlockEnvironment } from '../protocol/environment.ts'
import type { BlockHeader } from '../protocol/header.ts'
import type { ExecutedTransaction } from '../protocol/receipt.ts'
import type { Withdrawal } from '../protocol/withdrawals.ts'
import type { BlockOverrides, CallRequest, StateOverrides } from './types.ts'

/** One block to simulate. */
export interface BlockStateCall {
  readonly blockOverrides?: BlockOverrides | undefined
  readonly stateOverrides?: StateOverrides | undefined
  readonly calls?: readonly CallRequest[] | undefined
}

/** What `eth_simulateV1` is asked. */
export interface SimulationPayload {
  readonly blockStateCalls: readonly BlockStateCall[]
  /** Logs for transfers of ether. Default: false. */
  readonly traceTransfers?: boolean | undefined
  /** Whether nonces and base fee are enforced. Default: false. */
  readonly validation?: boolean | undefined
  /** Transaction objects instead of hashes. Default: false. */
  readonly returnFullTransactions?: boolean | undefined
}

/** What bounds a simulation. */
export interface SimulationLimits {
  /** Numbers that the last block may be above the base block. */
  readonly blocks: number
  readonly callsPerBlock: number
  readonly calls: number
  /** Gas of all calls together. */
  readonly gas: bigint
  /** ms. */
  readonly timeout: number
}

/** A block of the sequence, whose place in it is settled. */
export interface PlannedBlock extends BlockStateCall {
  readonly number: bigint
  /** s since the epoch. */
  readonly time: bigint
}

/** What a simulated block is before anything runs in it. */
export type SimulatedEnvironment = Omit<BlockEnvironment, 'parent'>

/** A call that ran in a simulated block. */
export interface SimulatedCall {
  readonly executed: ExecutedTransaction
  readonly execution: CallExecution
  /** Its gas was cut to what was left of the gas of the request. */
  readonly capped: boolean
}

/** A block that was simulated. */
export interface SimulatedBlock {
  readonly header: BlockHeader
  readonly hash: Hex
  readonly hashBytes: Uint8Array
  /** Bytes of its RLP. */
  readonly size: number
  readonly calls: readonly SimulatedCall[]
  /** `undefined` before Shanghai. */
  readonly withdrawals: readonly Withdrawal[] | undefined
}
