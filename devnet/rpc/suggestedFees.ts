/** Tip that is suggested and given by default, in wei: 1 gwei, as hardhat node. */
export const SUGGESTED_TIP = 1_000_000_000n
