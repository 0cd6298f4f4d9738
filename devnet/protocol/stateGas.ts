// State gas of Amsterdam (EIP-8037): per byte of state that is created.

const BYTE_GAS = 1530

/** Of an account that did not exist. */
export const ACCOUNT_STATE_GAS = 120 * BYTE_GAS

/** Of a slot that was zero. */
export const SLOT_STATE_GAS = 64 * BYTE_GAS

/** Of a delegation that an account did not have (EIP-7702). */
export const DELEGATION_STATE_GAS = 23 * BYTE_GAS

/** Per byte of deployed code. */
export const CODE_BYTE_STATE_GAS = BYTE_GAS
