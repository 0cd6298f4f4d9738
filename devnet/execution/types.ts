import type { Hex } from '../primitives/hex.ts'
import type { Withdrawal } from '../protocol/withdrawals.ts'

// Hexadecimal text is lower case here, except `data` and `code`, which are passed on as given.

/** An account and its slots that a transaction declares to access (EIP-2930). */
export interface AccessListEntry {
  readonly address: Hex
  /** 32 bytes each. */
  readonly storageKeys: readonly Hex[]
}

/** A signed delegation of an account to code (EIP-7702). */
export interface Authorization {
  /** 0 for any chain. */
  readonly chainId: bigint
  readonly address: Hex
  readonly nonce: bigint
  readonly yParity: bigint
  readonly r: bigint
  readonly s: bigint
}

/** A call or an unsigned transaction. */
export interface CallRequest {
  readonly from?: Hex | undefined
  /** `undefined` creates a contract. */
  readonly to?: Hex | undefined
  readonly gas?: bigint | undefined
  /** wei; refused together with the two fees below. */
  readonly gasPrice?: bigint | undefined
  /** wei. */
  readonly maxFeePerGas?: bigint | undefined
  /** wei. */
  readonly maxPriorityFeePerGas?: bigint | undefined
  /** wei. */
  readonly maxFeePerBlobGas?: bigint | undefined
  /** wei. */
  readonly value?: bigint | undefined
  readonly nonce?: bigint | undefined
  /** The request's `input` or `data`. */
  readonly data?: Hex | undefined
  readonly accessList?: readonly AccessListEntry[] | undefined
  readonly blobVersionedHashes?: readonly Hex[] | undefined
  readonly authorizationList?: readonly Authorization[] | undefined
  readonly chainId?: bigint | undefined
  /** Transaction type (EIP-2718). */
  readonly type?: number | undefined
}

/** Changes to one account before calls run. */
export interface AccountOverride {
  /** wei. */
  readonly balance?: bigint | undefined
  readonly nonce?: bigint | undefined
  readonly code?: Hex | undefined
  /** The whole storage: slots that are not listed become zero. 32 bytes each. */
  readonly state?: ReadonlyMap<Hex, Hex> | undefined
  /** Single slots; never together with `state`. 32 bytes each. */
  readonly stateDiff?: ReadonlyMap<Hex, Hex> | undefined
  /** Address to which the precompile at this address moves. */
  readonly movePrecompileToAddress?: Hex | undefined
}

/** Overrides by address, sorted by address; applied in this order. */
export type StateOverrides = ReadonlyMap<Hex, AccountOverride>

/** Fields of a block that a call or simulation replaces. */
export interface BlockOverrides {
  readonly number?: bigint | undefined
  /** s since the epoch. */
  readonly time?: bigint | undefined
  readonly gasLimit?: bigint | undefined
  readonly feeRecipient?: Hex | undefined
  /** 32 bytes. */
  readonly prevRandao?: Hex | undefined
  /** wei. */
  readonly baseFeePerGas?: bigint | undefined
  /** wei; affects only the BLOBBASEFEE opcode and blob fees. */
  readonly blobBaseFee?: bigint | undefined
  readonly withdrawals?: readonly Withdrawal[] | undefined
  /** 32 bytes (EIP-4788). */
  readonly beaconRoot?: Hex | undefined
  readonly difficulty?: bigint | undefined
  /** Hashes that BLOCKHASH returns, by block number. */
  readonly blockHash?: ReadonlyMap<bigint, Hex> | undefined
}

/** One block to simulate. */
export interface BlockStateCall {
  readonly blockOverrides?: BlockOverrides | undefined
  readonly stateOverrides?: StateOverrides | undefined
  readonly calls?: readonly CallRequest[] | undefined
}

/** Payload of `eth_simulateV1`. */
export interface SimulationPayload {
  readonly blockStateCalls: readonly BlockStateCall[]
  /** Adds a log for each transfer of ether. Default: false. */
  readonly traceTransfers?: boolean | undefined
  /** Enforces nonces and base fee. Default: false. */
  readonly validation?: boolean | undefined
  /** Shows full transactions instead of hashes. Default: false. */
  readonly returnFullTransactions?: boolean | undefined
}

/** Limits of a simulation. */
export interface SimulationLimits {
  /** Maximum number of blocks, including those that fill gaps. */
  readonly blocks: number
  readonly callsPerBlock: number
  readonly calls: number
  /** Maximum gas of all calls together. */
  readonly gas: bigint
  /** ms. */
  readonly timeout: number
}
