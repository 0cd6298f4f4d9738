import { formatUncleAt } from '../../json/formatBlock.ts'
import { quantity64 } from '../../json/params.ts'
import { byBlockNumber } from '../blockMethods.ts'

/** Only imported blocks have uncles. */
export default byBlockNumber([quantity64()], formatUncleAt, {
  byHash: 'eth_getUncleByBlockHashAndIndex',
  mayLack: true,
})
