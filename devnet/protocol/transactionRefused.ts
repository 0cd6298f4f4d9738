/** Message of each reason: what the transaction or its sender has, and what it needs. */
const REASONS = {
  intrinsicGas: (have, want) =>
    `INTRINSIC_GAS_TOO_LOW: tx gas limit ${have} is lower than the minimum gas limit of ${want}`,
  intrinsicCap: (have, want) =>
    `Transaction intrinsic regular gas ${have} exceeds the EIP-7825 cap (${want})`,
  gasPrice: (have, want) =>
    `Transaction's gasPrice (${have}) is less than the block's baseFeePerGas (${want})`,
  maxFeePerGas: (have, want) =>
    `Transaction's maxFeePerGas (${have}) is less than the block's baseFeePerGas (${want})`,
  maxFeePerBlobGas: (have, want) =>
    `Transaction's maxFeePerBlobGas (${have}) is less than block blobGasPrice (${want}).`,
  senderCode: () => 'invalid sender address, address is not EOA (EIP-3607)',
  funds: (have, want) =>
    `sender doesn't have enough funds to send tx. The max cost is: ${want} and the sender's account only has: ${have}`,
  l1Funds: (have, want) =>
    `sender has ${have} wei, but the transaction and its L1 fee may cost ${want}`,
  nonce: (have, want) =>
    `the tx doesn't have the correct nonce. account has nonce of: ${want} tx has nonce of: ${have}`,
} satisfies Record<string, (have: bigint, want: bigint) => string>

/** Reason why no block can include a transaction. */
export type Refusal = keyof typeof REASONS

/** No block can include the transaction, on this state and under these fees. */
export class TransactionRefused extends Error {
  override name = 'TransactionRefused'
  readonly kind: Refusal

  /**
   * @param have - gas, wei or nonce that the transaction or its sender has
   * @param want - what it should have; 0 if there is no such number
   */
  constructor(kind: Refusal, have = 0n, want = 0n) {
    super(REASONS[kind](have, want))
    this.kind = kind
  }
}
