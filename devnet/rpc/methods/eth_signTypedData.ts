/** As `eth_signTypedData_v4`. */
export { default } from './eth_signTypedData_v4.ts'
