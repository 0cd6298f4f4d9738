import { formatRawTransactionAt } from '../../json/formatTransaction.ts'
import { quantity64 } from '../../json/params.ts'
import { findNamedBlock } from '../../json/resolveBlock.ts'
import { byBlockNumber } from '../blockMethods.ts'

/** The EIP-2718 bytes; for a blob transaction, without its sidecar. */
export default byBlockNumber([quantity64()], formatRawTransactionAt, {
  find: findNamedBlock,
  byHash: 'eth_getRawTransactionByBlockHashAndIndex',
  mayLack: true,
})
