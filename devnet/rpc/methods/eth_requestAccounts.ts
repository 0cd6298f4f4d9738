/** As `eth_accounts` (EIP-1102): this node asks nobody. */
export { default } from './eth_accounts.ts'
