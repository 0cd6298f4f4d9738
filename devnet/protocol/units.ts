/** wei in a gwei. */
export const GWEI = 10n ** 9n

/** wei in an ether. */
export const ETHER = 10n ** 18n
