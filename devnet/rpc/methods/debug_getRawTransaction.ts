/** As `eth_getRawTransactionByHash`. */
export { default } from './eth_getRawTransactionByHash.ts'
