import { formatBlockHeader } from '../../json/formatBlock.ts'
import { byBlockNumber } from '../blockMethods.ts'

export default byBlockNumber([], formatBlockHeader, {
  answers: 'header',
  byHash: 'eth_getHeaderByHash',
})
