import { formatUncleCount } from '../../json/formatBlock.ts'
import { byBlockNumber } from '../blockMethods.ts'

/** Only imported blocks have uncles. */
export default byBlockNumber([], formatUncleCount, { byHash: 'eth_getUncleCountByBlockHash' })
