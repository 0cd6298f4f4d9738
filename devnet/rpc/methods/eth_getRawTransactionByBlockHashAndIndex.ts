import { formatRawTransactionAt } from '../../json/formatTransaction.ts'
import { quantity64 } from '../../json/params.ts'
import { byBlockHash } from '../blockMethods.ts'

/** The EIP-2718 bytes; for a blob transaction, without its sidecar. */
export default byBlockHash([quantity64()], formatRawTransactionAt, { mayLack: true })
