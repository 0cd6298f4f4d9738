import { formatTransactionAt } from '../../json/formatTransaction.ts'
import { quantity64 } from '../../json/params.ts'
import { findNamedBlock } from '../../json/resolveBlock.ts'
import { byBlockNumber } from '../blockMethods.ts'

export default byBlockNumber([quantity64()], formatTransactionAt, {
  find: findNamedBlock,
  answers: 'transaction',
  byHash: 'eth_getTransactionByBlockHashAndIndex',
  mayLack: true,
})
