import { formatTransactionCount } from '../../json/formatBlock.ts'
import { byBlockNumber } from '../blockMethods.ts'

export default byBlockNumber([], formatTransactionCount, {
  byHash: 'eth_getBlockTransactionCountByHash',
})
