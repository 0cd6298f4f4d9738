/** As `eth_signTypedData_v4`, which can do more. */
export { default } from './eth_signTypedData_v4.ts'
