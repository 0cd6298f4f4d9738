/** The block as running code sees it. */
export interface BlockContext {
  readonly number: bigint
  /** s since the Unix epoch. */
  readonly timestamp: bigint
  readonly gasLimit: bigint
  /** wei; 0 before London. */
  readonly baseFeePerGas: bigint
  /** 20 bytes. */
  readonly coinbase: Uint8Array
  /** 32 bytes; DIFFICULTY returns it since Paris. */
  readonly prevRandao: Uint8Array
  readonly difficulty: bigint
  /** wei per blob gas; BLOBBASEFEE returns it. */
  readonly blobBaseFee: bigint
  /** SLOTNUM returns it (EIP-7843); 0 before Amsterdam. */
  readonly slotNumber: bigint
}
