import { formatUncleAt } from '../../json/formatBlock.ts'
import { quantity64 } from '../../json/params.ts'
import { byBlockHash } from '../blockMethods.ts'

/** Only imported blocks have uncles. */
export default byBlockHash([quantity64()], formatUncleAt, { mayLack: true })
