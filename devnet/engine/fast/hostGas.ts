// Gas of the host's opcodes from Berlin on (EIP-2929 and appendix G of the yellow paper).

/** Of the first access to an account, and of the first access to a slot. */
export const COLD_ACCOUNT_GAS = 2600
export const COLD_SLOT_GAS = 2100
/** Of each further access. */
export const WARM_GAS = 100

/** Of a call that moves ether, and of a transfer that makes an account. */
export const VALUE_GAS = 9000
export const NEW_ACCOUNT_GAS = 25_000

/** Per byte of deployed code. */
export const DEPOSIT_GAS = 200

/** Deepest frame; the outermost one has depth 0. */
export const MAX_DEPTH = 1024
