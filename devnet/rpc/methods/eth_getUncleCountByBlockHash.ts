import { formatUncleCount } from '../../json/formatBlock.ts'
import { byBlockHash } from '../blockMethods.ts'

/** Only imported blocks have uncles. */
export default byBlockHash([], formatUncleCount)
