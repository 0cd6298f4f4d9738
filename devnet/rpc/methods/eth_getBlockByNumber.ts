import { formatBlock } from '../../json/formatBlock.ts'
import { flag, optional } from '../../primitives/reader.ts'
import { byBlockNumber } from '../blockMethods.ts'

export default byBlockNumber([optional(flag())], formatBlock, {
  answers: 'block',
  byHash: 'eth_getBlockByHash',
})
